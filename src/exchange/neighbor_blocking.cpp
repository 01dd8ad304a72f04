// neighbor:blocking: one MPI_Neighbor_alltoallw on a distributed graph.

#include "methods.hpp"
#include "neighbor.hpp"

namespace halocline::detail {

namespace {

class NeighborBlocking final : public Neighbors {
 public:
  explicit NeighborBlocking(Setup setup) : Neighbors(std::move(setup)) {}

  void start() override { pack(); }

  void finish() override {
    {
      const auto time = waiting();
      const Blocking guard(what());
      HALOCLINE_MPI(MPI_Neighbor_alltoallw, MPI_BOTTOM, sends_.counts.data(),
                    sends_.addresses.data(), sends_.types.data(), MPI_BOTTOM,
                    receives_.counts.data(), receives_.addresses.data(), receives_.types.data(),
                    graph_);
    }
    unpack();
  }
};

}  // namespace

MethodFacts neighbor_blocking() {
  return {.name = "neighbor:blocking",
          .summary = "MPI_Neighbor_alltoallw on a distributed graph",
          .options = {on_off("pack")},
          .make = make<NeighborBlocking>};
}

}  // namespace halocline::detail
