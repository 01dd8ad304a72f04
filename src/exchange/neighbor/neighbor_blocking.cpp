// neighbor:blocking: one MPI_Neighbor_alltoallw on a distributed graph. Where ranks outnumber
// cores, the nonblocking one, polled: inside the other a rank may hold the core that its peer
// needs.

#include "neighbor.hpp"

namespace halocline::detail {

namespace {

class NeighborBlocking final : public Neighbors {
 public:
  explicit NeighborBlocking(Setup s)
      : Neighbors(std::move(s)), oversubscribed_(oversubscribed(comm())) {}

  void start() override { pack(); }

  void finish() override {
    {
      const auto time = waiting();
      oversubscribed_ ? polled() : blocking();
    }
    unpack();
  }

 private:
  void blocking() const {
    const Blocking guard(what());
    HALOCLINE_MPI(MPI_Neighbor_alltoallw, MPI_BOTTOM, sends_.counts.data(), sends_.addresses.data(),
                  sends_.types.data(), MPI_BOTTOM, receives_.counts.data(),
                  receives_.addresses.data(), receives_.types.data(), graph());
  }

  void polled() {
    HALOCLINE_MPI(MPI_Ineighbor_alltoallw, MPI_BOTTOM, sends_.counts.data(),
                  sends_.addresses.data(), sends_.types.data(), MPI_BOTTOM, receives_.counts.data(),
                  receives_.addresses.data(), receives_.types.data(), graph(), &request_[0]);
    wait_one(what(), request_[0]);
  }

  bool oversubscribed_;
};

}  // namespace

MethodFacts neighbor_blocking() {
  return {.name = "neighbor:blocking",
          .summary = "MPI_Neighbor_alltoallw on a distributed graph",
          .options = {on_off("pack")},
          .make = make<NeighborBlocking>,
          .describe =
              [](const model::Chosen& chosen, const model::Links& links) {
                return describe_neighbor(chosen, links, "collective", true);
              },
          .rebinds = packs,
          .device_addresses = true,
          .frames = {.whole = true},
          .trusted = true};
}

}  // namespace halocline::detail
