#include "base/shown.hpp"
#include "base/text.hpp"
#include "mpi/collectives.hpp"
#include "mpi/made_together.hpp"
#include "mpi/refusal.hpp"
#include "mpi/scarce.hpp"

#include <halocline/island.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/processor.hpp>

#include <algorithm>

namespace halocline {

IslandSpec::IslandSpec(std::string_view text) {
  if (text == "node") {
    by_ = By::node;
  } else if (text == "numa") {
    by_ = By::numa;
  } else {
    if (base::read(text, ranks_) != std::errc() || ranks_ < 1)
      throw Error("island " + base::quoted(text) +
                  ": must be node, numa or a number of ranks >= 1");
    by_ = By::ranks;
  }
}

std::string IslandSpec::str() const {
  switch (by_) {
    case By::node: return "node";
    case By::numa: return "numa";
    case By::ranks: break;
  }
  return std::to_string(ranks_);
}

int IslandSpec::colour(MPI_Comm comm) const {
  switch (by_) {
    case By::node: return 0;
    case By::numa: return numa_domain();
    case By::ranks: break;
  }
  // The world's ranks, so that every communicator of this process sees the same islands.
  return mpi::rank(mpi::detail::world_is_there() ? MPI_COMM_WORLD : comm) / ranks_;
}

Islands::Islands(MPI_Comm comm, const IslandSpec& spec) {
  const int me = mpi::rank(comm);
  mpi::Comm node = mpi::node_of(comm);
  mpi::InParts nodes(comm);
  nodes.make([&] {
    detail::make_scarce(
        "islands", "End exchanges, arrays and communicators that are not used any more",
        [&] { comms_->island = mpi::Comm::split(node, spec.colour(comm)); }, "communicator");
  });
  nodes.agree([&] { comms_->island = {}, node = {}; });
  comms_->heads = mpi::Comm::split(comm, mpi::rank(island()) == 0 ? 0 : MPI_UNDEFINED);

  std::vector<int> facts{0, 0};
  if (is_head()) facts = {mpi::size(heads()), mpi::rank(heads())};
  facts = mpi::from_rank(island(), 0, std::move(facts));
  count_ = facts[0], index_ = facts[1];
  members_ = mpi::of_all(island(), me);
  comms_ = mpi::ended_together(comm, std::move(comms_));
}

int Islands::local_rank(int rank) const {
  const auto found = std::lower_bound(members_.begin(), members_.end(), rank);
  return found != members_.end() && *found == rank ? static_cast<int>(found - members_.begin())
                                                   : MPI_UNDEFINED;
}

}  // namespace halocline
