// rma: who waits for whom before data move and after. With put a rank is origin of its sends and
// target of its receives; with get it is origin of its receives and target of its sends.

#include "methods.hpp"

namespace halocline::model {

namespace {

class Windows {
 public:
  Windows(const Chosen& chosen, const Links& links, int slots, Step& step)
      : gets_(chosen.part(1) == "get"),
        accumulates_(chosen.part(1) == "accumulate"),
        in_place_(accumulates_ || chosen.is("pack", "off")),
        slots_(slots),
        links_(links),
        outward(gets_ ? links.receives : links.sends),
        inward(gets_ ? links.sends : links.receives) {
    if (in_place_) return;
    for (const LinkSize& link : inward)
      step.window_bytes += static_cast<std::size_t>(slots_) * link.bytes;
    for (const LinkSize& link : outward)
      if (link.pieces > 1) step.buffer_bytes += link.bytes;
  }

  bool gets() const { return gets_; }
  bool in_place() const { return in_place_; }
  /// Messages under a link, in turn.
  int slots() const { return in_place_ ? 0 : slots_; }

  /// Fills what leaves: a message of more than one block, or a slot for others to get.
  void pack(Script& script) const {
    if (!in_place_)
      for (const LinkSize& link : links_.sends)
        if (gets_ || link.pieces > 1) script.pack(link);
    script.keep(links_);
  }
  void move(Script& script, const LinkSize& link) const {
    if (gets_)
      script.get(link, in_place_ ? "get:datatype" : "get");
    else
      script.put(link, accumulates_ ? "put:accumulate" : in_place_ ? "put:datatype" : "put");
  }
  /// A message got into one block is where it belongs.
  void unpack(Script& script) const {
    if (in_place_) return;
    for (const LinkSize& link : links_.receives)
      if (!gets_ || link.pieces > 1) script.unpack(link);
  }
  /// Inside MPI from now on: where it needs that, what others have put lands.
  void let_land(Script& script) const {
    if (!gets_)
      for (const LinkSize& link : inward) script.progress(link);
  }

 private:
  bool gets_, accumulates_, in_place_;
  int slots_;
  const Links& links_;

 public:
  const std::vector<LinkSize>&outward, &inward;  ///< of which I am origin, and target
};

Step fence(const Chosen& chosen, const Links& links) {
  Step step;
  Script start(step.start), finish(step.finish);
  const Windows windows(chosen, links, chosen.part(1) == "put" ? 2 : 1, step);
  const bool one_a_step = windows.slots() == 2;
  const auto fence_all = [&](Script& script) {
    if (!chosen.is("group", "neighbors")) return script.barrier({}, "fence");
    std::map<int, Group> owners;  // ascending: no ring of ranks waits for each other
    if (!windows.inward.empty()) owners[links.rank] = {Group::Of::owner, links.rank};
    for (const LinkSize& link : windows.outward) owners[link.peer] = {Group::Of::owner, link.peer};
    for (const auto& [owner, group] : owners) script.barrier(group, "fence:neighbors");
  };
  windows.pack(start);
  if (!one_a_step) fence_all(start);
  for (const LinkSize& link : windows.outward) windows.move(start, link);
  windows.let_land(finish);
  for (const LinkSize& link : windows.outward) finish.flush(link, "flush:fence");
  fence_all(finish);
  windows.unpack(finish);
  return step;
}

Step pscw(const Chosen& chosen, const Links& links) {
  Step step;
  Script start(step.start), finish(step.finish);
  const Windows windows(chosen, links, 1, step);
  windows.pack(start);
  for (const LinkSize& link : windows.inward) start.tell(link.peer, Word::post, "post");
  for (const LinkSize& link : windows.outward) start.hear(link.peer, Word::post, "start");
  for (const LinkSize& link : windows.outward) windows.move(start, link);
  windows.let_land(finish);
  for (const LinkSize& link : windows.outward) finish.flush(link, "flush:pscw");
  for (const LinkSize& link : windows.outward) finish.tell(link.peer, Word::complete, "complete");
  for (const LinkSize& link : windows.inward) finish.hear(link.peer, Word::complete, "wait");
  windows.unpack(finish);
  return step;
}

/// Passive target: a notification follows every message, and a permission every use of a slot,
/// unless two slots and links both ways make that superfluous.
Step passive(const Chosen& chosen, const Links& links) {
  Step step;
  Script start(step.start), finish(step.finish);
  const Windows windows(chosen, links, 2, step);
  const bool locks = chosen.part(2) == "lock";
  const std::string_view notify = chosen.is("notify", "flag")      ? "notify:flag"
                                  : chosen.is("notify", "counter") ? "notify:counter"
                                                                   : "notify";
  const bool permits = windows.slots() < 2 || !links.two_way;
  const auto complete = [&](Script& script, const LinkSize& link) {
    locks ? script.unlock(link) : script.flush(link);
  };
  const auto own = [&](Script& script) {  // the standard's separate memory model wants it
    if (locks) script.call("lock:own");
  };
  const auto permit = [&](Script& script) {
    if (permits)
      for (const LinkSize& link : links.receives) script.tell(link.peer, Word::permit, notify);
  };
  const auto await_permits = [&](Script& script) {
    if (permits)
      for (const LinkSize& link : links.sends)
        script.hear(link.peer, Word::permit, "heard", windows.slots());
  };
  const auto await_arrivals = [&] {
    for (const LinkSize& link : links.receives) finish.hear(link.peer, Word::arrived, "heard");
  };

  if (!windows.gets()) {
    windows.pack(start);
    if (windows.in_place()) permit(start);
    await_permits(start);
    for (const LinkSize& link : links.sends) {
      if (locks) start.lock(link);
      windows.move(start, link);
    }
    windows.let_land(finish);
    for (const LinkSize& link : links.sends) {
      complete(finish, link);
      finish.tell(link.peer, Word::arrived, notify);
    }
    await_arrivals();
    own(finish);
    windows.unpack(finish);
    if (!windows.in_place()) permit(finish);
  } else {
    if (!windows.in_place()) await_permits(start);
    own(start);
    windows.pack(start);
    for (const LinkSize& link : links.sends) start.tell(link.peer, Word::arrived, notify);
    await_arrivals();
    for (const LinkSize& link : links.receives) {
      if (locks) finish.lock(link);
      windows.move(finish, link);
    }
    for (const LinkSize& link : links.receives) complete(finish, link);
    windows.unpack(finish);
    permit(finish);
    if (windows.in_place()) await_permits(finish);
  }
  return step;
}

}  // namespace

Step rma(const Chosen& chosen, const Links& links) {
  if (chosen.part(2) == "fence") return fence(chosen, links);
  if (chosen.part(2) == "pscw") return pscw(chosen, links);
  return passive(chosen, links);
}

}  // namespace halocline::model
