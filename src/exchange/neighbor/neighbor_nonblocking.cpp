// neighbor:nonblocking: MPI_Ineighbor_alltoallw, completed in finish.

#include "neighbor.hpp"

namespace halocline::detail {

namespace {

class NeighborNonblocking final : public Neighbors {
 public:
  explicit NeighborNonblocking(Setup setup) : Neighbors(std::move(setup)) {}

  void start() override {
    pack();
    const auto time = transferring();
    HALOCLINE_MPI(MPI_Ineighbor_alltoallw, MPI_BOTTOM, sends_.counts.data(),
                  sends_.addresses.data(), sends_.types.data(), MPI_BOTTOM, receives_.counts.data(),
                  receives_.addresses.data(), receives_.types.data(), graph(), &request_[0]);
  }

  void finish() override {
    {
      const auto time = waiting();
      wait_one(what(), request_[0]);
    }
    unpack();
  }
};

}  // namespace

MethodFacts neighbor_nonblocking() {
  return {.name = "neighbor:nonblocking",
          .summary = "MPI_Ineighbor_alltoallw on a distributed graph",
          .options = {on_off("pack")},
          .make = make<NeighborNonblocking>,
          .describe =
              [](const model::Chosen& chosen, const model::Links& links) {
                return describe_neighbor(chosen, links, "collective:nonblocking");
              },
          .rebinds = packs,
          .device_addresses = true,
          .frames = {.whole = true},
          .trusted = true};
}

}  // namespace halocline::detail
