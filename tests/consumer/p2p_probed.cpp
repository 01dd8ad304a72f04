// p2p:probed: MPI_Isend; the receiver finds each message by MPI_Improbe and takes it by MPI_Mrecv.

#include <halocline/more/method.hpp>
#include <halocline/more/under_way.hpp>
#include <halocline/more/waiting.hpp>

namespace {

using namespace halocline;

/// The messages of some links, one for each.
struct Messages {
  std::vector<methods::Layout> cells;
  std::vector<std::vector<std::byte>> bytes;
  void add(methods::Layout link) {
    bytes.emplace_back(link.bytes());
    cells.push_back(std::move(link));
  }
};

class Probed final : public methods::Method {
 public:
  explicit Probed(methods::Setup s) : Method(std::move(s)) {
    for (const Link& link : pattern().sends()) out_->add(setup().send_layout(link));
    for (const Link& link : pattern().receives()) in_.add(setup().receive_layout(link));
    // Sends may outlive the exchange, and then keep what they read.
    sends_ = {mpi::UnderWay::others, out_->cells.size(), out_};
  }

  void start() override {
    {
      const auto time = packing();
      for (std::size_t i = 0; i < out_->cells.size(); ++i)
        out_->cells[i].pack(bases(), out_->bytes[i].data());
      copy_local();
    }
    const auto time = transferring();
    for (std::size_t i = 0; i < out_->cells.size(); ++i) {
      const std::vector<std::byte>& message = out_->bytes[i];
      const mpi::Bytes bytes(setup().in_use(message.data(), message.size()));
      HALOCLINE_MPI(MPI_Isend, message.data(), bytes.count(), bytes.type(),
                    pattern().sends()[i].peer, tag(), comm(), &sends_[i]);
    }
  }

  void finish() override {
    for (std::size_t i = 0; i < in_.cells.size(); ++i) {
      {
        const auto time = waiting();
        MPI_Message found = MPI_MESSAGE_NULL;
        wait_until(what(), [&] {
          int there = 0;
          HALOCLINE_MPI(MPI_Improbe, pattern().receives()[i].peer, tag(), comm(), &there, &found,
                        MPI_STATUS_IGNORE);
          return there != 0;
        });
        const mpi::Bytes bytes(in_.bytes[i].size());
        HALOCLINE_MPI(MPI_Mrecv, in_.bytes[i].data(), bytes.count(), bytes.type(), &found,
                      MPI_STATUS_IGNORE);
      }
      const auto time = packing();
      in_.cells[i].unpack(bases(), in_.bytes[i].data());
    }
    const auto time = waiting();
    wait_all(what(), sends_);
  }

 private:
  std::shared_ptr<Messages> out_ = std::make_shared<Messages>();
  Messages in_;
  mpi::UnderWay sends_;
};

/// The same in the words of the model, by which `halocline predict` knows what a step costs.
model::Step describe_probed(const model::Chosen&, const model::Links& links) {
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  for (const model::LinkSize& link : links.sends) start.pack(link);
  start.keep(links);
  for (const model::LinkSize& link : links.sends) start.send(link);
  for (const model::LinkSize& link : links.receives) {
    finish.receive(link);
    finish.unpack(link);
  }
  for (const model::LinkSize& link : links.sends) finish.sent(link);
  for (const auto* const side : {&links.sends, &links.receives})
    for (const model::LinkSize& link : *side) step.buffer_bytes += link.bytes;
  return step;
}

}  // namespace

extern "C" void halocline_methods() {
  register_method({.name = "p2p:probed",
                   .summary = "MPI_Isend; the receiver takes messages as MPI_Improbe finds them",
                   .options = {},
                   .make = methods::make<Probed>,
                   .describe = describe_probed,
                   .frames = {.made_alone = true}});
}
