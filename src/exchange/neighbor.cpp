#include "neighbor.hpp"

namespace halocline::detail {

Neighbors::Side::Side(const std::vector<Message>& messages) {
  for (const auto& [peer, data, count, type] : messages) {
    MPI_Aint address = 0;  // a datatype holds absolute addresses itself
    if (data != MPI_BOTTOM) HALOCLINE_MPI(MPI_Get_address, data, &address);
    counts.push_back(count);
    addresses.push_back(address);
    types.push_back(type);
  }
}

Neighbors::Neighbors(Setup s)
    : Method(std::move(s)),
      messages_(setup(), bases(), scheme().is("pack", "on")),
      sends_(messages_.sends),
      receives_(messages_.receives) {
  const std::vector<int> sources = setup().sources(), targets = setup().targets();
  const std::vector<int> weights(std::max(sources.size(), targets.size()) + 1, 1);
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Dist_graph_create_adjacent, comm(), static_cast<int>(sources.size()),
                sources.data(), weights.data(), static_cast<int>(targets.size()), targets.data(),
                weights.data(), MPI_INFO_NULL, /*reorder=*/0, &raw);
  graph_ = mpi::Comm(raw);
}

}  // namespace halocline::detail
