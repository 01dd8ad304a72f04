#include "async_registry.hpp"

#include "base/text.hpp"

namespace halocline::detail {

const std::vector<AsyncMethodFacts>& async_registry() {
  registry();  // loads those that HALOCLINE_METHODS names
  static const std::vector<AsyncMethodFacts> all = [] {
    std::vector<AsyncMethodFacts> methods = built_in_async_methods();
    for (const AsyncMethodFacts& one : registered<AsyncMethodFacts>()) methods.push_back(one);
    return methods;
  }();
  return all;
}

const AsyncMethodFacts* find_async(std::string_view name) {
  return find_named(async_registry(), name);
}

model::Step describe_async(const model::Chosen& chosen, const model::Links& links) {
  const AsyncMethodFacts* const method = find_async(chosen.method);
  if (method == nullptr || method->describe == nullptr) {
    std::vector<std::string> known;
    for (const AsyncMethodFacts& one : async_registry())
      if (one.describe != nullptr) known.push_back(one.name);
    throw Error(chosen.method +
                (method == nullptr ? " cannot be asynchronous; these can: "
                                   : ", asynchronous: nothing says what it does in a step; of "
                                     "these something does: ") +
                base::joined(known));
  }
  model::Step step;
  for (const model::LinkSize& link : links.sends) step.buffer_bytes += numbered(link).bytes;
  for (const model::LinkSize& link : links.receives) step.window_bytes += numbered(link).bytes;
  model::Script send(step.start), receive(step.finish);
  method->describe(chosen, links, send, receive);
  receive.keep(links);
  return step;
}

}  // namespace halocline::detail

namespace halocline {

namespace methods {

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

}  // namespace methods

void register_async_method(methods::AsyncMethodFacts facts) {
  const std::string what = "asynchronous method '" + facts.name + "': ";
  const bool made = facts.make != nullptr;
  const bool known = detail::find_named(detail::built_in_methods(), facts.name) ||
                     detail::find_named(detail::registered<methods::MethodFacts>(), facts.name);
  if (!known)
    throw Error(what +
                "there is no method of this name that is not asynchronous; register that "
                "one first, since it has the options");
  detail::add_registered(what, std::move(facts), made, detail::built_in_async_methods());
}

}  // namespace halocline
