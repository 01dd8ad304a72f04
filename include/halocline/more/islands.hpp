#pragma once
// Where ranks are: islands of a communicator and their heads, and the nodes of ranks.

#include <halocline/island.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/placement.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

/// The islands of a communicator. Collective to build. Copies share the communicators, which stay
/// until all ranks have destroyed theirs.
class Islands {
 public:
  explicit Islands(MPI_Comm comm, const IslandSpec& spec = {});

  MPI_Comm island() const noexcept { return comms_->island; }  ///< my island's ranks
  /// The communicator of all islands' ranks 0; null on others.
  MPI_Comm heads() const noexcept { return comms_->heads; }
  bool is_head() const noexcept { return heads() != MPI_COMM_NULL; }
  int count() const noexcept { return count_; }  ///< number of islands
  int index() const noexcept { return index_; }  ///< mine, 0..count-1
  /// The peer's rank in my island, or MPI_UNDEFINED if it lives in another.
  int local_rank(int rank) const;

 private:
  struct Comms {
    mpi::Comm island{}, heads{};
  };
  std::shared_ptr<Comms> comms_ = std::make_shared<Comms>();
  int count_ = 0, index_ = 0;
  std::vector<int> members_;  // ranks of the communicator, ascending: by rank of the island
};

/// Where the ranks of a communicator are: their nodes, and the NUMA domains to which they are bound
/// (domain 0 if a rank may run in several). Collective.
Machine machine_of(MPI_Comm comm, const IslandSpec& nodes = {});

}  // namespace halocline

#pragma GCC visibility pop
