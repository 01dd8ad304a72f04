// gaspi: notified writes, which say themselves that they have come.

#include "methods.hpp"

namespace halocline::model {

namespace {

/// From field to field, where the receiver has said that it may be.
Step in_place(const Links& links) {
  Step step;
  Script start(step.start), finish(step.finish);
  for (const LinkSize& link : links.receives) start.tell(link.peer, Word::permit, "signal:gaspi");
  for (const LinkSize& link : links.sends) {
    start.hear(link.peer, Word::permit, "seen");
    start.send(link, "put:gaspi");
  }
  start.keep(links);
  finish.whichever_first(links.receives,
                         [&](const LinkSize& link) { finish.receive(link, "seen"); });
  return step;
}

}  // namespace

Step gaspi(const Chosen& chosen, const Links& links) {
  if (chosen.is("pack", "off")) return in_place(links);
  Step step;
  Script start(step.start), finish(step.finish);
  for (const LinkSize& link : links.sends) {
    if (!links.two_way) start.hear(link.peer, Word::permit, "seen", 2);
    start.pack(link);
    start.send(link, "put:gaspi");
    step.window_bytes += 2 * link.bytes;  // GASPI writes from a segment, too
  }
  start.keep(links);
  finish.whichever_first(links.receives, [&](const LinkSize& link) {
    finish.receive(link, "seen");
    finish.unpack(link);
  });
  for (const LinkSize& link : links.receives) {
    if (!links.two_way) finish.tell(link.peer, Word::permit, "signal:gaspi");
    step.window_bytes += 2 * link.bytes;
  }
  return step;
}

}  // namespace halocline::model
