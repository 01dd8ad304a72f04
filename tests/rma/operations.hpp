#pragma once
// Puts, gets and accumulates under way: each is in pieces, which are carried out one by one, in any
// order, at any time between the call and whatever completes it. Some begin at once, some only when
// they must. Until a piece of a put is carried out, the origin's memory is not read; until a piece
// of a get is, its memory holds rubbish.

#include "conflicts.hpp"

#include <optional>

namespace emulated {

enum class Action { put, get, accumulate };

/// What must have happened before an operation may begin: the fence at its target that opened the
/// epoch, or the target's post.
enum class Gate { open, fence, post };

struct Call {
  const char* name;
  Action action;
  Window* window;
  int target;
  Gate gate;
  std::uint64_t epoch;            ///< how many fences or posts
  MPI_Op op;                      ///< of accumulates
  const void* compare = nullptr;  ///< with what is there: if it differs, nothing is changed
};

struct Buffer {
  void* address;
  int count;
  MPI_Datatype type;
};

/// Begins. `result`: what was there before, of accumulates that want it.
Use& begin(const Call& call, const Buffer& origin, const std::optional<Buffer>& result,
           MPI_Aint displacement, int target_count, MPI_Datatype target_type);

/// Carries out by chance some of what is allowed. Called whenever the program calls MPI.
void move_on();
/// One turn of waiting for other ranks.
void wait_a_little();

/// Carries out all operations of mine through a window to a target, or to all.
void complete(Window& window, std::optional<int> target = {});
/// Completes them here: their memory may be used again.
void complete_here(Window& window, std::optional<int> target = {});
void complete_here(const Uses& which);
/// Requests of operations that may not be complete here, and the end of one of them.
std::set<MPI_Request>& requested();
void complete_here(MPI_Request request);
/// Whether there are any.
bool any(const Window& window);

/// The epoch with this target is over for its origin: when all of it has arrived, the target is
/// told.
void close(Window& window, int target, std::uint64_t epoch);
/// Until nothing is left of epochs that are over. What a rank does before it blocks in MPI.
void settle();

}  // namespace emulated
