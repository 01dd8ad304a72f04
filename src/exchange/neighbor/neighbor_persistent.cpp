// neighbor:persistent: MPI_Neighbor_alltoallw_init once, MPI_Start each step (MPI 4.0).

#include "exchange/core/features.hpp"
#include "neighbor.hpp"

namespace halocline::detail {

namespace {

constexpr const char* persistent_function = "MPI_Neighbor_alltoallw_init";

#ifdef HALOCLINE_HAVE_PERSISTENT_COLLECTIVES

class NeighborPersistent final : public Neighbors {
 public:
  explicit NeighborPersistent(Setup setup) : Neighbors(std::move(setup)) {
    HALOCLINE_MPI(MPI_Neighbor_alltoallw_init, MPI_BOTTOM, sends_.counts.data(),
                  sends_.addresses.data(), sends_.types.data(), MPI_BOTTOM, receives_.counts.data(),
                  receives_.addresses.data(), receives_.types.data(), graph(), MPI_INFO_NULL,
                  &request_[0]);
  }

  void start() override {
    pack();
    const auto time = transferring();
    HALOCLINE_MPI(MPI_Start, &request_[0]);
  }

  void finish() override {
    {
      const auto time = waiting();
      wait_one(what(), request_[0]);
    }
    unpack();
  }
};

#endif

}  // namespace

namespace {

model::Step describe_persistent_neighbor(const model::Chosen& chosen, const model::Links& links) {
  return describe_neighbor(chosen, links, "collective:persistent");
}

}  // namespace

MethodFacts neighbor_persistent() {
  return {.name = "neighbor:persistent",
          .summary = "MPI_Neighbor_alltoallw_init once, MPI_Start each step",
          .options = {on_off("pack")},
#ifdef HALOCLINE_HAVE_PERSISTENT_COLLECTIVES
          .make = make<NeighborPersistent>,
          .describe = describe_persistent_neighbor,
          .missing = [] { return lacks(&MPI_Neighbor_alltoallw_init, persistent_function); },
#else
          .make = nullptr,
          .describe = describe_persistent_neighbor,
          .missing = [] { return lacks(persistent_function); },
#endif
          .device_addresses = true,
          .frames = {.whole = true}};
}

}  // namespace halocline::detail
