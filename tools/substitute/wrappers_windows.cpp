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

/// A call that no fence completes, or another synchronisation.
template <class Native>
int otherwise(MPI_Win window, Native&& native, bool begins = false, bool ends = false) {
  if (!Inside::is_outside()) return native();
  const Inside inside;
  FencedWindow* const here = FencedWindow::of(window);
  if (here != nullptr && !ends) here->synchronised_otherwise(begins, false);
  const int result = native();
  if (here != nullptr && ends) here->synchronised_otherwise(false, true);
  return result;
}

}  // namespace

SUBSTITUTE_EXPORT int MPI_Win_fence(int assertion, MPI_Win window) {
  const auto native = [&] { return PMPI(Win_fence)(assertion, window); };
  if (!Inside::is_outside()) return native();
  const Inside inside;
  FencedWindow* const here = FencedWindow::of(window);
  return here == nullptr ? native() : here->fence(assertion);
}

SUBSTITUTE_EXPORT int MPI_Win_free(MPI_Win* window) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside) FencedWindow::forget(*window);
  return PMPI(Win_free)(window);
}

SUBSTITUTE_EXPORT int MPI_Type_free(MPI_Datatype* type) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside) FencedWindow::forget_type(*type);
  if (outside && substitute::Requests::keeps(*type)) {
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
  }
  return PMPI(Type_free)(type);
}

#define SUBSTITUTE_ACCESSES(suffix, Count)                                                         \
  SUBSTITUTE_EXPORT int MPI_Put##suffix(const void* origin, Count count, MPI_Datatype type,        \
                                        int target, MPI_Aint displacement, Count target_count,     \
                                        MPI_Datatype target_type, MPI_Win window) {                \
    return access(                                                                                 \
        window,                                                                                    \
        [&] {                                                                                      \
          return PMPI(Put##suffix)(origin, count, type, target, displacement, target_count,        \
                                   target_type, window);                                           \
        },                                                                                         \
        [&] {                                                                                      \
          return Operation{.call = Operation::Call::put,                                           \
                           .origin = origin,                                                       \
                           .origin_count = count,                                                  \
                           .origin_type = type,                                                    \
                           .target = target,                                                       \
                           .displacement = displacement,                                           \
                           .target_count = target_count,                                           \
                           .target_type = target_type};                                            \
        });                                                                                        \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_Get##suffix(void* result, Count count, MPI_Datatype type, int target,  \
                                        MPI_Aint displacement, Count target_count,                 \
                                        MPI_Datatype target_type, MPI_Win window) {                \
    return access(                                                                                 \
        window,                                                                                    \
        [&] {                                                                                      \
          return PMPI(Get##suffix)(result, count, type, target, displacement, target_count,        \
                                   target_type, window);                                           \
        },                                                                                         \
        [&] {                                                                                      \
          return Operation{.call = Operation::Call::get,                                           \
                           .target = target,                                                       \
                           .displacement = displacement,                                           \
                           .target_count = target_count,                                           \
                           .target_type = target_type,                                             \
                           .result = result,                                                       \
                           .result_count = count,                                                  \
                           .result_type = type};                                                   \
        });                                                                                        \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_Accumulate##suffix(                                                    \
      const void* origin, Count count, MPI_Datatype type, int target, MPI_Aint displacement,       \
      Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win window) {                   \
    return access(                                                                                 \
        window,                                                                                    \
        [&] {                                                                                      \
          return PMPI(Accumulate##suffix)(origin, count, type, target, displacement, target_count, \
                                          target_type, op, window);                                \
        },                                                                                         \
        [&] {                                                                                      \
          return Operation{.call = Operation::Call::accumulate,                                    \
                           .origin = origin,                                                       \
                           .origin_count = count,                                                  \
                           .origin_type = type,                                                    \
                           .target = target,                                                       \
                           .displacement = displacement,                                           \
                           .target_count = target_count,                                           \
                           .target_type = target_type,                                             \
                           .op = op};                                                              \
        });                                                                                        \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_Get_accumulate##suffix(                                                \
      const void* origin, Count count, MPI_Datatype type, void* result, Count result_count,        \
      MPI_Datatype result_type, int target, MPI_Aint displacement, Count target_count,             \
      MPI_Datatype target_type, MPI_Op op, MPI_Win window) {                                       \
    return access(                                                                                 \
        window,                                                                                    \
        [&] {                                                                                      \
          return PMPI(Get_accumulate##suffix)(origin, count, type, result, result_count,           \
                                              result_type, target, displacement, target_count,     \
                                              target_type, op, window);                            \
        },                                                                                         \
        [&] {                                                                                      \
          return Operation{.call = Operation::Call::get_accumulate,                                \
                           .origin = origin,                                                       \
                           .origin_count = count,                                                  \
                           .origin_type = type,                                                    \
                           .target = target,                                                       \
                           .displacement = displacement,                                           \
                           .target_count = target_count,                                           \
                           .target_type = target_type,                                             \
                           .result = result,                                                       \
                           .result_count = result_count,                                           \
                           .result_type = result_type,                                             \
                           .op = op};                                                              \
        });                                                                                        \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_Rput##suffix(                                                          \
      const void* origin, Count count, MPI_Datatype type, int target, MPI_Aint displacement,       \
      Count target_count, MPI_Datatype target_type, MPI_Win window, MPI_Request* request) {        \
    return otherwise(window, [&] {                                                                 \
      return PMPI(Rput##suffix)(origin, count, type, target, displacement, target_count,           \
                                target_type, window, request);                                     \
    });                                                                                            \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_Rget##suffix(                                                          \
      void* origin, Count count, MPI_Datatype type, int target, MPI_Aint displacement,             \
      Count target_count, MPI_Datatype target_type, MPI_Win window, MPI_Request* request) {        \
    return otherwise(window, [&] {                                                                 \
      return PMPI(Rget##suffix)(origin, count, type, target, displacement, target_count,           \
                                target_type, window, request);                                     \
    });                                                                                            \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_Raccumulate##suffix(                                                   \
      const void* origin, Count count, MPI_Datatype type, int target, MPI_Aint displacement,       \
      Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win window,                     \
      MPI_Request* request) {                                                                      \
    return otherwise(window, [&] {                                                                 \
      return PMPI(Raccumulate##suffix)(origin, count, type, target, displacement, target_count,    \
                                       target_type, op, window, request);                          \
    });                                                                                            \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_Rget_accumulate##suffix(                                               \
      const void* origin, Count count, MPI_Datatype type, void* result, Count result_count,        \
      MPI_Datatype result_type, int target, MPI_Aint displacement, Count target_count,             \
      MPI_Datatype target_type, MPI_Op op, MPI_Win window, MPI_Request* request) {                 \
    return otherwise(window, [&] {                                                                 \
      return PMPI(Rget_accumulate##suffix)(origin, count, type, result, result_count, result_type, \
                                           target, displacement, target_count, target_type, op,    \
                                           window, request);                                       \
    });                                                                                            \
  }

SUBSTITUTE_ACCESSES(, int)
#if MPI_VERSION >= 4
SUBSTITUTE_ACCESSES(_c, MPI_Count)
#endif

SUBSTITUTE_EXPORT int MPI_Fetch_and_op(const void* origin, void* result, MPI_Datatype type,
                                       int target, MPI_Aint displacement, MPI_Op op,
                                       MPI_Win window) {
  return access(
      window,
      [&] { return PMPI(Fetch_and_op)(origin, result, type, target, displacement, op, window); },
      [&] {
        return Operation{.call = Operation::Call::fetch_and_op,
                         .origin = origin,
                         .origin_type = type,
                         .target = target,
                         .displacement = displacement,
                         .result = result,
                         .op = op};
      });
}

SUBSTITUTE_EXPORT int MPI_Compare_and_swap(const void* origin, const void* compared, void* result,
                                           MPI_Datatype type, int target, MPI_Aint displacement,
                                           MPI_Win window) {
  return access(
      window,
      [&] {
        return PMPI(Compare_and_swap)(origin, compared, result, type, target, displacement, window);
      },
      [&] {
        return Operation{.call = Operation::Call::compare_and_swap,
                         .origin = origin,
                         .origin_type = type,
                         .target = target,
                         .displacement = displacement,
                         .result = result,
                         .compared = compared};
      });
}

SUBSTITUTE_EXPORT int MPI_Win_lock(int kind, int rank, int assertion, MPI_Win window) {
  return otherwise(
      window, [&] { return PMPI(Win_lock)(kind, rank, assertion, window); }, true);
}

SUBSTITUTE_EXPORT int MPI_Win_unlock(int rank, MPI_Win window) {
  return otherwise(
      window, [&] { return PMPI(Win_unlock)(rank, window); }, false, true);
}

SUBSTITUTE_EXPORT int MPI_Win_lock_all(int assertion, MPI_Win window) {
  return otherwise(
      window, [&] { return PMPI(Win_lock_all)(assertion, window); }, true);
}

SUBSTITUTE_EXPORT int MPI_Win_unlock_all(MPI_Win window) {
  return otherwise(
      window, [&] { return PMPI(Win_unlock_all)(window); }, false, true);
}

SUBSTITUTE_EXPORT int MPI_Win_start(MPI_Group group, int assertion, MPI_Win window) {
  return otherwise(
      window, [&] { return PMPI(Win_start)(group, assertion, window); }, true);
}

SUBSTITUTE_EXPORT int MPI_Win_complete(MPI_Win window) {
  return otherwise(
      window, [&] { return PMPI(Win_complete)(window); }, false, true);
}

SUBSTITUTE_EXPORT int MPI_Win_post(MPI_Group group, int assertion, MPI_Win window) {
  return otherwise(window, [&] { return PMPI(Win_post)(group, assertion, window); });
}
