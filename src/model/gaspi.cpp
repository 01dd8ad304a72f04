// gaspi: notified writes, which say themselves that they have come.

#include "methods.hpp"

namespace halocline::model {

Step gaspi(const Chosen&, const Links& links) {
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
