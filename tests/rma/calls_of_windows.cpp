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

/// A call of an emulated window; of others what `otherwise` does. A call that the programmer has
/// left out does nothing.
#define EMULATED_OF(call, handle, about, otherwise)           \
  Window* const found = find(handle);                         \
  if (found == nullptr) return done(), looked(), (otherwise); \
  Window& window = *found;                                    \
  static constexpr const char* name = call;                   \
  if (forgotten(name, about)) return MPI_SUCCESS;             \
  begins(window, name)
#define EMULATED(call, handle, otherwise) EMULATED_OF(call, handle, window.about(), otherwise)
/// Locks of a rank's own part order its loads and stores, those of others its operations.
#define EMULATED_LOCK(call, handle, otherwise) \
  EMULATED_OF(call, handle, target == window.rank() ? "own" : "target", otherwise)

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
void* unconst(const void* address) {
  return const_cast<void*>(address);
}

}  // namespace

// ---- windows ---------------------------------------------------------------------------------

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* window) {
  settle();
  const int result = PMPI_Win_create(base, size, unit, info, comm, window);
  const auto bytes = static_cast<std::size_t>(size);
  if (result == MPI_SUCCESS)
    add(*window, comm, info, {.capacity = bytes, .unit = unit},
        [&](Window& made) { made.attach(base, bytes); });
  return result;
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                     MPI_Win* window) {
  settle();
  const int result = PMPI_Win_allocate(size, unit, info, comm, base, window);
  const auto bytes = static_cast<std::size_t>(size);
  if (result == MPI_SUCCESS)
    add(*window, comm, info, {.capacity = bytes, .unit = unit}, [&](Window& made) {
      void* const memory = *static_cast<void**>(base);
      std::memset(memory, 0xEE, bytes);  // nobody has promised that it is zero
      made.attach(memory, bytes);
    });
  return result;
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* window) {
  settle();
  const int result = PMPI_Win_create_dynamic(info, comm, window);
  constexpr std::size_t room = 64 << 20;  // of which what is attached is used
  if (result == MPI_SUCCESS)
    add(*window, comm, info, {.capacity = room, .dynamic = true}, [](Window&) {});
  return result;
}

int MPI_Win_attach(MPI_Win handle, void* base, MPI_Aint size) {
  EMULATED("MPI_Win_attach", handle, PMPI_Win_attach(handle, base, size));
  window.attach(base, static_cast<std::size_t>(size));
  return PMPI_Win_attach(handle, base, size);
}

int MPI_Win_detach(MPI_Win handle, const void* base) {
  EMULATED("MPI_Win_detach", handle, PMPI_Win_detach(handle, base));
  window.detach(base);
  return PMPI_Win_detach(handle, base);
}

int MPI_Win_free(MPI_Win* handle) {
  settle();
  if (Window* const window = find(*handle)) {
    const Epochs& in = window->epochs;
    if (in.any_lock() || in.exposed || in.accessing || any(*window))
      illegal("MPI_Win_free", "in the middle of an epoch");
    window->mine().freed = true;
    done();
    for (int rank = 0; rank < window->ranks(); ++rank)
      while (!window->face(rank).freed) wait_a_little();
  }
  const MPI_Win freed = *handle;
  const int result = PMPI_Win_free(handle);
  if (result == MPI_SUCCESS) windows().erase(freed);
  return result;
}

int MPI_Win_get_attr(MPI_Win handle, int key, void* value, int* found) {
  const int result = PMPI_Win_get_attr(handle, key, value, found);
  if (key != MPI_WIN_MODEL || find(handle) == nullptr) return result;
  static int model = separate() ? MPI_WIN_SEPARATE : MPI_WIN_UNIFIED;
  *static_cast<int**>(value) = &model;
  *found = 1;
  return MPI_SUCCESS;
}

// ---- active target ---------------------------------------------------------------------------

int MPI_Win_fence(int assertions, MPI_Win handle) {
  EMULATED("MPI_Win_fence", handle, PMPI_Win_fence(assertions, handle));
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

int MPI_Win_post(MPI_Group group, int assertions, MPI_Win handle) {
  EMULATED("MPI_Win_post", handle, PMPI_Win_post(group, assertions, handle));
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

int MPI_Win_start(MPI_Group group, int assertions, MPI_Win handle) {
  EMULATED("MPI_Win_start", handle, PMPI_Win_start(group, assertions, handle));
  Epochs& in = window.epochs;
  if (in.accessing) illegal(name, "in an epoch that has been started already");
  if (in.any_lock()) illegal(name, "of a window that is locked");
  in.accessing = true;
  in.started_to = window.ranks_of(group);
  for (const int target : in.started_to) ++in.starts[target];
  return MPI_SUCCESS;
}

int MPI_Win_complete(MPI_Win handle) {
  EMULATED("MPI_Win_complete", handle, PMPI_Win_complete(handle));
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

int MPI_Win_test(MPI_Win handle, int* flag) {
  *flag = 1;  // also where it is forgotten
  EMULATED("MPI_Win_test", handle, PMPI_Win_test(handle, flag));
  if (!window.epochs.exposed) illegal(name, "without MPI_Win_post");
  looked();
  *flag = all_closed(window) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  listen();
  window.adopt(name);
  window.epochs.exposed = false;
  return MPI_SUCCESS;
}

int MPI_Win_wait(MPI_Win handle) {
  EMULATED("MPI_Win_wait", handle, PMPI_Win_wait(handle));
  if (!window.epochs.exposed) illegal(name, "without MPI_Win_post");
  while (!all_closed(window)) wait_a_little();
  listen();
  window.adopt(name);
  window.epochs.exposed = false;
  return MPI_SUCCESS;
}

// ---- passive target --------------------------------------------------------------------------

int MPI_Win_lock(int type, int target, int assertions, MPI_Win handle) {
  EMULATED_LOCK("MPI_Win_lock", handle, PMPI_Win_lock(type, target, assertions, handle));
  must_accept_locks(window, name);
  if (window.epochs.passive(target)) illegal(name, "of a target that is locked already");
  const bool exclusive = type == MPI_LOCK_EXCLUSIVE;
  window.acquire(target, exclusive);
  window.epochs.locked.insert(target);
  if (exclusive) window.epochs.exclusive.insert(target);
  if (target == window.rank()) window.adopt(name);
  return MPI_SUCCESS;
}

int MPI_Win_unlock(int target, MPI_Win handle) {
  EMULATED_LOCK("MPI_Win_unlock", handle, PMPI_Win_unlock(target, handle));
  if (window.epochs.locked.erase(target) == 0) illegal(name, "of a target that is not locked");
  complete(window, target);
  if (target == window.rank()) window.publish(name);
  speak();
  window.release(target, window.epochs.exclusive.erase(target) != 0);
  return MPI_SUCCESS;
}

int MPI_Win_lock_all(int assertions, MPI_Win handle) {
  EMULATED("MPI_Win_lock_all", handle, PMPI_Win_lock_all(assertions, handle));
  must_accept_locks(window, name);
  if (window.epochs.any_lock()) illegal(name, "of a window that is locked already");
  for (int rank = 0; rank < window.ranks(); ++rank) window.acquire(rank, false);
  window.epochs.all_locked = true;
  window.adopt(name);
  return MPI_SUCCESS;
}

int MPI_Win_unlock_all(MPI_Win handle) {
  EMULATED("MPI_Win_unlock_all", handle, PMPI_Win_unlock_all(handle));
  if (!window.epochs.all_locked) illegal(name, "without MPI_Win_lock_all");
  complete(window);
  window.publish(name);
  speak();
  for (int rank = 0; rank < window.ranks(); ++rank) window.release(rank, false);
  window.epochs.all_locked = false;
  return MPI_SUCCESS;
}

int MPI_Win_flush(int target, MPI_Win handle) {
  EMULATED("MPI_Win_flush", handle, PMPI_Win_flush(target, handle));
  must_be_locked(window, target, name);
  complete(window, target);
  return MPI_SUCCESS;
}

int MPI_Win_flush_all(MPI_Win handle) {
  EMULATED("MPI_Win_flush_all", handle, PMPI_Win_flush_all(handle));
  if (!window.epochs.any_lock()) illegal(name, "of a window that is not locked");
  complete(window);
  return MPI_SUCCESS;
}

int MPI_Win_flush_local(int target, MPI_Win handle) {
  EMULATED("MPI_Win_flush_local", handle, PMPI_Win_flush_local(target, handle));
  must_be_locked(window, target, name);
  complete_here(window, target);
  return MPI_SUCCESS;
}

int MPI_Win_flush_local_all(MPI_Win handle) {
  EMULATED("MPI_Win_flush_local_all", handle, PMPI_Win_flush_local_all(handle));
  if (!window.epochs.any_lock()) illegal(name, "of a window that is not locked");
  complete_here(window);
  return MPI_SUCCESS;
}

int MPI_Win_sync(MPI_Win handle) {
  EMULATED("MPI_Win_sync", handle, PMPI_Win_sync(handle));
  if (!window.epochs.any_lock()) illegal(name, "of a window that is not locked");
  looked();
  window.synchronise(name);
  speak();
  return MPI_SUCCESS;
}

// ---- operations ------------------------------------------------------------------------------

int MPI_Put(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint displacement,
            int target_count, MPI_Datatype target_type, MPI_Win handle) {
  EMULATED("MPI_Put", handle,
           PMPI_Put(origin, count, type, target, displacement, target_count, target_type, handle));
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  begin(access(name, Action::put, window, target, MPI_OP_NULL), {unconst(origin), count, type},
        nullptr, displacement, target_count, target_type);
  return MPI_SUCCESS;
}

int MPI_Get(void* origin, int count, MPI_Datatype type, int target, MPI_Aint displacement,
            int target_count, MPI_Datatype target_type, MPI_Win handle) {
  EMULATED("MPI_Get", handle,
           PMPI_Get(origin, count, type, target, displacement, target_count, target_type, handle));
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  begin(access(name, Action::get, window, target, MPI_OP_NULL), {origin, count, type}, nullptr,
        displacement, target_count, target_type);
  return MPI_SUCCESS;
}

int MPI_Accumulate(const void* origin, int count, MPI_Datatype type, int target,
                   MPI_Aint displacement, int target_count, MPI_Datatype target_type, MPI_Op op,
                   MPI_Win handle) {
  EMULATED("MPI_Accumulate", handle,
           PMPI_Accumulate(origin, count, type, target, displacement, target_count, target_type, op,
                           handle));
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  begin(access(name, Action::accumulate, window, target, op), {unconst(origin), count, type},
        nullptr, displacement, target_count, target_type);
  return MPI_SUCCESS;
}

int MPI_Get_accumulate(const void* origin, int count, MPI_Datatype type, void* result,
                       int result_count, MPI_Datatype result_type, int target,
                       MPI_Aint displacement, int target_count, MPI_Datatype target_type, MPI_Op op,
                       MPI_Win handle) {
  EMULATED("MPI_Get_accumulate", handle,
           PMPI_Get_accumulate(origin, count, type, result, result_count, result_type, target,
                               displacement, target_count, target_type, op, handle));
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  if (op == MPI_NO_OP) looked();
  const Buffer before{result, result_count, result_type};
  begin(access(name, Action::accumulate, window, target, op), {unconst(origin), count, type},
        &before, displacement, target_count, target_type);
  return MPI_SUCCESS;
}

int MPI_Fetch_and_op(const void* origin, void* result, MPI_Datatype type, int target,
                     MPI_Aint displacement, MPI_Op op, MPI_Win handle) {
  EMULATED("MPI_Fetch_and_op", handle,
           PMPI_Fetch_and_op(origin, result, type, target, displacement, op, handle));
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  if (op == MPI_NO_OP) looked();
  const Buffer before{result, 1, type};
  begin(access(name, Action::accumulate, window, target, op), {unconst(origin), 1, type}, &before,
        displacement, 1, type);
  return MPI_SUCCESS;
}

int MPI_Compare_and_swap(const void* origin, const void* compare, void* result, MPI_Datatype type,
                         int target, MPI_Aint displacement, MPI_Win handle) {
  EMULATED("MPI_Compare_and_swap", handle,
           PMPI_Compare_and_swap(origin, compare, result, type, target, displacement, handle));
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  looked();
  Call call = access(name, Action::accumulate, window, target, MPI_REPLACE);
  call.compare = compare;
  const Buffer before{result, 1, type};
  begin(call, {unconst(origin), 1, type}, &before, displacement, 1, type);
  return MPI_SUCCESS;
}

// ---- with requests ---------------------------------------------------------------------------

int MPI_Rput(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint displacement,
             int target_count, MPI_Datatype target_type, MPI_Win handle, MPI_Request* request) {
  EMULATED("MPI_Rput", handle,
           PMPI_Rput(origin, count, type, target, displacement, target_count, target_type, handle,
                     request));
  if (target == MPI_PROC_NULL) return of_nothing(request);
  must_be_locked(window, target, name);
  return request_of(
      begin(access(name, Action::put, window, target, MPI_OP_NULL), {unconst(origin), count, type},
            nullptr, displacement, target_count, target_type),
      request);
}

int MPI_Rget(void* origin, int count, MPI_Datatype type, int target, MPI_Aint displacement,
             int target_count, MPI_Datatype target_type, MPI_Win handle, MPI_Request* request) {
  EMULATED("MPI_Rget", handle,
           PMPI_Rget(origin, count, type, target, displacement, target_count, target_type, handle,
                     request));
  if (target == MPI_PROC_NULL) return of_nothing(request);
  must_be_locked(window, target, name);
  return request_of(begin(access(name, Action::get, window, target, MPI_OP_NULL),
                          {origin, count, type}, nullptr, displacement, target_count, target_type),
                    request);
}

int MPI_Raccumulate(const void* origin, int count, MPI_Datatype type, int target,
                    MPI_Aint displacement, int target_count, MPI_Datatype target_type, MPI_Op op,
                    MPI_Win handle, MPI_Request* request) {
  EMULATED("MPI_Raccumulate", handle,
           PMPI_Raccumulate(origin, count, type, target, displacement, target_count, target_type,
                            op, handle, request));
  if (target == MPI_PROC_NULL) return of_nothing(request);
  must_be_locked(window, target, name);
  return request_of(
      begin(access(name, Action::accumulate, window, target, op), {unconst(origin), count, type},
            nullptr, displacement, target_count, target_type),
      request);
}

int MPI_Rget_accumulate(const void* origin, int count, MPI_Datatype type, void* result,
                        int result_count, MPI_Datatype result_type, int target,
                        MPI_Aint displacement, int target_count, MPI_Datatype target_type,
                        MPI_Op op, MPI_Win handle, MPI_Request* request) {
  EMULATED("MPI_Rget_accumulate", handle,
           PMPI_Rget_accumulate(origin, count, type, result, result_count, result_type, target,
                                displacement, target_count, target_type, op, handle, request));
  if (target == MPI_PROC_NULL) return of_nothing(request);
  must_be_locked(window, target, name);
  const Buffer before{result, result_count, result_type};
  return request_of(
      begin(access(name, Action::accumulate, window, target, op), {unconst(origin), count, type},
            &before, displacement, target_count, target_type),
      request);
}
