#pragma once
// What of a run is in its checkpoints, from which another one goes on with the same bits, on any
// ranks.

#include "../physics/box.hpp"
#include "../physics/lennard_jones.hpp"

#include <frame/state_file.hpp>
#include <halocline/more/mpi.hpp>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace md {

/// All of a state but the particles.
struct Moment {
  std::int64_t step = 0, left = 0;  ///< steps made since the particles were new; still to be made
  std::int64_t particles = 0;
  Vector edges{};
  std::array<bool, 3> walls{};
  LennardJones lj{};
  double time_step = 0, skin = 0;
  std::string log{};         ///< the thermodynamic log up to the step; empty: there is none
  std::string trajectory{};  ///< the file that has the frames so far if the run does not end well
};

/// What the file says of it, but for its step and its particles, which the file has anyway.
nlohmann::ordered_json progress_of(const Moment& moment);
Moment moment_of(const frame::StateFile& state);

/// All particles by number, of which each rank has some consecutive ones: about as many as others
/// where the numbers have no large gaps. So a file has the same bytes on any ranks.
class InFile {
 public:
  /// Collective.
  InFile(MPI_Comm comm, std::span<const Particle> mine);
  std::array<frame::Share, 1> shares();

 private:
  std::vector<Particle> mine_;
  std::int64_t first_ = 0, all_ = 0;
};

/// This rank's even share of the particles, the very bits unless box or potential are others now.
/// Collective; throws Error on all ranks.
std::vector<Particle> particles_of(MPI_Comm comm, const frame::StateFile& state, const Box& box,
                                   const LennardJones& lj);

}  // namespace md
