#include "problem.hpp"

#include <stdexcept>
#include <string>

namespace multigrid {

namespace {

/// A rank's cube of points among those of all ranks, with its halo around it.
struct Cube {
  int side;
  std::array<int, 3> ranks, mine;  ///< of ranks along each axis; my place among them

  /// Whether there is a rank in this direction; its number.
  bool has(std::array<int, 3> direction) const {
    for (int axis = 0; axis < 3; ++axis) {
      const int there = mine[axis] + direction[axis];
      if (there < 0 || there >= ranks[axis]) return false;
    }
    return true;
  }
  int rank(std::array<int, 3> direction) const {
    return ((mine[0] + direction[0]) * ranks[1] + mine[1] + direction[1]) * ranks[2] + mine[2] +
           direction[2];
  }
  /// Places count from -1 (halo) to `side` (halo).
  std::size_t place(int i, int j, int k) const {
    const std::size_t n = static_cast<std::size_t>(side) + 2;
    return (static_cast<std::size_t>(i + 1) * n + static_cast<std::size_t>(j + 1)) * n +
           static_cast<std::size_t>(k + 1);
  }
};

template <class Visit>
void each_direction(Visit&& visit) {
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k) visit(std::array{i, j, k});
}

/// The points of the cube from which, or outside of it to which, one step in this direction leads.
template <class Visit>
void each_point(const Cube& cube, std::array<int, 3> direction, bool outside, Visit&& visit) {
  std::array<int, 3> begin, end;
  for (int axis = 0; axis < 3; ++axis) {
    const int edge = direction[axis] < 0 ? (outside ? -1 : 0) : cube.side - (outside ? 0 : 1);
    begin[axis] = direction[axis] == 0 ? 0 : edge;
    end[axis] = direction[axis] == 0 ? cube.side : edge + 1;
  }
  for (int i = begin[0]; i < end[0]; ++i)
    for (int j = begin[1]; j < end[1]; ++j)
      for (int k = begin[2]; k < end[2]; ++k) visit(i, j, k);
}

Level make_level(const Cube& cube) {
  Level level;
  constexpr int nothing = -1;
  std::vector<int> index(cube.place(cube.side, cube.side, cube.side) + 1, nothing);
  each_point(cube, {0, 0, 0}, false, [&](int i, int j, int k) {
    index[cube.place(i, j, k)] = level.points++;
    level.number.push_back(
        ((static_cast<std::int64_t>(cube.mine[0]) * cube.side + i) * cube.ranks[1] * cube.side +
         cube.mine[1] * cube.side + j) *
            cube.ranks[2] * cube.side +
        cube.mine[2] * cube.side + k);
  });
  level.extent = level.points;
  each_direction([&](std::array<int, 3> direction) {
    if (direction == std::array{0, 0, 0} || !cube.has(direction)) return;
    HaloLists& halo = level.halo;
    const auto sent = halo.sent.size();
    const int extent = level.extent;
    each_point(cube, direction, false,
               [&](int i, int j, int k) { halo.sent.push_back(index[cube.place(i, j, k)]); });
    each_point(cube, direction, true,
               [&](int i, int j, int k) { index[cube.place(i, j, k)] = level.extent++; });
    halo.neighbours.push_back(cube.rank(direction));
    halo.sent_count.push_back(static_cast<int>(halo.sent.size() - sent));
    halo.received_count.push_back(level.extent - extent);
  });

  each_point(cube, {0, 0, 0}, false, [&](int i, int j, int k) {
    level.row_begin.push_back(static_cast<int>(level.column.size()));
    each_direction([&](std::array<int, 3> step) {
      const int other = index[cube.place(i + step[0], j + step[1], k + step[2])];
      if (other == nothing) return;
      const bool self = step == std::array{0, 0, 0};
      if (self) level.diagonal.push_back(static_cast<int>(level.column.size()));
      level.column.push_back(other);
      level.value.push_back(self ? 26.0 : -1.0);
    });
  });
  level.row_begin.push_back(static_cast<int>(level.column.size()));
  return level;
}

}  // namespace

std::vector<Level> make_levels(MPI_Comm comm, int side, int count) {
  const int coarsest = 1 << (count - 1);
  if (side % coarsest != 0 || side / coarsest < 2 || side > 256)
    throw std::invalid_argument("--size must be a multiple of " + std::to_string(coarsest) +
                                " from " + std::to_string(2 * coarsest) + " to 256 for " +
                                std::to_string(count) + " levels, not " + std::to_string(side));
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  Cube cube{side, {0, 0, 0}, {}};
  MPI_Dims_create(ranks, 3, cube.ranks.data());
  cube.mine = {rank / (cube.ranks[1] * cube.ranks[2]), rank / cube.ranks[2] % cube.ranks[1],
               rank % cube.ranks[2]};

  std::vector<Level> levels;
  for (int i = 0; i < count; ++i, cube.side /= 2) {
    levels.push_back(make_level(cube));
    if (i == 0) continue;
    const int finer = 2 * cube.side;
    each_point(cube, {0, 0, 0}, false, [&](int x, int y, int z) {
      levels.back().in_finer.push_back((2 * x * finer + 2 * y) * finer + 2 * z);
    });
  }
  return levels;
}

void multiply(const Level& level, const Vector& x, Vector& y) {
  for (int row = 0; row < level.points; ++row) {
    double sum = 0;
    for (int i = level.row_begin[row]; i < level.row_begin[row + 1]; ++i)
      sum += level.value[i] * x[level.column[i]];
    y[row] = sum;
  }
}

void smooth(const Level& level, const Vector& b, Vector& x) {
  const auto relax = [&](int row) {
    double sum = b[row];
    for (int i = level.row_begin[row]; i < level.row_begin[row + 1]; ++i)
      sum -= level.value[i] * x[level.column[i]];
    const double diagonal = level.value[level.diagonal[row]];
    x[row] = (sum + diagonal * x[row]) / diagonal;
  };
  for (int row = 0; row < level.points; ++row) relax(row);
  for (int row = level.points; row-- > 0;) relax(row);
}

}  // namespace multigrid
