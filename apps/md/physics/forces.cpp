#include "forces.hpp"

#include "cells.hpp"
#include "rows.hpp"
#include "wide.hpp"

#include <stdexcept>
#include <string>

namespace md {
namespace {

std::string place(const Particles& particles, int i) {
  const auto p = particles.position(static_cast<std::size_t>(i));
  return std::to_string(p[0]) + ", " + std::to_string(p[1]) + ", " + std::to_string(p[2]);
}

std::string name(const Particles& particles, int i) {
  const auto k = static_cast<std::size_t>(i);
  return k < particles.owned() ? "particle " + std::to_string(particles.ids()[k]) : "a ghost";
}

}  // namespace

double PairSums::potential(const LennardJones& lj) const {
  // Every pair has been seen from both sides.
  return static_cast<double>(joined(&integers_[0], 3)) * lj.energy_grid().quantum() / 2;
}

double PairSums::virial(const LennardJones& lj) const {
  return static_cast<double>(joined(&integers_[3], 3)) * lj.energy_grid().quantum() / 2;
}

struct Forces::State {
  ForceSettings settings;
  Cells cells;
  CoarseGrid coarse;
  InCells places{};
  Rows rows;
  PairSums sums{};
  Wide potential = 0, virial = 0;

  State(const ForceSettings& s, const Vector& lower, const Vector& upper)
      : settings(s),
        cells(lower, upper, s.lj.cutoff + (s.lists ? s.skin : 0), s.cells),
        coarse(s.lj.cutoff + (s.lists ? s.skin : 0)),
        rows(settings, cells, places) {}

  void compute(Particles& particles, bool inner, bool with_sums) {
    const Rows::Result result = rows.compute(particles, inner, with_sums);
    if (result.overlap[0] >= 0)
      throw std::runtime_error(
          name(particles, result.overlap[0]) + " at " + place(particles, result.overlap[0]) +
          " and " + name(particles, result.overlap[1]) + " at " +
          place(particles, result.overlap[1]) + " overlap: they are closer than 0.6 sigma");
    if (inner) potential = virial = 0;
    potential += result.potential;
    virial += result.virial;
    split(potential, &sums.integers()[0], 3);
    split(virial, &sums.integers()[3], 3);
  }
};

Forces::Forces(const ForceSettings& settings, const Vector& lower, const Vector& upper) {
  settings.lj.check();
  if (settings.lists && !(settings.skin >= 0))
    throw std::invalid_argument("skin is " + std::to_string(settings.skin) +
                                "; it must not be negative");
  state_ = std::make_unique<State>(settings, lower, upper);
}
Forces::~Forces() = default;
Forces::Forces(Forces&&) noexcept = default;
Forces& Forces::operator=(Forces&&) noexcept = default;

const ForceSettings& Forces::settings() const noexcept {
  return state_->settings;
}

void Forces::sort(Particles& particles) {
  if (state_->places.sort(state_->cells, particles)) return;
  for (std::size_t i = 0; i < particles.owned(); ++i)
    if (!state_->cells.in_region(particles.position(i)))
      throw std::runtime_error("particle " + std::to_string(particles.ids()[i]) + " at " +
                               place(particles, static_cast<int>(i)) +
                               " is outside the region of the rank that has it");
}

void Forces::build(Particles& particles) {
  state_->places.fill(state_->cells, particles, state_->coarse);
  state_->rows.build(particles);
}

void Forces::inner(Particles& particles, bool sums) {
  state_->compute(particles, true, sums);
}
void Forces::outer(Particles& particles, bool sums) {
  state_->compute(particles, false, sums);
}
double Forces::inner_share() const noexcept {
  return state_->rows.inner_share();
}
const PairSums& Forces::sums() const noexcept {
  return state_->sums;
}

Vector Forces::force(const Particles& particles, std::size_t i) const {
  const FixedPoint grid = state_->settings.lj.force_grid();
  Vector force;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const ForceWord& word = particles.forces()[particles.words()(i, axis)];
    force[axis] = state_->settings.sum == Sum::exact ? grid.value(word.count) : word.force;
  }
  return force;
}

}  // namespace md
