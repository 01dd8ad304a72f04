#include "async_registry.hpp"

#include <algorithm>

namespace halocline::detail {

const std::vector<AsyncMethodFacts>& async_registry() {
  static const std::vector<AsyncMethodFacts> all = built_in_async_methods();
  return all;
}

const AsyncMethodFacts* find_async(std::string_view method) {
  const auto& all = async_registry();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const AsyncMethodFacts& one) { return one.scheme == method; });
  return found == all.end() ? nullptr : &*found;
}

model::Step describe_async(const model::Chosen& chosen, const model::Links& links) {
  const AsyncMethodFacts* const method = find_async(chosen.method);
  if (method == nullptr) {
    std::string text = chosen.method + " cannot be asynchronous; these can: ";
    for (const AsyncMethodFacts& one : async_registry())
      text.append(text.ends_with(": ") ? "" : ", ").append(one.scheme);
    throw Error(text);
  }
  model::Step step;
  for (const model::LinkSize& link : links.sends) step.buffer_bytes += numbered(link).bytes;
  for (const model::LinkSize& link : links.receives) step.window_bytes += numbered(link).bytes;
  model::Script send(step.start), receive(step.finish);
  method->describe(chosen, links, send, receive);
  receive.keep(links);
  return step;
}

model::LinkSize numbered(model::LinkSize link) {
  link.bytes += sizeof(std::uint64_t);
  return link;
}

void describe_offers(const model::Links& links, model::Script& send, model::Script& receive,
                     std::string_view offered, std::string_view looked, std::string_view pack,
                     std::string_view unpack) {
  for (const model::LinkSize& link : links.sends) {
    send.pack(link, pack);
    send.offer(numbered(link), offered);
  }
  for (const model::LinkSize& link : links.receives) {
    receive.look(numbered(link), looked);
    receive.unpack(link, unpack);
  }
}

}  // namespace halocline::detail
