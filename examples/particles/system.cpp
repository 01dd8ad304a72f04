#include "system.hpp"

#include "../common/turns.hpp"

#include <algorithm>
#include <cmath>

namespace particles {

namespace {

constexpr double time_step = 0.005, range = 2.5;
const double cell = std::cbrt(4 / 0.8442);  // of the crystal at the start

double square(const Vec& a, const Vec& b) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

}  // namespace

int Regions::neighbour(int axis, int step) const {
  std::array<int, 3> there = mine;
  there[axis] = (there[axis] + step + ranks[axis]) % ranks[axis];
  return (there[0] * ranks[1] + there[1]) * ranks[2] + there[2];
}

Regions make_regions(MPI_Comm comm, int cells) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  Regions regions{{0, 0, 0}, {}, cells * cell};
  MPI_Dims_create(ranks, 3, regions.ranks.data());
  regions.mine = {rank / (regions.ranks[1] * regions.ranks[2]),
                  rank / regions.ranks[2] % regions.ranks[1], rank % regions.ranks[2]};
  return regions;
}

System::System(const Regions& regions, int cells) : regions_(regions) {
  // Four in each cell of the crystal, a little inside of it.
  constexpr double corners[4][3] = {{0, 0, 0}, {0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}};
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j)
      for (int k = 0; k < cells; ++k)
        for (int corner = 0; corner < 4; ++corner) {
          const std::array<int, 3> at{i, j, k};
          Vec place, speed;
          std::int64_t id = corner;
          for (int axis = 0; axis < 3; ++axis) {
            const int all = regions.mine[axis] * cells + at[axis];
            place[axis] = cell * (all + corners[corner][axis] + 0.25);
            id = id * 100'003 + all;
          }
          for (int axis = 0; axis < 3; ++axis)
            speed[axis] =
                4.0 * static_cast<double>(turns::hash(static_cast<std::uint64_t>(id), axis) >> 11) /
                    static_cast<double>(1ULL << 53) -
                2.0;
          arrived({place, speed, id});
        }
}

void System::drift() {
  for (std::size_t i = 0; i < own(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      v[i][axis] += 0.5 * time_step * f[i][axis];
      x[i][axis] += time_step * v[i][axis];
    }
}

void System::kick() {
  for (std::size_t i = 0; i < own(); ++i)
    for (int axis = 0; axis < 3; ++axis) v[i][axis] += 0.5 * time_step * f[i][axis];
}

void System::find_forces() {
  f.assign(x.size(), Vec{});
  potential_ = 0;
  for (std::size_t i = 0; i + 1 < pairs_begin_.size(); ++i)
    for (std::size_t pair = pairs_begin_[i]; pair < pairs_begin_[i + 1]; ++pair) {
      const std::size_t j = pairs_[pair];
      const double distance = square(x[i], x[j]);
      if (distance >= range * range) continue;
      const double near = 1 / distance, six = near * near * near;
      const double force = 48 * six * (six - 0.5) * near;
      potential_ += 4 * six * (six - 1);
      for (int axis = 0; axis < 3; ++axis) {
        const double part = force * (x[i][axis] - x[j][axis]);
        f[i][axis] += part;
        f[j][axis] -= part;
      }
    }
}

void System::forget_ghosts() {
  x.resize(own());
  f.resize(own());
}

void System::leaving(int axis, std::vector<Traveller>& down, std::vector<Traveller>& up) {
  down.clear();
  up.clear();
  std::size_t stay = 0;
  for (std::size_t i = 0; i < own(); ++i) {
    if (const double at = x[i][axis]; at < regions_.low(axis)) {
      down.push_back({x[i], v[i], number[i]});
      down.back().x[axis] += regions_.shift_down(axis);
    } else if (at >= regions_.high(axis)) {
      up.push_back({x[i], v[i], number[i]});
      if (regions_.mine[axis] + 1 == regions_.ranks[axis])
        up.back().x[axis] -= regions_.length(axis);
    } else {
      x[stay] = x[i], v[stay] = v[i], f[stay] = f[i], number[stay] = number[i];
      ++stay;
    }
  }
  x.resize(stay), v.resize(stay), f.resize(stay), number.resize(stay);
}

void System::arrived(const Traveller& one) {
  x.push_back(one.x);
  v.push_back(one.v);
  f.push_back({});
  number.push_back(one.number);
}

std::vector<int> System::near_below(int axis) const {
  std::vector<int> near;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i][axis] < regions_.low(axis) + reach) near.push_back(static_cast<int>(i));
  return near;
}

void System::find_pairs() {
  // Bins as wide as the reach or more, over my region and what lies within reach above it.
  std::array<int, 3> bins;
  for (int axis = 0; axis < 3; ++axis)
    bins[axis] = static_cast<int>((regions_.width + reach) / reach);
  const auto place = [&](const Vec& at, int axis) {
    const double share = (at[axis] - regions_.low(axis)) / (regions_.width + reach);
    return std::clamp(static_cast<int>(share * bins[axis]), 0, bins[axis] - 1);
  };
  std::vector<std::vector<std::uint32_t>> in_bin(static_cast<std::size_t>(bins[0]) * bins[1] *
                                                 bins[2]);
  const auto bin = [&](int i, int j, int k) -> auto& {
    return in_bin[static_cast<std::size_t>((i * bins[1] + j) * bins[2] + k)];
  };
  std::vector<unsigned> above(x.size());  // a bit for each axis along which it lies above
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis)
      if (x[i][axis] >= regions_.high(axis)) above[i] |= 1U << axis;
    bin(place(x[i], 0), place(x[i], 1), place(x[i], 2)).push_back(static_cast<std::uint32_t>(i));
  }

  pairs_begin_.assign(1, 0);
  pairs_.clear();
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::array<int, 3> low, high;
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::max(place(x[i], axis) - 1, 0);
      high[axis] = std::min(place(x[i], axis) + 1, bins[axis] - 1);
    }
    for (int a = low[0]; a <= high[0]; ++a)
      for (int b = low[1]; b <= high[1]; ++b)
        for (int c = low[2]; c <= high[2]; ++c)
          for (const std::uint32_t j : bin(a, b, c))
            if (j > i && (above[i] & above[j]) == 0 && square(x[i], x[j]) < reach * reach)
              pairs_.push_back(j);
    pairs_begin_.push_back(pairs_.size());
  }
}

double System::energy() const {
  double all = potential_;
  for (const Vec& one : v) all += 0.5 * square(one, {});
  return all;
}

std::uint64_t System::checksum() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < own(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      sum += turns::hash(
          static_cast<std::uint64_t>(number[i]) * 3 + static_cast<std::uint64_t>(axis), x[i][axis]);
  return sum;
}

}  // namespace particles
