// The methods of this library: the one list that names them all. Each is in a file of its own.

#include "async/async_registry.hpp"
#include "exchange/core/registry.hpp"

namespace halocline::detail {

MethodFacts p2p_sendrecv();
MethodFacts p2p_nonblocking();
MethodFacts p2p_persistent();
MethodFacts p2p_partitioned();

MethodFacts neighbor_blocking();
MethodFacts neighbor_nonblocking();
MethodFacts neighbor_persistent();

// `operation` is "put", "get" or "accumulate".
MethodFacts rma_fence(const char* operation);
MethodFacts rma_pscw(const char* operation);
MethodFacts rma_lock(const char* operation);
MethodFacts rma_flush(const char* operation);

MethodFacts shm_fence();
MethodFacts shm_pscw();
MethodFacts shm_message();
MethodFacts shm_signal();

MethodFacts shmem();

/// `auto`, the tuner's choice: src/tuner/automatic.cpp.
MethodFacts automatic();

std::vector<MethodFacts> built_in_methods() {
  // clang-format off
  return {
      p2p_sendrecv(),      p2p_nonblocking(),      p2p_persistent(),      p2p_partitioned(),
      neighbor_blocking(), neighbor_nonblocking(), neighbor_persistent(),
      rma_fence("put"),    rma_fence("get"),       rma_fence("accumulate"),
      rma_pscw("put"),     rma_pscw("get"),        rma_pscw("accumulate"),
      rma_lock("put"),     rma_lock("get"),        rma_lock("accumulate"),
      rma_flush("put"),    rma_flush("get"),       rma_flush("accumulate"),
      shm_fence(),         shm_pscw(),             shm_message(),         shm_signal(),
      shmem(),
      automatic(),
  };
  // clang-format on
}

AsyncMethodFacts async_p2p();
AsyncMethodFacts async_rma_put();
AsyncMethodFacts async_rma_get();
AsyncMethodFacts async_shm();
AsyncMethodFacts async_shmem();

std::vector<AsyncMethodFacts> built_in_async_methods() {
  return {async_p2p(), async_rma_put(), async_rma_get(), async_shm(), async_shmem()};
}

}  // namespace halocline::detail
