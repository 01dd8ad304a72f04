#include "decomposition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace md {

namespace {

std::vector<double> even_cuts(const Box& box, double edge, int parts) {
  std::vector<double> cuts;
  for (int i = 0; i <= parts; ++i) {
    const double fraction = static_cast<double>(i) / parts;
    cuts.push_back(std::nearbyint(edge * fraction / box.quantum()) * box.quantum());
  }
  return cuts;
}

/// Calls `act(i)` for each piece that, moved by `shift`, touches [low, high].
template <class Act>
void for_touching(const std::vector<double>& cuts, double shift, double low, double high,
                  Act&& act) {
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    if (cuts[i] + shift <= high && cuts[i + 1] + shift >= low) act(static_cast<int>(i));
}

}  // namespace

std::size_t piece(const std::vector<double>& cuts, double x) {
  const auto above = std::upper_bound(cuts.begin() + 1, cuts.end() - 1, x);
  return static_cast<std::size_t>(above - cuts.begin()) - 1;
}

std::vector<int> outside(const Region& region, const Particles& particles) {
  const double* const positions = particles.positions().data();
  std::vector<int> numbers;
  for_pieces(particles.words(), 0, particles.owned(),
             [&](std::size_t first, std::size_t base, auto count, std::size_t next, auto step) {
               const auto is_outside = [&](int k) {
                 bool is = false;
                 for (std::size_t axis = 0; axis < 3; ++axis) {
                   const double x =
                       positions[base + axis * next + static_cast<std::size_t>(k * step)];
                   is |= !((x >= region.low[axis]) & (x < region.high[axis]));
                 }
                 return is;
               };
               // Mostly nobody is.
               int some = 0;
#pragma omp simd reduction(| : some)
               for (int k = 0; k < count; ++k) some |= is_outside(k);
               for (int k = 0; some != 0 && k < count; ++k)
                 if (is_outside(k)) numbers.push_back(static_cast<int>(first) + k);
             });
  return numbers;
}

Decomposition::Decomposition(const Box& box, std::array<int, 3> dims)
    : box_(box),
      dims_(dims),
      x_(even_cuts(box, box.edges()[0], dims[0])),
      y_(static_cast<std::size_t>(dims[0]), even_cuts(box, box.edges()[1], dims[1])),
      z_(static_cast<std::size_t>(dims[0] * dims[1]), even_cuts(box, box.edges()[2], dims[2])) {}

bool Decomposition::straight() const {
  const auto alike = [](const std::vector<std::vector<double>>& cuts) {
    return std::ranges::all_of(cuts, [&](const auto& of_one) { return of_one == cuts.front(); });
  };
  return alike(y_) && alike(z_);
}

Region Decomposition::region(int part) const {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const int k = part % dims_[2], column = part / dims_[2], i = column / dims_[1],
            j = column % dims_[1];
  const auto& y = y_[at(i)];
  const auto& z = z_[at(column)];
  return {{x_[at(i)], y[at(j)], z[at(k)]}, {x_[at(i + 1)], y[at(j + 1)], z[at(k + 1)]}};
}

int Decomposition::owner(const Vector& position) const {
  const auto size = [&](std::size_t axis) { return static_cast<std::size_t>(dims_[axis]); };
  const std::size_t i = piece(x_, position[0]), j = piece(y_[i], position[1]);
  const std::size_t column = i * size(1) + j;
  return static_cast<int>(column * size(2) + piece(z_[column], position[2]));
}

std::vector<Image> Decomposition::around(int part, double reach) const {
  const Region mine = region(part);
  std::vector<Image> found;
  std::array<int, 3> shift;
  const auto touching = [&](std::size_t axis, const std::vector<double>& cuts, auto&& act) {
    for_touching(cuts, shift[axis] * box_.edges()[axis], mine.low[axis] - reach,
                 mine.high[axis] + reach, act);
  };
  const int x = !box_.walls(0), y = !box_.walls(1), z = !box_.walls(2);
  for (shift[0] = -x; shift[0] <= x; ++shift[0])
    for (shift[1] = -y; shift[1] <= y; ++shift[1])
      for (shift[2] = -z; shift[2] <= z; ++shift[2])
        touching(0, x_, [&](int i) {
          touching(1, y_[static_cast<std::size_t>(i)], [&](int j) {
            const int column = i * dims_[1] + j;
            touching(2, z_[static_cast<std::size_t>(column)], [&](int k) {
              const int other = column * dims_[2] + k;
              if (other != part || shift != std::array{0, 0, 0}) found.push_back({other, shift});
            });
          });
        });
  std::ranges::stable_sort(found, {}, &Image::part);
  return found;
}

Vector Decomposition::away(const Image& image) const {
  Vector moved;
  for (std::size_t axis = 0; axis < 3; ++axis) moved[axis] = image.shift[axis] * box_.edges()[axis];
  return moved;
}

bool Decomposition::wants(int part, const Image& image, Shell shell) const {
  if (shell == Shell::full) return true;
  const Vector mine = region(part).low, moved = away(image);
  Vector other = region(image.part).low;
  for (std::size_t axis = 0; axis < 3; ++axis) other[axis] += moved[axis];
  if (shell == Shell::half) return other > mine;
  return other[0] >= mine[0] && other[1] >= mine[1] && other[2] >= mine[2];
}

Zone Decomposition::zone(int part, const Image& image, Shell shell) const {
  if (shell != Shell::eighth) return anywhere;
  const Vector mine = region(part).low, other = region(image.part).low, moved = away(image);
  unsigned axes = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (other[axis] + moved[axis] > mine[axis]) axes |= 1u << axis;
  return static_cast<Zone>(axes);
}

std::array<int, 3> choose_dims(int ranks, const Vector& edges, double reach) {
  std::array<int, 3> best{ranks, 1, 1};
  double least = std::numeric_limits<double>::infinity();
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    for (int y = 1; y <= ranks / x; ++y) {
      if (ranks / x % y != 0) continue;
      const int z = ranks / x / y;
      const double a = edges[0] / x, b = edges[1] / y, c = edges[2] / z, more = 2 * reach;
      const double surroundings = (a + more) * (b + more) * (c + more) - a * b * c;
      if (surroundings < least * (1 - 1e-12)) least = surroundings, best = {x, y, z};
    }
  }
  return best;
}

}  // namespace md
