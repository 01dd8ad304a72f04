// p2p:persistent: MPI_Send_init and MPI_Recv_init once, MPI_Startall each step.

#include "messages.hpp"

namespace halocline::detail {

namespace {

class Persistent final : public Method {
 public:
  explicit Persistent(Setup s)
      : Method(std::move(s)),
        all_(std::make_shared<Messages>(setup(), bases(), scheme().is("pack", "on"))),
        sends_(Messages::others_of(all_, messages_.sends.size())),
        receives_(Messages::receives_of(all_, messages_.receives.size())) {
    auto request = receives_.begin();
    for (const auto& [peer, data, count, type] : messages_.receives)
      HALOCLINE_MPI(MPI_Recv_init, data, count, type, peer, tag(), comm(), request++);
    request = sends_.begin();
    for (const auto& [peer, data, count, type] : messages_.sends)
      HALOCLINE_MPI(MPI_Send_init, data, count, type, peer, tag(), comm(), request++);
  }

  void start() override {
    {
      const auto time = packing();
      messages_.pack();
      copy_local();
    }
    const auto time = transferring();
    for (UnderWay* requests : {&receives_, &sends_})
      if (!requests->empty())  // Open MPI refuses to start none
        HALOCLINE_MPI(MPI_Startall, static_cast<int>(requests->size()), requests->data());
  }

  void finish() override {
    {
      const auto time = waiting();
      wait_all(what(), receives_);
      wait_all(what(), sends_);
    }
    const auto time = packing();
    messages_.unpack();
  }

  std::vector<int> awaited() const override { return messages_.awaited(receives_); }

 private:
  std::shared_ptr<Messages> all_;
  Messages& messages_ = *all_;
  UnderWay sends_, receives_;  // persistent: they keep their value
};

}  // namespace

namespace {

model::Step describe_persistent(const model::Chosen& chosen, const model::Links& links) {
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  DescribedMessages messages(chosen, step);
  for (const model::LinkSize& link : links.sends) messages.pack(start, link);
  start.keep(links);
  for (const model::LinkSize& link : links.sends) start.send(link, "send:persistent");
  finish.whichever_first(links.receives, [&](const model::LinkSize& link) {
    finish.receive(link, "receive:persistent");
  });
  for (const model::LinkSize& link : links.sends) finish.sent(link);
  for (const model::LinkSize& link : links.receives) messages.unpack(finish, link);
  return step;
}

}  // namespace

MethodFacts p2p_persistent() {
  return {.name = "p2p:persistent",
          .summary = "MPI_Send_init and MPI_Recv_init once, MPI_Startall each step",
          .options = {on_off("pack")},
          .make = make<Persistent>,
          .describe = describe_persistent,
          .device_addresses = true,
          .frames = {.whole = true, .made_alone = true},
          .trusted = true};
}

}  // namespace halocline::detail
