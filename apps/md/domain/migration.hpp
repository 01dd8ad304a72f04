#pragma once
// Particles change owners.

#include "decomposition.hpp"

#include <halocline/ragged_exchange.hpp>

#include <span>
#include <vector>

namespace md {

/// Between neighbours, whenever positions have been put back into the box. All ranks of `comm` make
/// and use it together; rank r has part r.
class Migration {
 public:
  /// Neighbours are those whose subdomains are no farther than `reach`.
  Migration(MPI_Comm comm, const Decomposition& decomposition, double reach,
            const halocline::Scheme& scheme);

  /// Sends the particles outside of my subdomain to their owners and takes those that come, in the
  /// order of ranks. Returns how many have left. Throws Error about one that has jumped over all
  /// neighbours.
  std::size_t run(Particles& particles);

 private:
  const Decomposition& decomposition_;
  int me_;
  std::vector<int> neighbours_;
  halocline::RaggedExchange exchange_;
};

/// Brings particles to their owners from wherever they are. Collective.
std::vector<Particle> distribute(MPI_Comm comm, const Decomposition& decomposition,
                                 std::span<const Particle> particles);

}  // namespace md
