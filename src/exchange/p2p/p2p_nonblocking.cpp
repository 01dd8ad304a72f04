// p2p:nonblocking: MPI_Irecv and MPI_Isend (or MPI_Issend) with all peers at once.

#include "messages.hpp"

namespace halocline::detail {

namespace {

class Nonblocking final : public Method {
 public:
  explicit Nonblocking(Setup s)
      : Method(std::move(s)),
        all_(std::make_shared<Messages>(setup(), bases(), scheme().is("pack", "on"))),
        isend_(scheme().is("mode", "synchronous") ? MPI_Issend : MPI_Isend),
        sends_(Messages::others_of(all_, messages_.sends.size())),
        receives_(Messages::receives_of(all_, messages_.receives.size())) {}

  void rebound() override { messages_.rebind(bases()); }

  void start() override {
    {
      const auto time = transferring();
      messages_.fit();
      auto request = receives_.begin();
      for (const auto& [peer, data, count, type] : messages_.receives)
        HALOCLINE_MPI(MPI_Irecv, data, count, type, peer, tag(), comm(), request++);
    }
    {
      const auto time = packing();
      messages_.pack();
    }
    {
      const auto time = transferring();
      auto request = sends_.begin();
      for (const auto& [peer, data, count, type] : messages_.sends) {
        const trace::Event event(Activity::send, peer);
        mpi::check(isend_(data, count, type, peer, tag(), comm(), request++), "MPI_Isend");
      }
    }
    if (!keeps()) return;
    const auto time = packing();
    copy_local();
  }

  void finish() override {
    MPI_Status status;
    for (std::size_t left = receives_.size(); left > 0; --left) {
      const auto arrived = static_cast<std::size_t>([&] {
        const auto time = waiting();
        return wait_any(what(), receives_, &status);
      }());
      messages_.check_length(arrived, status);
      const auto time = packing(messages_.receives[arrived].peer);
      messages_.unpack(arrived);
    }
    const auto time = waiting();
    wait_all(what(), sends_);
  }

  std::vector<int> awaited() const override { return messages_.awaited(receives_); }

 private:
  std::shared_ptr<Messages> all_;
  Messages& messages_ = *all_;
  decltype(&MPI_Isend) isend_;
  UnderWay sends_, receives_;
};

}  // namespace

namespace {

model::Step describe_nonblocking(const model::Chosen& chosen, const model::Links& links) {
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  DescribedMessages messages(chosen, step);
  for (const model::LinkSize& link : links.sends) messages.pack(start, link);
  for (const model::LinkSize& link : links.sends) start.send(link);
  start.keep(links);
  finish.whichever_first(links.receives, [&](const model::LinkSize& link) {
    finish.receive(link);
    messages.unpack(finish, link);
  });
  for (const model::LinkSize& link : links.sends) finish.sent(link);
  return step;
}

}  // namespace

MethodFacts p2p_nonblocking() {
  return {.name = "p2p:nonblocking",
          .summary = "MPI_Irecv and MPI_Isend (mode=synchronous: MPI_Issend), completed together",
          .options = {{"mode", {"standard", "synchronous"}}, on_off("pack")},
          .make = make<Nonblocking>,
          .describe = describe_nonblocking,
          .rebinds = packs,
          .device_addresses = true,
          .frames = {.made_alone = true, .any_message = true},
          .trusted = true};
}

}  // namespace halocline::detail
