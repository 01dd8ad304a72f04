#include "windows.hpp"

#include "come_to_rest.hpp"
#include "own.hpp"
#include "under_way.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <vector>

namespace halocline::detail {

namespace {

struct Live {
  MPI_Win window;
  MPI_Comm comm;
  bool in_epoch = false;
  bool left = false;
};

/// In the order in which they were made. Never destroyed, as those that outlive MPI are in it.
std::list<Live>& live() {
  static auto& all = *new std::list<Live>;
  return all;
}

/// Guards both lists: threads may make windows on communicators of their own at the same time.
std::mutex& windows_mutex() {
  static auto& one = *new std::mutex;
  return one;
}

std::vector<bool (*)()>& asked() {
  static auto& all = *new std::vector<bool (*)()>;
  return all;
}

int freed(MPI_Win, int, void* entry, void*) {
  const std::lock_guard lock(windows_mutex());
  std::erase_if(live(), [&](const Live& one) { return &one == entry; });
  return MPI_SUCCESS;
}

int key() {
  static const int made = [] {
    int number = MPI_KEYVAL_INVALID;
    HALOCLINE_MPI(MPI_Win_create_keyval, MPI_WIN_NULL_COPY_FN, freed, &number, nullptr);
    return number;
  }();
  return made;
}

/// On all ranks alike. (What is left to Open MPI each rank frees in an order of its own, and waits
/// for the others.)
void free_all() {
  const bool quiet = std::none_of(asked().begin(), asked().end(), [](auto* in) { return in(); });
  while (!live().empty()) {
    Live last = live().back();
    bool all_quiet = false;
    if (!mpi::come_to_rest([&] { all_quiet = mpi::all_at_end(last.comm, quiet && !last.left); }))
      return;
    live().pop_back();
    if (!all_quiet) continue;
    if (last.in_epoch) MPI_Win_unlock_all(last.window);
    MPI_Win_free(&last.window);
  }
}

}  // namespace

void prepare_end_of_windows() {
  static const bool registered = (at_end_of_mpi(free_all), true);
  static_cast<void>(registered);
}

void end_with_mpi(MPI_Win window, MPI_Comm comm) {
  prepare_end_of_windows();
  Live* entry = nullptr;
  {
    const std::lock_guard lock(windows_mutex());
    entry = &live().emplace_back(Live{window, comm});
  }
  HALOCLINE_MPI(MPI_Win_set_attr, window, key(), entry);
}

namespace {
Live* entry_of(MPI_Win window) noexcept {
  Live* entry = nullptr;
  int found = 0;
  MPI_Win_get_attr(window, key(), &entry, &found);
  return found != 0 ? entry : nullptr;
}
}  // namespace

void set_in_epoch(MPI_Win window, bool in_epoch) noexcept {
  if (Live* const entry = entry_of(window)) entry->in_epoch = in_epoch;
}

void leave_in_epoch(MPI_Win window) noexcept {
  if (Live* const entry = entry_of(window)) entry->left = true;
}

void ask_before_end(bool (*in_a_step)()) {
  const std::lock_guard lock(windows_mutex());
  asked().push_back(in_a_step);
}

}  // namespace halocline::detail
