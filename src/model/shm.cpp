// shm and shmem: loads and stores in memory that ranks share, and how they tell each other.

#include "methods.hpp"

namespace halocline::model {

std::pair<Links, Links> split(const Links& links) {
  Links inside = links, outside = links;
  const auto other = [](bool here) {
    return [here](const LinkSize& link) { return link.inside != here; };
  };
  for (auto* side : {&inside.sends, &inside.receives}) std::erase_if(*side, other(true));
  for (auto* side : {&outside.sends, &outside.receives}) std::erase_if(*side, other(false));
  outside.kept_bytes = outside.kept_pieces = 0;
  return {std::move(inside), std::move(outside)};
}

namespace {

/// How the methods say that cells may be read, and that they have been.
class Telling {
 public:
  Telling(std::string_view how, const Links& links, bool readers_tell)
      : how_(how), links_(links), readers_tell_(readers_tell) {}

  void announce(Script& script) const {
    if (how_ == "fence") return fence(script);
    if (how_ == "pscw") {
      for (const LinkSize& link : links_.receives) script.tell(link.peer, Word::post, "post");
      if (readers_tell_)
        for (const LinkSize& link : links_.sends) script.tell(link.peer, Word::post, "post");
      for (const LinkSize& link : links_.sends) script.hear(link.peer, Word::post, "start");
      for (const LinkSize& link : links_.sends) script.tell(link.peer, Word::complete, "complete");
      return;
    }
    for (const LinkSize& link : links_.sends) script.tell(link.peer, Word::arrived, tells());
  }
  /// What comes before the first cell is taken; the others hear of each neighbour by itself.
  void hear_all(Script& script) const {
    if (how_ == "pscw")
      for (const LinkSize& link : links_.receives) script.hear(link.peer, Word::complete, "wait");
  }
  void hear(Script& script, const LinkSize& link) const {
    if (how_ == "signal" || how_ == "message") script.hear(link.peer, Word::arrived, hears());
  }
  void release(Script& script) const {
    if (!readers_tell_) return;
    if (how_ == "fence") return fence(script);
    if (how_ == "pscw")
      for (const LinkSize& link : links_.receives) script.hear(link.peer, Word::post, "start");
    for (const LinkSize& link : links_.receives) script.tell(link.peer, Word::returned, tells());
    for (const LinkSize& link : links_.sends) script.hear(link.peer, Word::returned, hears());
  }

 private:
  void fence(Script& script) const {
    if (!links_.sends.empty() || !links_.receives.empty())
      script.barrier({Group::Of::island, links_.island}, "fence:shm");
  }
  std::string_view tells() const {
    return how_ == "signal" ? "signal" : how_ == "pscw" ? "complete" : "notify";
  }
  std::string_view hears() const {
    return how_ == "signal" ? "seen" : how_ == "pscw" ? "wait" : "heard";
  }

  std::string_view how_;
  const Links& links_;
  bool readers_tell_;
};

}  // namespace

Step shm(const Chosen& chosen, const Links& links) {
  const auto [inside, outside] = split(links);
  Step step, outer;
  if (links.several_islands || !outside.sends.empty() || !outside.receives.empty()) {
    const auto named = chosen.options.find("outer");
    outer = named == chosen.options.end() ? describe(Chosen{"p2p:nonblocking"}, outside)
                                          : describe(Scheme(named->second), outside);
  }
  Script start(step.start), finish(step.finish);
  const bool slots = !chosen.is("access", "copy") && !chosen.is("access", "direct");
  const bool direct = chosen.is("access", "direct");
  const bool readers_tell = chosen.is("access", "copy") || (slots && !links.two_way);
  const Telling telling(chosen.part(1), inside, readers_tell);

  start.then(outer.start);
  if (slots)
    for (const LinkSize& link : inside.sends) {
      start.pack(link, "pack:slot");
      step.window_bytes += (links.two_way ? 2 : 1) * link.bytes;
    }
  telling.announce(start);
  start.keep(inside);
  telling.hear_all(finish);
  finish.whichever_first(inside.receives, [&](const LinkSize& link) {
    telling.hear(finish, link);
    if (slots) finish.unpack(link, "unpack:slot");
    if (!slots && !direct) finish.copy(link, "copy:peer");
  });
  telling.release(finish);
  // Whoever next stores into lines that others have read waits for them.
  if (!slots)
    for (const LinkSize& link : inside.sends) finish.copy(link, "restore");
  finish.then(outer.finish);
  step.buffer_bytes += outer.buffer_bytes;
  step.window_bytes += outer.window_bytes;
  return step;
}

/// A put, and a signal after it; two slots in turn, which the receiver gives back.
Step shmem(const Chosen&, const Links& links) {
  Step step;
  Script start(step.start), finish(step.finish);
  for (const LinkSize& link : links.sends) {
    start.hear(link.peer, Word::permit, "seen", 2);
    start.pack(link);
    start.send(link, "put:shmem");  // after shmem_fence the signal, which never overtakes them
    step.buffer_bytes = std::max(step.buffer_bytes, link.bytes);
  }
  start.keep(links);
  for (const LinkSize& link : links.receives) {
    finish.receive(link, "seen");
    finish.unpack(link);
    finish.tell(link.peer, Word::permit, "signal:shmem");
    step.window_bytes += 2 * link.bytes;
  }
  return step;
}

}  // namespace halocline::model
