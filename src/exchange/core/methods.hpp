#pragma once
// Every method, by its scheme's name. The registry lists them.

#include "registry.hpp"

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

MethodFacts gaspi();

/// `auto`, the tuner's choice: src/tuner/automatic.cpp.
MethodFacts automatic();

}  // namespace halocline::detail
