#include <halocline/more/model.hpp>

#include "async/async_registry.hpp"
#include "exchange/core/registry.hpp"
#include "exchange/routes/combining.hpp"
#include "exchange/routes/framed.hpp"

#include <algorithm>
#include <array>
#include <ostream>

namespace halocline::model {

namespace {

constexpr std::array verb_names{
    "compute", "call",     "pack", "unpack", "copy",   "send",  "receive", "sent",  "put", "get",
    "flush",   "progress", "lock", "unlock", "notify", "await", "barrier", "offer", "look"};
static_assert(verb_names.size() == verbs);
constexpr std::array words{"data", "arrived", "permit", "post", "complete", "returned", "partial"};

}  // namespace

namespace {
Step described(const Chosen& chosen, const Links& links, Kind kind) {
  switch (kind) {
    case Kind::fixed: return detail::describe(chosen, links);
    case Kind::asynchronous: return detail::describe_async(chosen, links);
    case Kind::reversed: return detail::describe_combining(chosen, links);
    case Kind::ragged: break;
  }
  return detail::describe_framed(chosen, links);
}
}  // namespace

Kind kind_of(std::string_view name) {
  constexpr std::array names{"fixed", "ragged", "reversed", "asynchronous"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error("exchange " + std::string(name) +
                ": must be fixed, ragged, reversed or asynchronous");
  return static_cast<Kind>(found - names.begin());
}

Step describe(const Scheme& scheme, const Links& links, Kind kind) {
  return described(detail::chosen(scheme, links), links, kind);
}

Step describe_method(std::string_view method, const Links& links, Kind kind) {
  return described(Chosen{std::string(method)}, links, kind);
}

std::vector<std::string> described_methods() {
  std::vector<std::string> names;
  for (const detail::MethodFacts& method : detail::registry())
    if (method.describe != nullptr) names.push_back(method.name);
  return names;
}

std::vector<Operation> describe_reduction(std::string_view kind, int rank, int ranks) {
  std::vector<Operation> operations;
  Script script(operations);
  const int last = ranks - 1;
  if (kind == "allreduce") {
    script.barrier({}, "allreduce");
  } else if (kind == "chain") {
    if (rank > 0) script.await(rank - 1, Word::partial, "notified");
    if (rank < last) script.notify(rank + 1, Word::partial, "notify");
  } else if (kind == "last") {
    if (rank < last) script.notify(last, Word::partial, "notify");
    if (rank == last)
      for (int other = 0; other < last; ++other) script.await(other, Word::partial, "notified");
  } else {
    throw Error("reduction " + std::string(kind) + ": must be allreduce, chain or last");
  }
  return operations;
}

Activity activity(const Operation& operation) {
  const std::string_view cost = operation.cost;
  switch (operation.verb) {
    case Verb::compute: return Activity::compute;
    case Verb::call:
      return cost.starts_with("lock")     ? Activity::lock
             : cost.starts_with("notify") ? Activity::signal
                                          : Activity::transfer;
    case Verb::pack: return Activity::pack;
    case Verb::unpack: return Activity::unpack;
    case Verb::copy:
      // Cells of a peer come into the halo; what stays here travels with what is packed.
      return cost == "copy:peer" ? Activity::unpack
             : cost == "restore" ? Activity::none
                                 : Activity::pack;
    case Verb::send: {
      // One call starts all of them, so a trace shows no single one.
      const bool together = cost == "send:persistent" || cost == "send:neighbor";
      return together ? Activity::transfer : Activity::send;
    }
    case Verb::put: return cost == "put:accumulate" ? Activity::accumulate : Activity::put;
    case Verb::get: return Activity::get;
    case Verb::flush: return cost == "flush" ? Activity::flush : Activity::wait;  // in complete
    case Verb::lock: return Activity::lock;
    case Verb::unlock: return Activity::unlock;
    case Verb::notify:
      if (operation.word == Word::post || operation.word == Word::permit) return Activity::post;
      return cost == "complete" ? Activity::complete : Activity::signal;
    case Verb::await: return operation.word == Word::post ? Activity::start : Activity::wait;
    case Verb::barrier:
      return cost.starts_with("fence") ? Activity::fence
             : cost == "allreduce"     ? Activity::reduce
                                       : Activity::barrier;
    case Verb::offer:
      return cost.starts_with("put") ? Activity::put
             : cost == "flush"       ? Activity::flush
             : cost == "send"        ? Activity::send
                                     : Activity::signal;
    case Verb::look: return Activity::transfer;
    case Verb::receive:
    case Verb::sent:
    case Verb::progress: return Activity::wait;
  }
  return Activity::none;
}

std::string_view name(Verb verb) {
  return verb_names.at(static_cast<std::size_t>(verb));
}

std::string_view name(Word word) {
  return words.at(static_cast<std::size_t>(word));
}

std::ostream& operator<<(std::ostream& out, const Operation& operation) {
  // As text, since a stream may part digits as its locale has them.
  const auto text = [](auto number) { return std::to_string(number); };
  out << name(operation.verb);
  switch (operation.verb) {
    case Verb::notify:
      return out << ' ' << text(operation.peer) << " '" << name(operation.word) << '\'';
    case Verb::await: {
      out << " '" << name(operation.word) << "' of " << text(operation.peer);
      if (operation.lag > 0) out << ", " << text(operation.lag) << " steps ago";
      return out;
    }
    case Verb::barrier: {
      if (operation.group.of == Group::Of::all) return out << " of all";
      return out << (operation.group.of == Group::Of::island ? " of island " : " around ")
                 << text(operation.group.number);
    }
    case Verb::call: return out << ' ' << operation.cost;
    default: break;
  }
  if (operation.bytes > 0) out << ' ' << text(operation.bytes) << " bytes";
  if (operation.peer >= 0) {
    const bool from = operation.verb == Verb::receive || operation.verb == Verb::get ||
                      operation.verb == Verb::unpack || operation.verb == Verb::progress ||
                      operation.verb == Verb::look;
    out << (from ? " from " : " to ") << text(operation.peer);
  }
  return out;
}

}  // namespace halocline::model
