#include "place_ranks.hpp"

#include "mpi/collectives.hpp"

#include <halocline/more/islands.hpp>
#include <halocline/more/processor.hpp>

#include <utility>

namespace halocline {

PlacedRank place_ranks(MPI_Comm comm, const CutCosts& costs, const IslandSpec& nodes) {
  const int mine = Islands(comm, nodes).index();
  const std::vector<int> all = mpi::at_root(comm, std::vector<int>{mine, numa_domain()});
  std::vector<int> dims(costs.weights.size(), 0), turns;
  mpi::together(comm, [&] {
    if (all.empty()) return;
    std::vector<Machine::Place> places;
    for (std::size_t i = 0; i < all.size(); i += 2) places.push_back({all[i], all[i + 1]});
    const Placement best = best_placement(costs, Machine(std::move(places)));
    turns.resize(all.size());
    if (best.dims.empty()) return;
    dims = best.dims;
    for (std::size_t rank = 0; rank < best.position.size(); ++rank) {
      const auto part = static_cast<std::size_t>(best.position[rank]);
      turns[2 * rank] = best.position[rank];
      turns[2 * part + 1] = static_cast<int>(rank);
    }
  });
  dims = mpi::from_rank(comm, 0, std::move(dims));
  const std::vector<int> turn = mpi::out_of_root(comm, std::move(turns), 2);
  if (dims.front() == 0) return {};
  return {std::move(dims), turn[0], turn[1]};
}

}  // namespace halocline
