#pragma once
// How far two cores are apart: the time that a cache line takes there and back between them. On a
// virtual machine it is no constant. The hypervisor moves virtual CPUs among cores that share a
// cache and cores that do not, and with them every exchange between two ranks becomes faster or
// slower by factors.

#include "shared_words.hpp"

#include <optional>
#include <vector>

namespace machine {

/// A word that ranks 0 and 1 pass to each other; other ranks look on. Collective to make; throws
/// halocline::Error unless the two share memory.
class CacheLine {
 public:
  explicit CacheLine(MPI_Comm comm);
  void there_and_back();

 private:
  int rank_;
  SharedWords words_;
  std::uint64_t turn_ = 0;
};

/// Seconds that a cache line takes there and back between the first two ranks of an island, in the
/// median; of the island where it takes longest. Nothing where ranks outnumber cores or no island
/// has two ranks. Takes about a millisecond. Collective; the same on all ranks.
std::optional<double> core_distance(MPI_Comm comm);

/// Distances taken one after the other.
struct CoreDistances {
  std::vector<double> seconds;
  /// Adds one, where there is one. Collective.
  void take(MPI_Comm comm) {
    if (const auto found = core_distance(comm)) seconds.push_back(*found);
  }
};

}  // namespace machine
