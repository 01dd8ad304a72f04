#include "new_windows.hpp"

#include "mpi/refusal.hpp"
#include "mpi/scarce.hpp"
#include "mpi/windows.hpp"
#include "shared_room.hpp"

#include <utility>

namespace halocline::detail {

namespace {

void ask_for_room(MPI_Comm all, const WantsWindows& wants, const std::vector<NewWindow>& windows) {
  std::size_t shared = 0;
  for (const NewWindow& one : windows) shared += one.shared;
  // All ranks lack room or none does.
  if (const std::string lack = lack_of_shared_room(all, shared); !lack.empty())
    mpi::agree(all, wants.who + ": " + lack + "; " + std::string(wants.room));
}

/// A window takes a communicator's place. MPICH 5.0 says so when there is none left for a
/// communicator, and crashes when there is none for a window.
void ask_for_places(mpi::InParts& parts, const WantsWindows& wants,
                    const std::vector<NewWindow>& windows) {
  std::vector<mpi::Comm> places;
  for (const NewWindow& one : windows)
    parts.make([&] {
      make_scarce(wants.who, wants.fewer,
                  [&] { places.push_back(mpi::Comm::duplicate(one.comm)); });
    });
  parts.agree([&] { places.clear(); });
}

/// Freeing a window is collective: those go that all their ranks have made.
void end(const std::vector<NewWindow>& windows, std::vector<mpi::Window>& made) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const bool by_all = mpi::all_of(windows[i].comm, made[i].get() != MPI_WIN_NULL);
    const mpi::Abandoning left(!by_all);
    made[i] = {};
  }
}

}  // namespace

NewWindow allocated(MPI_Comm comm, std::size_t bytes, std::size_t unit, void* base) {
  return {comm, bytes, [=](MPI_Win* made) {
            HALOCLINE_MPI(MPI_Win_allocate, static_cast<MPI_Aint>(bytes), static_cast<int>(unit),
                          MPI_INFO_NULL, comm, base, made);
          }};
}

NewWindow created(MPI_Comm comm, void* base, std::size_t bytes) {
  return {comm, 0, [=](MPI_Win* made) {
            const auto there = static_cast<MPI_Aint>(base == nullptr ? 0 : bytes);
            HALOCLINE_MPI(MPI_Win_create, base, there, 1, MPI_INFO_NULL, comm, made);
          }};
}

std::vector<mpi::Window> make_windows(MPI_Comm all, const WantsWindows& wants,
                                      const std::vector<NewWindow>& windows,
                                      std::string complaint) {
  if (!wants.room.empty()) ask_for_room(all, wants, windows);
  mpi::InParts parts(all, std::move(complaint));
  ask_for_places(parts, wants, windows);
  std::vector<mpi::Window> made(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i)
    parts.make(
        [&] { make_scarce(wants.who, wants.fewer, [&] { windows[i].make(made[i].address()); }); });
  parts.agree([&] { end(windows, made); });
  for (std::size_t i = 0; i < windows.size(); ++i) {
    HALOCLINE_MPI(MPI_Win_set_errhandler, made[i], MPI_ERRORS_RETURN);
    end_with_mpi(made[i], windows[i].comm);
  }
  return made;
}

mpi::Window make_window(const WantsWindows& wants, const NewWindow& window) {
  return std::move(make_windows(window.comm, wants, {window}).front());
}

}  // namespace halocline::detail
