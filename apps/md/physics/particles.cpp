#include "particles.hpp"

#include <algorithm>
#include <stdexcept>

namespace md {
namespace {

// Copies what the first `count` particles have from one memory to another.
template <class T>
void copy(const Addressing& from_words, std::span<const T> from, const Addressing& to_words,
          std::span<T> to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) to[to_words(i, axis)] = from[from_words(i, axis)];
}

}  // namespace

Particles::Particles(Layout layout) : words_{layout, 0} {
  reserve(8);
}

void Particles::assign(std::span<const Particle> particles) {
  zones_.clear();
  ids_.clear();
  reserve(particles.size());
  ids_.resize(particles.size());
  for (std::size_t i = 0; i < particles.size(); ++i) put(i, particles[i]);
}

void Particles::put(std::size_t i, const Particle& particle) {
  ids_[i] = particle.id;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t word = words_(i, axis);
    positions_[word] = particle.position[axis];
    velocities_[word] = particle.velocity[axis];
  }
}

Particle Particles::particle(std::size_t i) const {
  Particle particle{ids_[i], position(i), {}};
  for (std::size_t axis = 0; axis < 3; ++axis)
    particle.velocity[axis] = velocities_[words_(i, axis)];
  return particle;
}

void Particles::replace(std::span<const int> gone, std::span<const Particle> come) {
  zones_.clear();
  const std::size_t both = std::min(gone.size(), come.size());
  for (std::size_t k = 0; k < both; ++k) put(static_cast<std::size_t>(gone[k]), come[k]);
  // The last ones fill the places that are left; from behind, for they may be such places.
  for (std::size_t k = gone.size(); k-- > both;) {
    const std::size_t last = owned() - 1;
    put(static_cast<std::size_t>(gone[k]), particle(last));
    ids_.pop_back();
  }
  reserve(owned() + come.size() - both);
  for (std::size_t k = both; k < come.size(); ++k) {
    ids_.emplace_back();
    put(owned() - 1, come[k]);
  }
}

void Particles::reorder(std::span<const int> order) {
  zones_.clear();
  bool same = order.size() == owned();
  for (std::size_t i = 0; same && i < order.size(); ++i) same = order[i] == static_cast<int>(i);
  if (same) return;
  std::vector<std::int64_t> ids(order.size());
  std::vector<double> positions(words_.all()), velocities(words_.all());
  const Addressing words = words_;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    ids[i] = ids_[from];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      positions[words(i, axis)] = positions_[words(from, axis)];
      velocities[words(i, axis)] = velocities_[words(from, axis)];
    }
  }
  ids_ = std::move(ids);
  velocities_ = std::move(velocities);
  std::ranges::copy(positions, positions_.begin());
}

void Particles::set_ghosts(std::size_t count) {
  reserve(owned() + count);
  zones_.assign(count, anywhere);
}

void Particles::reserve(std::size_t capacity) {
  if (words_.capacity >= capacity + 8) return;
  const std::size_t grown = (std::max(capacity + 8, words_.capacity * 5 / 4) + 7) / 8 * 8;
  const Addressing words{words_.layout, grown};
  std::vector<double> positions(words.all());
  std::vector<ForceWord> forces(words.all());
  move_to(positions, forces, grown);
  // The spans above are of vectors that move into place: their memory stays where it is.
  own_positions_ = std::move(positions);
  own_forces_ = std::move(forces);
}

void Particles::move_to(std::span<double> positions, std::span<ForceWord> forces,
                        std::size_t capacity) {
  const Addressing words{words_.layout, capacity};
  if (capacity % 8 != 0 || capacity < size() + 8 || positions.size() < words.all() ||
      forces.size() < words.all())
    throw std::logic_error("memory for particles is too small");
  std::vector<double> velocities(words.all());
  copy<double>(words_, positions_, words, positions, size());
  copy<ForceWord>(words_, forces_, words, forces, size());
  copy<double>(words_, velocities_, words, velocities, owned());
  velocities_ = std::move(velocities);
  positions_ = positions;
  forces_ = forces;
  words_ = words;
  own_positions_.clear();
  own_forces_.clear();
}

}  // namespace md
