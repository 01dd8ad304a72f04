#pragma once
// Every asynchronous method, by the name of its scheme.

#include "method.hpp"

namespace halocline::detail {

struct AsyncMethodFacts {
  const char* scheme;                ///< "p2p:nonblocking"
  std::vector<const char*> options;  ///< of the scheme's options, those that have a meaning here
  std::unique_ptr<AsyncMethod> (*make)(Setup, const AsyncOptions&);
};

std::unique_ptr<AsyncMethod> make_async_p2p(Setup setup, const AsyncOptions& options);
std::unique_ptr<AsyncMethod> make_async_put(Setup setup, const AsyncOptions& options);
std::unique_ptr<AsyncMethod> make_async_get(Setup setup, const AsyncOptions& options);
std::unique_ptr<AsyncMethod> make_async_racy_rma(Setup setup, const AsyncOptions& options);
std::unique_ptr<AsyncMethod> make_async_shm(Setup setup, const AsyncOptions& options);
std::unique_ptr<AsyncMethod> make_async_shmem(Setup setup, const AsyncOptions& options);
std::unique_ptr<AsyncMethod> make_async_gaspi(Setup setup, const AsyncOptions& options);

}  // namespace halocline::detail
