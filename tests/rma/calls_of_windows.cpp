// The calls of windows, in front of MPI's own. MPI still makes a window each time, for its handle
// and its attributes; nothing ever moves through it. Windows of shared memory are MPI's alone,
// since their owners load and store each other's memory.
//
// Each call does what the standard demands of it, and as little more as can be: MPI_Win_start,
// MPI_Win_lock and a fence that nothing precedes return at once, and MPI_Win_complete returns when
// the origin's memory may be used again.

#include "operations.hpp"
#include "settings.hpp"
#include "watch.hpp"

#include <mpi_calls/calls.hpp>

#include <algorithm>
#include <cstring>

using namespace emulated;

namespace {

Window* find(MPI_Win window) {
  const auto found = windows().find(window);
  return found == windows().end() ? nullptr : found->second.get();
}

[[noreturn]] void illegal(const char* call, const std::string& what) {
  end("illegal", std::string(call) + " " + what);
}

/// By chance memory and window become equal earlier than they must.
void begins(Window& window, const char* call) {
  if (one_in(8)) window.synchronise(call);
  speak();  // it may be what another rank waits for
  move_on();
}

template <class Made>
void add(MPI_Win handle, MPI_Comm comm, MPI_Info info, Window::Kind kind, Made&& made) {
  const auto says = [&](const char* key, const char* value) {
    char said[MPI_MAX_INFO_VAL + 1] = "";
    int known = 0;
    if (info != MPI_INFO_NULL) PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, said, &known);
    return known != 0 && std::string(said) == value;
  };
  kind.ordered = !says("accumulate_ordering", "none");
  kind.locks = !says("no_locks", "true");
  auto window = std::make_unique<Window>(handle, comm, kind);
  made(*window);
  windows().emplace(handle, std::move(window));
  PMPI_Barrier(comm);  // what is exposed is known
}

/// A call of an emulated window; MPI's own for others. A call that the programmer has left out does
/// nothing.
#define EMULATED_OF(function, about)                               \
  Window* const found = find(win);                                 \
  if (found == nullptr) return done(), looked(), NATIVE(function); \
  Window& window = *found;                                         \
  static constexpr const char* name = "MPI_" #function;            \
  if (forgotten(name, about)) return MPI_SUCCESS;                  \
  begins(window, name)
#define EMULATED(function) EMULATED_OF(function, window.about())
/// Locks of a rank's own part order its loads and stores, those of others its operations.
#define EMULATED_LOCK(function) EMULATED_OF(function, rank == window.rank() ? "own" : "target")

void must_accept_locks(const Window& window, const char* name) {
  if (!window.kind().locks) illegal(name, "of a window whose info said no_locks");
  if (window.epochs.accessing || window.epochs.exposed)
    illegal(name, "in an epoch of post and start");
}

void must_be_locked(const Window& window, int target, const char* name) {
  if (!window.epochs.passive(target)) illegal(name, "of a target that is not locked");
}

/// The nearest of the epochs that this target is in.
Call access(const char* name, Action action, Window& window, int target, MPI_Op op) {
  if (op == MPI_NO_OP) looked();
  const Epochs& in = window.epochs;
  Call call{name, action, &window, target, Gate::open, 0, op};
  if (in.passive(target)) return call;
  if (in.accessing) {
    if (std::ranges::find(in.started_to, target) == in.started_to.end())
      illegal(name, "to a rank that is not in the group of MPI_Win_start");
    call.gate = Gate::post;
    call.epoch = in.starts.at(target);
    return call;
  }
  if (!in.fenced) illegal(name, "outside of any epoch");
  call.gate = Gate::fence;
  call.epoch = in.fences;
  return call;
}

/// The same, of an operation that only changes what is equal to this.
Call compared(Call call, const void* with) {
  looked();
  call.compare = with;
  return call;
}

/// A request of MPI's own, which says that an operation is complete here.
int request_of(Use& use, MPI_Request* request) {
  const int result = PMPI_Grequest_start(
      [](void*, MPI_Status* status) {
        PMPI_Status_set_cancelled(status, 0);
        return PMPI_Status_set_elements(status, MPI_BYTE, 0);
      },
      [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; }, nullptr, request);
  use.request = *request;
  requested().insert(*request);
  return result;
}

int of_nothing(MPI_Request* request) {
  static Use nothing{};
  const int result = request_of(nothing, request);
  complete_here(*request);
  return result;
}

/// MPI takes memory to read as const and its own as not.
Buffer buffer(const void* address, int count, MPI_Datatype type) {
  return {const_cast<void*>(address), count, type};
}

}  // namespace

// ---- windows ---------------------------------------------------------------------------------

int WRAPPED(Win_create) {
  settle();
  const int result = NATIVE(Win_create);
  const auto bytes = static_cast<std::size_t>(size);
  if (result == MPI_SUCCESS)
    add(*win, comm, info, {.capacity = bytes, .unit = disp_unit},
        [&](Window& made) { made.attach(base, bytes); });
  return result;
}

int WRAPPED(Win_allocate) {
  settle();
  const int result = NATIVE(Win_allocate);
  const auto bytes = static_cast<std::size_t>(size);
  if (result == MPI_SUCCESS)
    add(*win, comm, info, {.capacity = bytes, .unit = disp_unit}, [&](Window& made) {
      void* const memory = *static_cast<void**>(baseptr);
      std::memset(memory, 0xEE, bytes);  // nobody has promised that it is zero
      made.attach(memory, bytes);
    });
  return result;
}

int WRAPPED(Win_create_dynamic) {
  settle();
  const int result = NATIVE(Win_create_dynamic);
  constexpr std::size_t room = 64 << 20;  // of which what is attached is used
  if (result == MPI_SUCCESS)
    add(*win, comm, info, {.capacity = room, .dynamic = true}, [](Window&) {});
  return result;
}

int WRAPPED(Win_attach) {
  EMULATED(Win_attach);
  window.attach(base, static_cast<std::size_t>(size));
  return NATIVE(Win_attach);
}

int WRAPPED(Win_detach) {
  EMULATED(Win_detach);
  window.detach(base);
  return NATIVE(Win_detach);
}

int WRAPPED(Win_free) {
  settle();
  if (Window* const window = find(*win)) {
    const Epochs& in = window->epochs;
    if (in.any_lock() || in.exposed || in.accessing || any(*window))
      illegal("MPI_Win_free", "in the middle of an epoch");
    window->mine().freed = true;
    done();
    for (int rank = 0; rank < window->ranks(); ++rank)
      while (!window->face(rank).freed) wait_a_little();
  }
  const MPI_Win freed = *win;
  const int result = NATIVE(Win_free);
  if (result == MPI_SUCCESS) windows().erase(freed);
  return result;
}

int WRAPPED(Win_get_attr) {
  const int result = NATIVE(Win_get_attr);
  if (win_keyval != MPI_WIN_MODEL || find(win) == nullptr) return result;
  static int model = separate() ? MPI_WIN_SEPARATE : MPI_WIN_UNIFIED;
  *static_cast<int**>(attribute_val) = &model;
  *flag = 1;
  return MPI_SUCCESS;
}

// ---- active target ---------------------------------------------------------------------------

int WRAPPED(Win_fence) {
  EMULATED(Win_fence);
  const int assertions = assert;
  Epochs& in = window.epochs;
  if (in.any_lock() || in.accessing || in.exposed) illegal(name, "in an epoch of another kind");
  if ((assertions & MPI_MODE_NOSTORE) != 0 && window.stored())
    illegal(name, "asserts MPI_MODE_NOSTORE, but this rank has stored to its window");
  if ((assertions & MPI_MODE_NOPRECEDE) != 0 && any(window))
    illegal(name, "asserts MPI_MODE_NOPRECEDE, but this rank has begun operations");
  complete(window);
  window.publish(name);
  speak();
  const std::uint64_t fence = ++in.fences;
  window.mine().fence_assertions[fence % 8] = assertions;
  window.mine().fence_times[fence % 8] = window.time();
  window.mine().fences = fence;
  done();
  if ((assertions & MPI_MODE_NOPRECEDE) == 0)
    for (int rank = 0; rank < window.ranks(); ++rank) {
      while (window.face(rank).fences < fence) wait_a_little();
      constexpr int same = MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
      if (window.face(rank).fences == fence &&
          ((window.face(rank).fence_assertions[fence % 8] ^ assertions) & same) != 0)
        illegal(name, "asserts MPI_MODE_NOPRECEDE or MPI_MODE_NOSUCCEED, but not on all ranks");
      window.listen(rank, window.face(rank).fence_times[fence % 8]);
    }
  window.adopt(name);
  in.fenced = (assertions & MPI_MODE_NOSUCCEED) == 0;
  return MPI_SUCCESS;
}

int WRAPPED(Win_post) {
  EMULATED(Win_post);
  const int assertions = assert;
  Epochs& in = window.epochs;
  if (in.exposed) illegal(name, "of a window that is posted already");
  if (in.any_lock()) illegal(name, "of a window that is locked");
  if ((assertions & MPI_MODE_NOSTORE) != 0 && window.stored())
    illegal(name, "asserts MPI_MODE_NOSTORE, but this rank has stored to its window");
  window.publish(name);
  speak();
  in.exposed = true;
  in.posted_to = window.ranks_of(group);
  for (const int origin : in.posted_to) {
    ++in.posts[origin];
    window.mine().post_times[origin] = window.time();
    window.mine().post_assertions[origin] = assertions;
    ++window.mine().posts[origin];
  }
  done();
  return MPI_SUCCESS;
}

int WRAPPED(Win_start) {
  EMULATED(Win_start);
  Epochs& in = window.epochs;
  if (in.accessing) illegal(name, "in an epoch that has been started already");
  if (in.any_lock()) illegal(name, "of a window that is locked");
  in.accessing = true;
  in.started_to = window.ranks_of(group);
  for (const int target : in.started_to) ++in.starts[target];
  return MPI_SUCCESS;
}

int WRAPPED(Win_complete) {
  EMULATED(Win_complete);
  Epochs& in = window.epochs;
  if (!in.accessing) illegal(name, "without MPI_Win_start");
  complete_here(window);
  for (const int target : in.started_to) close(window, target, in.starts[target]);
  in.accessing = false;
  return MPI_SUCCESS;
}

namespace {
bool all_closed(Window& window) {
  return std::ranges::all_of(window.epochs.posted_to, [&](int origin) {
    return window.mine().closed[origin] >= window.epochs.posts[origin];
  });
}
}  // namespace

int WRAPPED(Win_test) {
  *flag = 1;  // also where it is forgotten
  EMULATED(Win_test);
  if (!window.epochs.exposed) illegal(name, "without MPI_Win_post");
  looked();
  *flag = all_closed(window) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  listen();
  window.adopt(name);
  window.epochs.exposed = false;
  return MPI_SUCCESS;
}

int WRAPPED(Win_wait) {
  EMULATED(Win_wait);
  if (!window.epochs.exposed) illegal(name, "without MPI_Win_post");
  while (!all_closed(window)) wait_a_little();
  listen();
  window.adopt(name);
  window.epochs.exposed = false;
  return MPI_SUCCESS;
}

// ---- passive target --------------------------------------------------------------------------

int WRAPPED(Win_lock) {
  EMULATED_LOCK(Win_lock);
  must_accept_locks(window, name);
  if (window.epochs.passive(rank)) illegal(name, "of a target that is locked already");
  const bool exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
  window.acquire(rank, exclusive);
  window.epochs.locked.insert(rank);
  if (exclusive) window.epochs.exclusive.insert(rank);
  if (rank == window.rank()) window.adopt(name);
  return MPI_SUCCESS;
}

int WRAPPED(Win_unlock) {
  EMULATED_LOCK(Win_unlock);
  if (window.epochs.locked.erase(rank) == 0) illegal(name, "of a target that is not locked");
  complete(window, rank);
  if (rank == window.rank()) window.publish(name);
  speak();
  window.release(rank, window.epochs.exclusive.erase(rank) != 0);
  return MPI_SUCCESS;
}

int WRAPPED(Win_lock_all) {
  EMULATED(Win_lock_all);
  must_accept_locks(window, name);
  if (window.epochs.any_lock()) illegal(name, "of a window that is locked already");
  for (int rank = 0; rank < window.ranks(); ++rank) window.acquire(rank, false);
  window.epochs.all_locked = true;
  window.adopt(name);
  return MPI_SUCCESS;
}

int WRAPPED(Win_unlock_all) {
  EMULATED(Win_unlock_all);
  if (!window.epochs.all_locked) illegal(name, "without MPI_Win_lock_all");
  complete(window);
  window.publish(name);
  speak();
  for (int rank = 0; rank < window.ranks(); ++rank) window.release(rank, false);
  window.epochs.all_locked = false;
  return MPI_SUCCESS;
}

int WRAPPED(Win_flush) {
  EMULATED(Win_flush);
  must_be_locked(window, rank, name);
  complete(window, rank);
  return MPI_SUCCESS;
}

int WRAPPED(Win_flush_all) {
  EMULATED(Win_flush_all);
  if (!window.epochs.any_lock()) illegal(name, "of a window that is not locked");
  complete(window);
  return MPI_SUCCESS;
}

int WRAPPED(Win_flush_local) {
  EMULATED(Win_flush_local);
  must_be_locked(window, rank, name);
  complete_here(window, rank);
  return MPI_SUCCESS;
}

int WRAPPED(Win_flush_local_all) {
  EMULATED(Win_flush_local_all);
  if (!window.epochs.any_lock()) illegal(name, "of a window that is not locked");
  complete_here(window);
  return MPI_SUCCESS;
}

int WRAPPED(Win_sync) {
  EMULATED(Win_sync);
  if (!window.epochs.any_lock()) illegal(name, "of a window that is not locked");
  looked();
  window.synchronise(name);
  speak();
  return MPI_SUCCESS;
}

// ---- operations ------------------------------------------------------------------------------

#define ACCESS(action, op) access(name, Action::action, window, target_rank, op)
#define ORIGIN buffer(origin_addr, origin_count, origin_datatype)
#define TARGET target_disp, target_count, target_datatype

/// An operation, and how it begins.
#define OPERATION(function, ...)                          \
  int WRAPPED(function) {                                 \
    EMULATED(function);                                   \
    if (target_rank == MPI_PROC_NULL) return MPI_SUCCESS; \
    begin(__VA_ARGS__);                                   \
    return MPI_SUCCESS;                                   \
  }
/// The same without a request, and with one.
#define OPERATIONS(function, with_request, ...)                   \
  OPERATION(function, __VA_ARGS__)                                \
  int WRAPPED(with_request) {                                     \
    EMULATED(with_request);                                       \
    if (target_rank == MPI_PROC_NULL) return of_nothing(request); \
    must_be_locked(window, target_rank, name);                    \
    return request_of(begin(__VA_ARGS__), request);               \
  }

OPERATIONS(Put, Rput, ACCESS(put, MPI_OP_NULL), ORIGIN, {}, TARGET)
OPERATIONS(Get, Rget, ACCESS(get, MPI_OP_NULL), ORIGIN, {}, TARGET)
OPERATIONS(Accumulate, Raccumulate, ACCESS(accumulate, op), ORIGIN, {}, TARGET)
OPERATIONS(Get_accumulate, Rget_accumulate, ACCESS(accumulate, op), ORIGIN,
           buffer(result_addr, result_count, result_datatype), TARGET)
OPERATION(Fetch_and_op, ACCESS(accumulate, op), buffer(origin_addr, 1, datatype),
          buffer(result_addr, 1, datatype), target_disp, 1, datatype)
OPERATION(Compare_and_swap, compared(ACCESS(accumulate, MPI_REPLACE), compare_addr),
          buffer(origin_addr, 1, datatype), buffer(result_addr, 1, datatype), target_disp, 1,
          datatype)
