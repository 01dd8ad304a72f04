#pragma once
// Windows are made by all ranks that want one, or by none. Each has ranks of its own: all, an
// island's, a neighbourhood's. What it needs may be refused to these alone: room in /dev/shm, one
// of the few places that MPI has for communicators and windows. So all ranks ask for the room and
// the places of all windows before the first one is made, and learn what has become of each.

#include <halocline/more/mpi.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace halocline::detail {

struct NewWindow {
  MPI_Comm comm = MPI_COMM_NULL;  ///< its ranks; one of the library's own (own.hpp)
  std::size_t shared = 0;         ///< bytes of mine for which MPI takes shared memory
  std::function<void(MPI_Win*)> make;
};

/// One whose memory is MPI_Win_allocate's: `bytes` of mine at `*base`, counted in units.
NewWindow allocated(MPI_Comm comm, std::size_t bytes, std::size_t unit, void* base);
/// One over memory of ours. (Who has found none offers nothing, and says so.)
NewWindow created(MPI_Comm comm, void* base, std::size_t bytes);

/// Who asks for windows; errors speak in that name.
struct WantsWindows {
  std::string who;
  std::string fewer;      ///< what would help where MPI has no further window
  std::string_view room;  ///< what would help where there is too little; empty: not asked for
};

/// Makes windows of mine, in an order in which no rings of ranks wait for each other. Their errors
/// return, and they end before MPI does (windows.hpp). Throws the same Error on all ranks of `all`
/// if one of them is refused a window, or brings a complaint; then none is left. Collective over
/// `all`, also for ranks that want none.
std::vector<mpi::Window> make_windows(MPI_Comm all, const WantsWindows& wants,
                                      const std::vector<NewWindow>& windows,
                                      std::string complaint = {});

/// One, of all ranks of `window.comm`.
mpi::Window make_window(const WantsWindows& wants, const NewWindow& window);

}  // namespace halocline::detail
