#include "integrator.hpp"

#include "wide.hpp"

#include <numerics/lanes.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace md {
namespace {

using numerics::Lanes;

std::string words(const Vector& v) {
  return std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]);
}

/// Calls `act(first, count)` for words in a row of owned particles, whichever component they are;
/// words of padding among them are 0.
template <class Act>
void for_words(const Particles& particles, Act&& act) {
  const std::size_t owned = particles.owned(), whole = owned / 8 * 8;
  switch (particles.layout()) {
    case Layout::aos: act(std::size_t{0}, 4 * owned); break;
    case Layout::soa:
      for (std::size_t axis = 0; axis < 3; ++axis) act(axis * particles.capacity(), owned);
      break;
    default:
      act(std::size_t{0}, 3 * whole);
      for (std::size_t axis = 0; axis < 3; ++axis) act(3 * whole + 8 * axis, owned - whole);
  }
}

}  // namespace

Integrator::Integrator(const Box& box, const ForceSettings& settings, double time_step)
    : box_(box), settings_(settings), time_step_(time_step) {
  if (!(time_step > 0) || !std::isfinite(time_step))
    throw std::invalid_argument("the time step is " + std::to_string(time_step) +
                                "; it has to be positive");
}

void Integrator::kick(Particles& particles) const {
  const LennardJones& lj = settings_.lj;
  const FixedPoint grid = lj.velocity_grid();
  const bool exact = settings_.sum == Sum::exact;
  const double factor = time_step_ / (2 * lj.mass) * (exact ? lj.force_grid().quantum() : 1);
  const double magic = grid.magic(), limit = grid.limit();
  double* const velocities = particles.velocities().data();
  const ForceWord* const forces = particles.forces().data();
  std::int64_t wrong = 0;
  const auto kick_by = [&](auto&& force) {
    for_words(particles, [&](std::size_t first, std::size_t count) {
      double* const v = velocities + first;
      const ForceWord* const f = forces + first;
#pragma omp simd reduction(| : wrong)
      for (std::size_t k = 0; k < count; ++k) {
        v[k] += std::fma(force(f[k]), factor, magic) - magic;
        wrong |= !(std::fabs(v[k]) < limit);
      }
    });
  };
  if (exact)
    kick_by([](const ForceWord& word) { return nearest_double(word.count); });
  else
    kick_by([](const ForceWord& word) { return word.force; });
  if (wrong == 0) return;
  for (std::size_t i = 0; i < particles.owned(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!(std::fabs(velocities[particles.words()(i, axis)]) < limit))
        throw std::runtime_error("particle " + std::to_string(particles.ids()[i]) + " at " +
                                 words(particles.position(i)) +
                                 " becomes too fast: the time step is too large for the forces");
}

double Integrator::drift(Particles& particles) {
  const FixedPoint grid(std::ldexp(box_.quantum(), 51));
  const double too_far = settings_.lj.cutoff / 2, magic = grid.magic(), time_step = time_step_;
  double* const positions = particles.positions().data();
  double* const velocities = particles.velocities().data();
  const double* const remembered = remembered_.data();
  double largest = 0;
  std::int64_t wrong = 0;
  for_words(particles, [&](std::size_t first, std::size_t count) {
    double* const x = positions + first;
    const double* const v = velocities + first;
#pragma omp simd reduction(| : wrong)
    for (std::size_t k = 0; k < count; ++k) {
      const double change = std::fma(v[k], time_step, magic) - magic;
      wrong |= !(std::fabs(change) < too_far);
      x[k] += change;
    }
  });
  if (wrong != 0)
    for (std::size_t i = 0; i < particles.owned(); ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double change = velocities[particles.words()(i, axis)] * time_step;
        if (!(std::fabs(change) < too_far * (1 - 1e-9)))
          throw std::runtime_error(
              "particle " + std::to_string(particles.ids()[i]) + " at " +
              words(particles.position(i)) + " moves by " + std::to_string(std::fabs(change)) +
              " in one step, more than half a cut-off: the time step is too large");
      }
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (box_.walls(static_cast<int>(axis))) reflect(particles, axis);
  if (!settings_.lists) return 0;  // nobody asks
  constexpr int L = numerics::widest;
  Lanes<L> most{};
  for_pieces(particles.words(), 0, particles.owned(),
             [&](std::size_t, std::size_t base, auto count, std::size_t next, auto step) {
               const double* const x = positions + base;
               const double* const old = remembered + base;
               const auto squared = [&](auto zero, int k, auto&& load) {
                 auto sum = zero;
                 for (std::size_t axis = 0; axis < 3; ++axis) {
                   const auto at = static_cast<std::size_t>(k * step) + axis * next;
                   const auto moved = load(x + at) - load(old + at);
                   sum += moved * moved;
                 }
                 return sum;
               };
               int k = 0;
               if constexpr (step == 1)
                 for (; k + L <= count; k += L)
                   most = numerics::larger<L>(most, squared(Lanes<L>{}, k, numerics::load<L>));
               for (; k < count; ++k)
                 largest =
                     std::max(largest, squared(0.0, k, [](const double* from) { return *from; }));
             });
  for (int lane = 0; lane < L; ++lane) largest = std::max(largest, most[lane]);
  return largest;
}

void Integrator::reflect(Particles& particles, std::size_t axis) const {
  const double edge = box_.edges()[axis];
  for (std::size_t i = 0; i < particles.owned(); ++i) {
    double& x = particles.position(i, axis);
    if (x >= 0 && x <= edge) continue;
    x = x < 0 ? -x : edge - (x - edge);
    double& v = particles.velocities()[particles.words()(i, axis)];
    v = -v;
  }
}

void Integrator::remember(const Particles& particles) {
  if (settings_.lists)
    remembered_.assign(particles.positions().begin(), particles.positions().end());
}

void Integrator::wrap(Particles& particles) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (box_.walls(static_cast<int>(axis))) continue;
    const double edge = box_.edges()[axis];
    double* const positions = particles.positions().data();
    for_pieces(particles.words(), 0, particles.owned(),
               [&](std::size_t, std::size_t base, auto count, std::size_t next, auto step) {
                 double* const of_axis = positions + base + axis * next;
                 for (int k = 0; k < count; ++k) {
                   double x = of_axis[k * step];
                   x = x < 0 ? x + edge : x;
                   of_axis[k * step] = x >= edge ? x - edge : x;
                 }
               });
  }
}

void reverse(Particles& particles) {
  for (double& v : particles.velocities()) v = -v;
}

ParticleSums::ParticleSums(const Particles& particles, const LennardJones& lj) {
  const double per_quantum = 1 / lj.velocity_quantum();
  Wide squares = 0;
  std::array<Wide, 3> sums{};
  for (std::size_t i = 0; i < particles.owned(); ++i) {
    const Particle particle = particles.particle(i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto v = static_cast<std::int64_t>(particle.velocity[axis] * per_quantum);
      squares += static_cast<Wide>(v) * v;
      sums[axis] += v;
    }
  }
  integers_[0] = static_cast<std::int64_t>(particles.owned());
  split(squares, &integers_[1], 4);
  for (std::size_t axis = 0; axis < 3; ++axis) split(sums[axis], &integers_[5 + 2 * axis], 2);
}

double ParticleSums::kinetic(const LennardJones& lj) const {
  const double quantum = lj.velocity_quantum();
  return static_cast<double>(joined(&integers_[1], 4)) * quantum * quantum * lj.mass / 2;
}

Vector ParticleSums::momentum(const LennardJones& lj) const {
  Vector momentum;
  for (std::size_t axis = 0; axis < 3; ++axis)
    momentum[axis] =
        static_cast<double>(joined(&integers_[5 + 2 * axis], 2)) * lj.velocity_quantum() * lj.mass;
  return momentum;
}

}  // namespace md
