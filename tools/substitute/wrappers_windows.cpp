// What is done to a window: at fences, between them, and otherwise.

#include "fences.hpp"
#include "requests.hpp"
#include "wrappers.hpp"

namespace {

using substitute::FencedWindow;
using substitute::Inside;
using substitute::Operation;

/// A call that communicates. `operation()` describes it.
template <class Native, class Describe>
int access(MPI_Win window, Native&& native, Describe&& operation) {
  if (!Inside::is_outside()) return native();
  const Inside inside;
  FencedWindow* const here = FencedWindow::of(window);
  return here != nullptr && here->notes(operation()) ? MPI_SUCCESS : native();
}

/// What a call does to an epoch that is no fence's.
enum class Epoch { nothing, begins, ends };

/// A call that no fence completes, or another synchronisation.
template <class Native>
int otherwise(MPI_Win window, Epoch epoch, Native&& native) {
  if (!Inside::is_outside()) return native();
  const Inside inside;
  FencedWindow* const here = FencedWindow::of(window);
  const bool ends = epoch == Epoch::ends;
  if (here != nullptr && !ends) here->synchronised_otherwise(epoch == Epoch::begins, false);
  const int result = native();
  if (here != nullptr && ends) here->synchronised_otherwise(false, true);
  return result;
}

}  // namespace

SUBSTITUTE(Win_fence) {
  if (!Inside::is_outside()) return BEHIND(Win_fence);
  const Inside inside;
  FencedWindow* const here = FencedWindow::of(win);
  return here == nullptr ? BEHIND(Win_fence) : here->fence(assert);
}

SUBSTITUTE(Win_free) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside) FencedWindow::forget(*win);
  return BEHIND(Win_free);
}

SUBSTITUTE(Type_free) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside) FencedWindow::forget_type(*datatype);
  if (outside && substitute::Requests::keeps(*datatype)) {
    *datatype = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
  }
  return BEHIND(Type_free);
}

// What both sides of an operation have in common, and what it may have besides: members of
// Operation, in their order.
#define SUBSTITUTE_ORIGIN \
  .origin = origin_addr, .origin_count = origin_count, .origin_type = origin_datatype
#define SUBSTITUTE_TARGET                                                           \
  .target = target_rank, .displacement = target_disp, .target_count = target_count, \
  .target_type = target_datatype
#define SUBSTITUTE_ACCESS(name, kind, ...)                                      \
  SUBSTITUTE(name) {                                                            \
    return access(                                                              \
        win, [&] { return BEHIND(name); },                                      \
        [&] { return Operation{.call = Operation::Call::kind, __VA_ARGS__}; }); \
  }
#define SUBSTITUTE_OTHERWISE(name, epoch)                              \
  SUBSTITUTE(name) {                                                   \
    return otherwise(win, Epoch::epoch, [&] { return BEHIND(name); }); \
  }

#define SUBSTITUTE_ACCESSES(ends)                                                                 \
  SUBSTITUTE_ACCESS(Put##ends, put, SUBSTITUTE_ORIGIN, SUBSTITUTE_TARGET)                         \
  SUBSTITUTE_ACCESS(Get##ends, get, SUBSTITUTE_TARGET, .result = origin_addr,                     \
                    .result_count = origin_count, .result_type = origin_datatype)                 \
  SUBSTITUTE_ACCESS(Accumulate##ends, accumulate, SUBSTITUTE_ORIGIN, SUBSTITUTE_TARGET, .op = op) \
  SUBSTITUTE_ACCESS(Get_accumulate##ends, get_accumulate, SUBSTITUTE_ORIGIN, SUBSTITUTE_TARGET,   \
                    .result = result_addr, .result_count = result_count,                          \
                    .result_type = result_datatype, .op = op)                                     \
  SUBSTITUTE_OTHERWISE(Rput##ends, nothing)                                                       \
  SUBSTITUTE_OTHERWISE(Rget##ends, nothing)                                                       \
  SUBSTITUTE_OTHERWISE(Raccumulate##ends, nothing)                                                \
  SUBSTITUTE_OTHERWISE(Rget_accumulate##ends, nothing)

SUBSTITUTE_ACCESSES()
#ifdef HAS_MPI_Put_c
SUBSTITUTE_ACCESSES(_c)
#endif
SUBSTITUTE_ACCESS(Fetch_and_op, fetch_and_op, .origin = origin_addr, .origin_type = datatype,
                  .target = target_rank, .displacement = target_disp, .result = result_addr,
                  .op = op)
SUBSTITUTE_ACCESS(Compare_and_swap, compare_and_swap, .origin = origin_addr,
                  .origin_type = datatype, .target = target_rank, .displacement = target_disp,
                  .result = result_addr, .compared = compare_addr)

SUBSTITUTE_OTHERWISE(Win_post, nothing)
SUBSTITUTE_OTHERWISE(Win_start, begins)
SUBSTITUTE_OTHERWISE(Win_complete, ends)
SUBSTITUTE_OTHERWISE(Win_lock, begins)
SUBSTITUTE_OTHERWISE(Win_unlock, ends)
SUBSTITUTE_OTHERWISE(Win_lock_all, begins)
SUBSTITUTE_OTHERWISE(Win_unlock_all, ends)
