#pragma once
// Every asynchronous method, by the name of its scheme, and all that others know of it.

#include "async_method.hpp"
#include "exchange/core/registry.hpp"

namespace halocline::detail {

struct AsyncMethodFacts {
  const char* scheme;                ///< "p2p:nonblocking"
  std::vector<const char*> options;  ///< of the scheme's options, those that have a meaning here
  std::unique_ptr<AsyncMethod> (*make)(Setup, const AsyncOptions&);
  /// What it does to send, and to receive.
  void (*describe)(const model::Chosen&, const model::Links&, model::Script& send,
                   model::Script& receive);
};

/// Those of this library: src/built_in/built_in.cpp.
std::vector<AsyncMethodFacts> built_in_async_methods();
const std::vector<AsyncMethodFacts>& async_registry();
/// Null if no asynchronous method has the name of this one.
const AsyncMethodFacts* find_async(std::string_view method);

/// Of rma:put:flush and rma:get:flush, racy.
std::unique_ptr<AsyncMethod> make_async_racy_rma(Setup setup, const AsyncOptions& options);

/// A step of an asynchronous exchange: every rank offers what it has and takes what is there, so
/// that no operation waits for a peer; to get is to wait for one's own data. Throws Error where
/// there is no such method.
model::Step describe_async(const model::Chosen& chosen, const model::Links& links);
/// A link's message: the iteration of its cells and then the cells.
model::LinkSize numbered(model::LinkSize link);
/// What most do: each message is packed and offered, and each is looked for and unpacked. The names
/// are those of the costs.
void describe_offers(const model::Links& links, model::Script& send, model::Script& receive,
                     std::string_view offered, std::string_view looked,
                     std::string_view pack = "pack", std::string_view unpack = "unpack");

}  // namespace halocline::detail
