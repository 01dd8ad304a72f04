#include "mesh.hpp"

#include "../common/turns.hpp"

#include <algorithm>
#include <cmath>

namespace lagrange {

namespace {

constexpr double gas = 1.4;  // ratio of specific heats
using Point = std::array<double, 3>;

Point minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The corners of each face of an element, so that its normal points outwards; corner 4 k + 2 j +
/// i.
constexpr int faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                             {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};

using Corners = std::array<Point, 8>;

/// Normal of a face, as long as its area is large.
Point normal(const Corners& corners, const int (&face)[4]) {
  Point area =
      cross(minus(corners[face[2]], corners[face[0]]), minus(corners[face[3]], corners[face[1]]));
  for (double& part : area) part *= 0.5;
  return area;
}

double volume_of(const Corners& corners) {
  double volume = 0;
  for (const auto& face : faces) {
    Point middle{};
    for (const int corner : face)
      for (int axis = 0; axis < 3; ++axis) middle[axis] += 0.25 * corners[corner][axis];
    volume += dot(middle, normal(corners, face)) / 3;
  }
  return volume;
}

}  // namespace

int Part::neighbour(int axis, int step) const {
  std::array<int, 3> there = mine;
  there[axis] += step;
  if (there[axis] < 0 || there[axis] >= ranks[axis]) return MPI_PROC_NULL;
  return (there[0] * ranks[1] + there[1]) * ranks[2] + there[2];
}

Part make_part(MPI_Comm comm, int side) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int edge = static_cast<int>(std::lround(std::cbrt(ranks)));
  Part part{side, {ranks, 1, 1}, {}};
  if (edge * edge * edge == ranks) part.ranks = {edge, edge, edge};
  part.mine = {rank / (part.ranks[1] * part.ranks[2]), rank / part.ranks[2] % part.ranks[1],
               rank % part.ranks[2]};
  return part;
}

template <class Visit>
void Material::each_element(Visit&& visit) const {
  const int n = part_.nodes_a_side();
  std::size_t element = 0;
  for (int k = 0; k < part_.side; ++k)
    for (int j = 0; j < part_.side; ++j)
      for (int i = 0; i < part_.side; ++i) {
        std::array<int, 8> nodes;
        Corners corners;
        for (int corner = 0; corner < 8; ++corner) {
          nodes[corner] = ((k + corner / 4) * n + j + corner / 2 % 2) * n + i + corner % 2;
          for (int axis = 0; axis < 3; ++axis) corners[corner][axis] = place[axis][nodes[corner]];
        }
        visit(element++, nodes, corners);
      }
}

Material::Material(const Part& part) : mass(part.nodes()), part_(part) {
  const int n = part.nodes_a_side();
  const double width = 1.0 / part.side;
  for (auto* const three : {&place, &speed, &force})
    for (std::vector<double>& one : *three) one.resize(part.nodes());
  for (int k = 0, node = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i, ++node) {
        const std::array at{k, j, i};
        for (int axis = 0; axis < 3; ++axis)
          place[axis][node] = width * (part.mine[axis] * part.side + at[axis]);
      }
  for (auto* const one : {&heat_, &volume_, &drag_, &element_mass_})
    one->resize(static_cast<std::size_t>(part.side) * part.side * part.side);
  each_element([&](std::size_t element, const std::array<int, 8>& nodes, const Corners& corners) {
    volume_[element] = volume_of(corners);
    element_mass_[element] = volume_[element];  // the density is 1
    // Hot is what lies near the corner where all axes begin.
    const double distance = dot(corners[0], corners[0]);
    heat_[element] = volume_[element] * (0.01 + 2 * std::exp(-8 * distance));
    for (const int node : nodes) mass[node] += element_mass_[element] / 8;
  });
}

void Material::push() {
  for (std::vector<double>& one : force) std::ranges::fill(one, 0.0);
  each_element([&](std::size_t element, const std::array<int, 8>& nodes, const Corners& corners) {
    const double pressure = (gas - 1) * heat_[element] / volume_[element] + drag_[element];
    for (const auto& face : faces) {
      const Point area = normal(corners, face);
      for (const int corner : face)
        for (int axis = 0; axis < 3; ++axis)
          force[axis][nodes[corner]] += 0.25 * pressure * area[axis];
    }
  });
}

void Material::move(double time) {
  const int n = part_.nodes_a_side();
  for (int axis = 0; axis < 3; ++axis)
    for (int k = 0, node = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i, ++node) {
          const int at = axis == 0 ? k : axis == 1 ? j : i;
          // The planes in which axes begin are walls.
          const bool wall = part_.mine[axis] == 0 && at == 0;
          speed[axis][node] = wall ? 0 : speed[axis][node] + time * force[axis][node] / mass[node];
          place[axis][node] += time * speed[axis][node];
        }
  last_step_ = time;
}

double Material::squeeze() {
  double longest = 1;
  each_element([&](std::size_t element, const std::array<int, 8>&, const Corners& corners) {
    const double now = volume_of(corners), grown = now - volume_[element];
    const double pressure = (gas - 1) * heat_[element] / volume_[element] + drag_[element];
    heat_[element] -= pressure * grown;
    volume_[element] = now;
    const double density = element_mass_[element] / now, length = std::cbrt(now);
    const double sound = std::sqrt(gas * (gas - 1) * heat_[element] / element_mass_[element]);
    // What shrinks resists, or shocks would be steeper than an element can show.
    const double closing = std::max(0.0, -grown / (now * last_step_)) * length;
    drag_[element] = density * closing * (0.5 * sound + 2 * closing);
    longest = std::min(longest, 0.1 * length / (sound + 2 * closing));
  });
  return longest;
}

bool Material::mine(int k, int j, int i) const {
  const std::array at{k, j, i};
  for (int axis = 0; axis < 3; ++axis)
    if (at[axis] == 0 && part_.mine[axis] > 0) return false;
  return true;
}

double Material::energy() const {
  double all = 0;
  for (const double one : heat_) all += one;
  const int n = part_.nodes_a_side();
  for (int k = 0, node = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i, ++node)
        if (mine(k, j, i))
          all += 0.5 * mass[node] *
                 dot({speed[0][node], speed[1][node], speed[2][node]},
                     {speed[0][node], speed[1][node], speed[2][node]});
  return all;
}

std::uint64_t Material::checksum() const {
  std::uint64_t sum = 0;
  const int n = part_.nodes_a_side();
  for (int k = 0, node = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i, ++node) {
        std::uint64_t number = 0;
        const std::array at{k, j, i};
        for (int axis = 0; axis < 3; ++axis)
          number = number * 1'000'000 +
                   static_cast<std::uint64_t>(part_.mine[axis] * part_.side + at[axis]);
        for (int axis = 0; axis < 3; ++axis)
          sum += turns::hash(3 * number + static_cast<std::uint64_t>(axis), place[axis][node]);
      }
  return sum;
}

}  // namespace lagrange
