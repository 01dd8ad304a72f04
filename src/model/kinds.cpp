// Exchanges whose cells are not the same in every step, and those that wait for nobody.

#include "methods.hpp"

#include <algorithm>

namespace halocline::model {

namespace {

constexpr std::size_t header = sizeof(std::uint64_t);

/// Whether a message's unused rest travels, too: who gets it cannot know how much is in use, and
/// persistent requests and graphs know one size.
bool travels_whole(const Chosen& chosen) {
  const std::string_view family = chosen.part(0), how = chosen.part(1);
  return family == "neighbor" || how == "persistent" || how == "partitioned" || how == "get";
}

}  // namespace

/// A frame for each link, one block, in which the cells are packed, and from which they are taken.
Step framed(const Chosen& chosen, const Links& links, Kind kind) {
  const bool reversed = kind == Kind::reversed;
  if (reversed && chosen.part(1) == "accumulate") return describe(chosen, links);
  Step step;
  Links frames = links;
  frames.kept_bytes = frames.kept_pieces = 0;
  frames.stages.clear();
  for (Links& way : frames.ways) {
    way.kept_bytes = way.kept_pieces = 0;
    for (auto* const side : {&way.sends, &way.receives})
      for (LinkSize& link : *side) link.pieces = 1, link.lines = 0;
  }
  for (auto* const side : {&frames.sends, &frames.receives})
    for (LinkSize& link : *side) {
      const std::size_t most = header + std::max(link.bytes, link.capacity);
      step.buffer_bytes += most;
      link.bytes = travels_whole(chosen) ? most : header + link.bytes;
      link.pieces = 1;
      link.lines = 0;
    }
  const Step inner = describe(chosen, frames);
  Script start(step.start), finish(step.finish);
  for (const LinkSize& link : links.sends) start.pack(link);
  start.then(inner.start);
  start.keep(links);
  finish.then(inner.finish);
  for (const LinkSize& link : links.receives)
    finish.unpack(link, reversed ? "unpack:combine" : "unpack");
  step.buffer_bytes += inner.buffer_bytes;
  step.window_bytes += inner.window_bytes;
  return step;
}

/// A message is the iteration of its cells and then the cells. Each rank offers what it has and
/// takes what is there, so that no operation waits for a peer; to get is to wait for one's own
/// data.
Step asynchronous(const Chosen& chosen, const Links& links) {
  Step step;
  Script start(step.start), finish(step.finish);
  const std::string& method = chosen.method;
  const auto message = [](LinkSize link) {
    link.bytes += header;
    return link;
  };
  for (const LinkSize& link : links.sends) step.buffer_bytes += message(link).bytes;
  for (const LinkSize& link : links.receives) step.window_bytes += message(link).bytes;
  const auto simple = [&](const Links& some, std::string_view offered, std::string_view looked,
                          std::string_view pack = "pack", std::string_view unpack = "unpack") {
    for (const LinkSize& link : some.sends) {
      start.pack(link, pack);
      start.offer(message(link), offered);
    }
    for (const LinkSize& link : some.receives) {
      finish.look(message(link), looked);
      finish.unpack(link, unpack);
    }
  };
  if (method == "p2p:nonblocking") {
    simple(links, "send", "receive");
  } else if (method == "shmem") {
    simple(links, "put:shmem", "seen");
  } else if (method == "gaspi") {
    simple(links, "put:gaspi", "seen");
  } else if (method == "rma:put:flush") {
    for (const LinkSize& link : links.sends) {
      start.pack(link);
      start.offer(message(link), "put");
    }
    for (const LinkSize& link : links.sends) {
      start.offer(message(link), "flush");
      start.offer({.peer = link.peer}, "notify:flag");
    }
    for (const LinkSize& link : links.receives) {
      finish.look(message(link), "seen");
      finish.unpack(link);
      finish.offer({.peer = link.peer}, "notify:flag");  // which slot is free
    }
  } else if (method == "rma:get:flush") {
    for (const LinkSize& link : links.sends) {
      start.call("notify:own");  // which slot is being overwritten
      start.pack(link);
      start.offer({.peer = link.peer}, "notify:flag");
    }
    for (const LinkSize& link : links.receives) {
      finish.look(message(link), "seen");
      for (const LinkSize& got : {message(link), LinkSize{.peer = link.peer, .bytes = header}}) {
        finish.get(got);  // the second: whether the first was in time
        finish.flush(got);
      }
      finish.unpack(link);
    }
  } else if (method == "shm:signal") {
    const auto [inside, outside] = split(links);
    simple(inside, "signal", "seen", "pack:slot", "unpack:slot");
    if (!outside.sends.empty() || !outside.receives.empty()) {
      const auto named = chosen.options.find("outer");
      const Step outer =
          describe(Scheme(named == chosen.options.end() ? "p2p:nonblocking" : named->second),
                   outside, Kind::asynchronous);
      start.then(outer.start);
      finish.then(outer.finish);
    }
  } else {
    throw Error(method +
                " cannot be asynchronous; these can: p2p:nonblocking, rma:put:flush, "
                "rma:get:flush, shm:signal, shmem, gaspi");
  }
  finish.keep(links);
  return step;
}

}  // namespace halocline::model
