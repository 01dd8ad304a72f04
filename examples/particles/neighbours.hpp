#pragma once
// What the system wants of an exchange. plain.cpp and halocline.cpp do it, one by MPI alone.

#include "system.hpp"

#include <memory>
#include <string>

namespace particles {

/// Exchanges with the regions above and below along one axis. Those along the three axes follow
/// each other: what has come along one is passed on along the next.
class Neighbours {
 public:
  virtual ~Neighbours() = default;
  /// Particles change their owner. Returns those that have come, from below first.
  virtual std::vector<Traveller> migrate(const std::vector<Traveller>& down,
                                         const std::vector<Traveller>& up) = 0;
  /// New ghosts: these particles' positions go down, shifted around the box, and what comes from
  /// above is put behind the last one. `positions` and `forces` keep to that.
  virtual void border(std::vector<int> sent, std::vector<Vec>& x) = 0;
  /// Positions go down to the ghosts.
  virtual void positions(std::vector<Vec>& x) = 0;
  /// Ghosts' forces go up, to the particles that they are copies of, and are added there.
  virtual void forces(std::vector<Vec>& f) = 0;
};

std::unique_ptr<Neighbours> plain_neighbours(MPI_Comm comm, const Regions& regions, int axis);
std::unique_ptr<Neighbours> halocline_neighbours(MPI_Comm comm, const Regions& regions, int axis,
                                                 const std::string& scheme);
/// Along an axis with one region, which is its own neighbour around the box: no exchange.
std::unique_ptr<Neighbours> own_neighbours(const Regions& regions, int axis);

}  // namespace particles
