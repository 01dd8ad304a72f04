#include "neighbor.hpp"

#include <algorithm>

namespace halocline::detail {

namespace {

/// The peers of one side. With one-way links, each gets an empty one in the other direction:
/// MPICH 4.0.2 ignores all links of a rank that has none on one side (and may crash).
std::vector<int> peers(const Setup& setup, std::vector<int> one, const std::vector<int>& other) {
  if (!setup.two_way)
    for (int peer : other)
      if (std::find(one.begin(), one.end(), peer) == one.end()) one.push_back(peer);
  return one;
}

}  // namespace

Neighbors::Side::Side(std::vector<int> peers_, const std::vector<Message>& messages)
    : peers(std::move(peers_)),
      counts(peers.size(), 0),
      addresses(peers.size(), 0),
      types(peers.size(), MPI_BYTE) {
  for (const auto& [peer, data, count, type] : messages) {
    const auto i = std::find(peers.begin(), peers.end(), peer) - peers.begin();
    counts[i] = count;
    types[i] = type;
    // A datatype holds absolute addresses itself.
    if (data != MPI_BOTTOM) HALOCLINE_MPI(MPI_Get_address, data, &addresses[i]);
  }
}

Neighbors::Neighbors(Setup s)
    : Method(std::move(s)),
      messages_(setup(), bases(), scheme().is("pack", "on")),
      sends_(peers(setup(), setup().targets(), setup().sources()), messages_.sends),
      receives_(peers(setup(), setup().sources(), setup().targets()), messages_.receives) {
  const auto &sources = receives_.peers, &targets = sends_.peers;
  const std::vector<int> weights(std::max(sources.size(), targets.size()) + 1, 1);
  using Sides = std::pair<std::vector<int>, std::vector<int>>;
  auto& graphs = setup().comm.shared<Agreed<Sides, mpi::Comm>>("graphs");
  graph_ = graphs.find({sources, targets}, [&] {
    MPI_Comm raw = MPI_COMM_NULL;
    HALOCLINE_MPI(MPI_Dist_graph_create_adjacent, comm(), static_cast<int>(sources.size()),
                  sources.data(), weights.data(), static_cast<int>(targets.size()), targets.data(),
                  weights.data(), MPI_INFO_NULL, /*reorder=*/0, &raw);
    return mpi::Comm(raw);
  });
}

}  // namespace halocline::detail
