// p2p and neighbor: messages, packed where they are not one block, or described by MPI datatypes.

#include "methods.hpp"

namespace halocline::model {

namespace {

/// How cells become messages and messages cells.
class Messages {
 public:
  Messages(const Chosen& chosen, Step& step) : typed_(chosen.is("pack", "off")), step_(step) {}

  void pack(Script& script, const LinkSize& link) {
    if (link.pieces <= 1) return;  // it leaves from where it lies
    script.pack(link, typed_ ? "pack:datatype" : "pack");
    if (!typed_) step_.buffer_bytes += link.bytes;
  }
  void unpack(Script& script, const LinkSize& link) {
    if (link.pieces <= 1) return;
    script.unpack(link, typed_ ? "unpack:datatype" : "unpack");
    if (!typed_) step_.buffer_bytes += link.bytes;
  }

 private:
  bool typed_;
  Step& step_;
};

/// In round d a rank sends d ranks up and receives from d ranks down.
void sendrecv(const Links& links, Script& start, Script& finish, Messages& messages) {
  for (const LinkSize& link : links.sends) messages.pack(start, link);
  start.keep(links);
  struct Round {
    const LinkSize *send = nullptr, *receive = nullptr;
  };
  std::map<int, Round> rounds;
  for (const LinkSize& link : links.sends)
    rounds[(link.peer - links.rank + links.ranks) % links.ranks].send = &link;
  for (const LinkSize& link : links.receives)
    rounds[(links.rank - link.peer + links.ranks) % links.ranks].receive = &link;
  for (const auto& [distance, round] : rounds) {
    if (round.send) finish.send(*round.send, "send:sendrecv");
    if (round.receive) finish.receive(*round.receive, "receive:sendrecv");
    if (round.send) finish.sent(*round.send);
  }
  for (const LinkSize& link : links.receives) messages.unpack(finish, link);
}

void nonblocking(const Links& links, Script& start, Script& finish, Messages& messages) {
  for (const LinkSize& link : links.sends) messages.pack(start, link);
  for (const LinkSize& link : links.sends) start.send(link);
  start.keep(links);
  finish.whichever_first(links.receives, [&](const LinkSize& link) {
    finish.receive(link);
    messages.unpack(finish, link);
  });
  for (const LinkSize& link : links.sends) finish.sent(link);
}

void persistent(const Links& links, Script& start, Script& finish, Messages& messages) {
  for (const LinkSize& link : links.sends) messages.pack(start, link);
  start.keep(links);
  for (const LinkSize& link : links.sends) start.send(link, "send:persistent");
  finish.whichever_first(links.receives,
                         [&](const LinkSize& link) { finish.receive(link, "receive:persistent"); });
  for (const LinkSize& link : links.sends) finish.sent(link);
  for (const LinkSize& link : links.receives) messages.unpack(finish, link);
}

void partitioned(const Links& links, Script& start, Script& finish, Messages& messages) {
  for (const LinkSize& link : links.sends) {
    messages.pack(start, link);
    start.send(link, "send:partitioned");
  }
  start.keep(links);
  finish.whichever_first(
      links.receives, [&](const LinkSize& link) { finish.receive(link, "receive:partitioned"); });
  for (const LinkSize& link : links.sends) finish.sent(link);
  for (const LinkSize& link : links.receives) messages.unpack(finish, link);
}

}  // namespace

Step p2p(const Chosen& chosen, const Links& links) {
  Step step;
  Script start(step.start), finish(step.finish);
  Messages messages(chosen, step);
  const std::string_view how = chosen.part(1);
  if (how == "sendrecv") sendrecv(links, start, finish, messages);
  if (how == "nonblocking") nonblocking(links, start, finish, messages);
  if (how == "persistent") persistent(links, start, finish, messages);
  if (how == "partitioned") partitioned(links, start, finish, messages);
  return step;
}

/// A neighbourhood collective is a message to each, begun by one call.
Step neighbor(const Chosen& chosen, const Links& links) {
  Step step;
  Script start(step.start), finish(step.finish);
  Messages messages(chosen, step);
  for (const LinkSize& link : links.sends) messages.pack(start, link);
  start.keep(links);
  const std::string_view how = chosen.part(1);
  Script& begin = how == "blocking" ? finish : start;
  begin.call(how == "persistent"    ? "collective:persistent"
             : how == "nonblocking" ? "collective:nonblocking"
                                    : "collective");
  for (const LinkSize& link : links.sends) begin.send(link, "send:neighbor");
  finish.whichever_first(links.receives,
                         [&](const LinkSize& link) { finish.receive(link, "receive:neighbor"); });
  for (const LinkSize& link : links.sends) finish.sent(link);
  for (const LinkSize& link : links.receives) messages.unpack(finish, link);
  return step;
}

}  // namespace halocline::model
