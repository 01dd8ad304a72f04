#include "surroundings.hpp"

#include <algorithm>

namespace md {

namespace {

/// Bit 2 axis + 1 if a region lies above mine along an axis, bit 2 axis if below.
unsigned borders_towards(const Region& mine, const Region& other) {
  unsigned bits = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (other.high[axis] <= mine.low[axis]) bits |= 1u << (2 * axis);
    if (other.low[axis] >= mine.high[axis]) bits |= 2u << (2 * axis);
  }
  return bits;
}

/// For each owned particle, the borders that it is so near to that it matters beyond them.
void find_near(const Region& mine, const Particles& particles, double reach,
               std::vector<int>& near) {
  near.resize(particles.owned());
  const double* const positions = particles.positions().data();
  for_pieces(particles.words(), 0, particles.owned(),
             [&](std::size_t first, std::size_t base, auto count, std::size_t next, auto step) {
               int* const out = near.data() + first;
               for (std::size_t axis = 0; axis < 3; ++axis) {
                 const double* const at = positions + base + axis * next;
                 const double low = mine.low[axis], high = mine.high[axis];
                 const int below = 1 << (2 * axis), above = 2 << (2 * axis);
#pragma omp simd
                 for (int k = 0; k < count; ++k) {
                   const double x = at[k * step];
                   const int those =
                       (x - low <= reach ? below : 0) | (high - x <= reach ? above : 0);
                   out[k] = (axis == 0 ? 0 : out[k]) | those;
                 }
               }
             });
}

double distance_squared(const Region& region, const Vector& position) {
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double beyond =
        std::max({region.low[axis] - position[axis], position[axis] - region.high[axis], 0.0});
    sum += beyond * beyond;
  }
  return sum;
}

Region moved(Region region, const Vector& by) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    region.low[axis] += by[axis], region.high[axis] += by[axis];
  return region;
}

}  // namespace

Surroundings::Surroundings(const Decomposition& decomposition, int part, Shell shell, double reach)
    : reach_(reach), mine_(decomposition.region(part)) {
  const std::vector<Image> images = decomposition.around(part, reach);
  const auto name = [&](std::vector<int>& peers, int other) {
    if (other != part && (peers.empty() || peers.back() != other)) peers.push_back(other);
  };
  for (const Image& image : images)
    if (decomposition.wants(part, image, shell)) {
      const Region region = moved(decomposition.region(image.part), decomposition.away(image));
      kept.push_back({.part = image.part,
                      .away = decomposition.away(image),
                      .zone = decomposition.zone(part, image, shell),
                      .region = region,
                      .borders = borders_towards(mine_, region)});
      name(sources, image.part);
    }
  // A subdomain that sees me moved by `shift` is, as I see it, moved by as much the other way.
  for (auto first = images.begin(); first != images.end();) {
    const auto last = std::find_if(first, images.end(),
                                   [&](const Image& image) { return image.part != first->part; });
    for (auto image = last; image-- != first;) {
      const Image mine{part, {-image->shift[0], -image->shift[1], -image->shift[2]}};
      if (!decomposition.wants(image->part, mine, shell)) continue;
      const Region region = moved(decomposition.region(image->part), decomposition.away(*image));
      given.push_back({.part = image->part,
                       .away = decomposition.away(mine),
                       .region = region,
                       .borders = borders_towards(mine_, region)});
      name(targets, image->part);
    }
    first = last;
  }
  for (unsigned near = 0; near < towards_.size(); ++near)
    for (std::size_t k = 0; k < given.size(); ++k)
      if ((given[k].borders & ~near) == 0) towards_[near].push_back(static_cast<int>(k));
}

void Surroundings::select(const Particles& particles) {
  for (Copies& copies : given) copies.chosen.clear();
  // A little more, for what is lost in rounding.
  const double reach = reach_ * (1 + 1e-12), squared = reach * reach;
  find_near(mine_, particles, reach, near_);
  for (std::size_t i = 0; i < particles.owned(); ++i) {
    const std::vector<int>& some = towards_[static_cast<std::size_t>(near_[i])];
    if (some.empty()) continue;
    const Vector position = particles.position(i);
    for (const int k : some) {
      Copies& copies = given[static_cast<std::size_t>(k)];
      if (distance_squared(copies.region, position) <= squared)
        copies.chosen.push_back(static_cast<int>(i));
    }
  }
}

std::size_t Surroundings::inner() const {
  // For each set of borders: whether some image lies towards just these.
  std::array<bool, 64> is_outer{};
  for (unsigned near = 0; near < is_outer.size(); ++near)
    is_outer[near] = std::ranges::any_of(
        kept, [&](const Copies& copies) { return (copies.borders & ~near) == 0; });
  return static_cast<std::size_t>(std::ranges::count_if(
      near_, [&](int near) { return !is_outer[static_cast<std::size_t>(near)]; }));
}

}  // namespace md
