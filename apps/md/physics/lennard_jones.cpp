#include "lennard_jones.hpp"

#include "pair.hpp"

#include <stdexcept>
#include <string>

namespace md {

void LennardJones::check() const {
  const auto positive = [](double value, const char* name) {
    if (!(value > 0) || !std::isfinite(value))
      throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) +
                                  "; it has to be positive");
  };
  positive(mass, "mass");
  positive(sigma, "sigma");
  positive(epsilon, "epsilon");
  positive(cutoff, "cut-off");
  if (cutoff <= closest())
    throw std::invalid_argument("cut-off is " + std::to_string(cutoff) +
                                "; it has to be above 0.6 sigma, " + std::to_string(closest()) +
                                ", where particles count as overlapping");
}

double LennardJones::shift() const noexcept {
  if (!shifted) return 0;
  const Pair<double> pair(*this, 0);
  return -pair.potential(pair.inverse_sixth(1 / (cutoff * cutoff)));
}

double LennardJones::potential(double distance_squared) const noexcept {
  const Pair<double> pair(*this, shift());
  return pair.potential(pair.inverse_sixth(1 / distance_squared));
}

FixedPoint LennardJones::force_grid() const noexcept {
  return FixedPoint(36000 * epsilon / sigma);
}
FixedPoint LennardJones::energy_grid() const noexcept {
  return FixedPoint(22000 * epsilon);
}
FixedPoint LennardJones::velocity_grid() const noexcept {
  return FixedPoint(2048 * std::sqrt(epsilon / mass));
}

}  // namespace md
