// p2p:probed: MPI_Isend; the receiver finds each message by MPI_Improbe and takes it by MPI_Mrecv.

#include "messages.hpp"
#include "methods.hpp"

namespace halocline::detail {

namespace {

class Probed final : public Method {
 public:
  explicit Probed(Setup s)
      : Method(std::move(s)),
        all_(std::make_shared<Messages>(setup(), bases(), scheme().is("pack", "on"))),
        requests_(Messages::others_of(all_, messages_.sends.size())) {}

  void start() override {
    {
      const auto time = packing();
      messages_.pack();
      messages_.shorten();
      copy_local();
    }
    const auto time = transferring();
    auto request = requests_.begin();
    for (const auto& [peer, data, count, type] : messages_.sends)
      HALOCLINE_MPI(MPI_Isend, data, count, type, peer, tag(), comm(), request++);
  }

  void finish() override {
    for (std::size_t i = 0; i < messages_.receives.size(); ++i) {
      const auto& [peer, data, count, type] = messages_.receives[i];
      {
        const auto time = waiting();
        MPI_Message found = MPI_MESSAGE_NULL;
        wait_until(what(), [&] {
          int there = 0;
          HALOCLINE_MPI(MPI_Improbe, peer, tag(), comm(), &there, &found, MPI_STATUS_IGNORE);
          return there != 0;
        });
        HALOCLINE_MPI(MPI_Mrecv, data, count, type, &found, MPI_STATUS_IGNORE);
      }
      const auto time = packing();
      messages_.unpack(i);
    }
    const auto time = waiting();
    wait_all(what(), requests_);
  }

 private:
  std::shared_ptr<Messages> all_;
  Messages& messages_ = *all_;
  UnderWay requests_;
};

}  // namespace

MethodFacts p2p_probed() {
  return {.name = "p2p:probed",
          .summary = "MPI_Isend; the receiver takes messages as MPI_Improbe finds them",
          .options = {on_off("pack")},
          .make = make<Probed>};
}

}  // namespace halocline::detail
