#pragma once
// What a rank's own operations may not do to each other, and its program not to them: until one is
// complete, no other may change what it works on, nor the program store to its memory. Whether it
// has been carried out already makes no difference.

#include "typemap.hpp"
#include "window.hpp"

#include <functional>
#include <vector>

namespace emulated {

/// An operation that is not complete: what it works on.
struct Use {
  const char* call;
  Window* window;
  int target;
  std::uint64_t post;  ///< the epoch of MPI_Win_start that it is in; 0 for others
  Access access;
  std::vector<Run> there;  ///< by places
  MPI_Request request = MPI_REQUEST_NULL;

  /// Memory of the origin, by addresses. Empty when the operation is complete here.
  struct Memory {
    std::vector<Run> runs;
    bool written;
    std::vector<std::byte> holds;  ///< what must be in it
  };
  std::vector<Memory> here{};

  Memory& add(void* address, std::vector<Run> runs, bool written);
  /// Brings what has arrived into the program's memory, which must be as the operation left it.
  void bring(std::byte* to, const std::byte* from, std::size_t bytes);
};

/// Ends the job where the operation is in conflict with another one.
Use& begin_use(Use use);

using Uses = std::function<bool(const Use&)>;
/// Their memory may be used again. Ends the job where that has happened already.
void end_use_here(const Uses& which);
/// They are complete.
void end_use(const Uses& which);

}  // namespace emulated
