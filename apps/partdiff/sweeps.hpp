#pragma once
#include "patch.hpp"

#include <numerics/following.hpp>
#include <numerics/lanes.hpp>

#include <cstdint>
#include <vector>

namespace partdiff {

using namespace numerics;

/// Rows and columns [begin, end) of a patch.
struct Region {
  std::ptrdiff_t r0, r1, c0, c1;
};

/// Rows that the kernels take together: a patch that sweeps leave below has a multiple of these.
constexpr int band_rows = registers >= 32 ? 5 : 3;

/// Doubles between rows that begin on a cache line.
constexpr std::ptrdiff_t aligned(std::ptrdiff_t columns) {
  return (columns + 7) / 8 * 8;
}

/// Doubles that begin on a cache line.
class Scratch {
 public:
  double* reserve(std::size_t doubles) {
    const std::size_t lines = (doubles + 7) / 8;
    if (lines_.size() < lines) lines_ = std::vector<Line>(lines);
    return lines_.data()->values;
  }

 private:
  struct alignas(64) Line {
    double values[8];
  };
  std::vector<Line> lines_;
};

/// What sweeps keep between calls, so that it is allocated once.
struct Workspace {
  Scratch diagonals, sources, rows, strip;
  std::vector<numerics::Progress> progress;
  std::vector<Workspace> of_threads;
};

/// Several sweeps over a patch, in place, as if one after the other; the points around the patch
/// keep their values.
struct Sweeps {
  Patch patch{};
  int count = 1;
  /// changes[k] is raised to the largest change that sweep k makes within `counted`; null if it is
  /// not wanted.
  double* changes = nullptr;
  Region counted{};

  // Gauss-Seidel can take over sweeps in flight from the rows above, and leave them to the rows
  // below a patch of n * band_rows rows. `count` is a flight() then. Left behind, row k from the
  // bottom has had k + 1 sweeps. Taken over, such rows above the patch, in the same array, become
  // complete; their changes count.
  bool from_above = false, to_below = false;
};

/// The most sweeps that can be in flight together if `most` are wanted.
constexpr int flight(std::int64_t most) {
  int count = widest;
  while (count > most) count /= 2;
  return count;
}

void jacobi_sweeps(const Sweeps&, int threads, Workspace&);
void gauss_seidel_sweeps(const Sweeps&, int threads, Workspace&);

}  // namespace partdiff
