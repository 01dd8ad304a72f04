// p2p:sendrecv: one blocking MPI_Sendrecv after the other. The baseline.

#include "messages.hpp"

#include <map>

namespace halocline::detail {

namespace {

class Sendrecv final : public Method {
 public:
  explicit Sendrecv(Setup s)
      : Method(std::move(s)),
        all_(std::make_shared<Messages>(setup(), bases(), scheme().is("pack", "on"))) {
    // Round d: I send to the rank d above me and receive from the rank d below. All ranks walk the
    // rounds in the same order, so the one in the lowest round always finds its partners there.
    const int ranks = mpi::size(comm()), me = mpi::rank(comm());
    std::map<int, Round> rounds;
    for (const Message& send : messages_.sends)
      rounds[(send.peer - me + ranks) % ranks].send = &send;
    for (const Message& receive : messages_.receives)
      rounds[(me - receive.peer + ranks) % ranks].receive = &receive;
    for (const auto& [d, round] : rounds) rounds_.push_back(round);
  }

  void rebound() override { messages_.rebind(bases()); }

  void start() override {
    const auto time = packing();
    messages_.pack();
    messages_.fit();
    copy_local();
  }

  void finish() override {
    {
      const auto time = waiting();
      for (const Round& round : rounds_) {
        const bool sends = round.send != &nobody();
        const trace::Event event(sends ? Activity::send : Activity::receive,
                                 (sends ? round.send : round.receive)->peer);
        Patience::yields() ? polled(round) : blocking(round);
      }
    }
    const auto time = packing();
    messages_.unpack();
  }

 private:
  struct Round {
    const Message *send = &nobody(), *receive = &nobody();
  };
  static const Message& nobody() {
    static const Message none{MPI_PROC_NULL, nullptr, 0, MPI_BYTE};
    return none;
  }

  void blocking(const Round& round) const {
    const Message &send = *round.send, &receive = *round.receive;
    const Blocking guard(what());
    HALOCLINE_MPI(MPI_Sendrecv, send.data, send.count, send.type, send.peer, tag(), receive.data,
                  receive.count, receive.type, receive.peer, tag(), comm(), MPI_STATUS_IGNORE);
  }

  /// What MPI_Sendrecv is by the standard, but polled: for ranks that outnumber cores.
  void polled(const Round& round) const {
    const Message &send = *round.send, &receive = *round.receive;
    UnderWay out = Messages::others_of(all_, 1), in = Messages::receives_of(all_, 1);
    HALOCLINE_MPI(MPI_Irecv, receive.data, receive.count, receive.type, receive.peer, tag(), comm(),
                  &in[0]);
    HALOCLINE_MPI(MPI_Isend, send.data, send.count, send.type, send.peer, tag(), comm(), &out[0]);
    wait_all(what(), in);
    wait_all(what(), out);
  }

  std::shared_ptr<Messages> all_;
  Messages& messages_ = *all_;
  std::vector<Round> rounds_;
};

}  // namespace

namespace {

/// In round d a rank sends d ranks up and receives from d ranks down.
model::Step describe_sendrecv(const model::Chosen& chosen, const model::Links& links) {
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  DescribedMessages messages(chosen, step);
  for (const model::LinkSize& link : links.sends) messages.pack(start, link);
  start.keep(links);
  struct Round {
    const model::LinkSize *send = nullptr, *receive = nullptr;
  };
  std::map<int, Round> rounds;
  for (const model::LinkSize& link : links.sends)
    rounds[(link.peer - links.rank + links.ranks) % links.ranks].send = &link;
  for (const model::LinkSize& link : links.receives)
    rounds[(links.rank - link.peer + links.ranks) % links.ranks].receive = &link;
  for (const auto& [distance, round] : rounds) {
    if (round.send) finish.send(*round.send, "send:sendrecv");
    if (round.receive) finish.receive(*round.receive, "receive:sendrecv");
    if (round.send) finish.sent(*round.send);
  }
  for (const model::LinkSize& link : links.receives) messages.unpack(finish, link);
  return step;
}

}  // namespace

MethodFacts p2p_sendrecv() {
  return {.name = "p2p:sendrecv",
          .summary = "MPI_Sendrecv with one peer after the other",
          .options = {on_off("pack")},
          .make = make<Sendrecv>,
          .describe = describe_sendrecv,
          .rebinds = packs,
          .device_addresses = true,
          .frames = {.made_alone = true},
          .trusted = true};
}

}  // namespace halocline::detail
