#pragma once
// Jacobi sweeps over a rank's points. No MPI here.

#include "box.hpp"

#include <numerics/following.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace laplace {

/// For each axis, slowest first, whether other ranks' points follow below and above; else the
/// surface does.
using Continues = std::array<std::array<bool, 2>, 3>;

/// Several sweeps, the first from `from` to `to`, the next one back, and so on.
struct Sweeps {
  /// My own points in two arrays of one shape. Both hold the surface beside them; in `from`, halos
  /// that are `count` points deep are right where the points continue.
  Box from, to;
  int count = 1;
  Continues continues{};
  bool watched = false;  ///< the squares of what the last sweep changes are wanted

  /// Where the result is. In the halos anything may be left.
  const Box& result() const noexcept { return count % 2 == 0 ? from : to; }
};

/// What sweeps keep between calls, so that it is allocated once.
struct Workspace {
  std::vector<numerics::Progress> progress;
};

/// Returns the sum of the squares of what the last sweep changes if they are wanted, else 0.
double sweep(const Sweeps&, int threads, Workspace&);

/// How many of `count` sweeps are made first, where `most` at a time can be: in as few parts as do,
/// as equal as can be, because a short part costs almost as much as a long one.
constexpr std::int64_t first_part(std::int64_t count, std::int64_t most) {
  const std::int64_t parts = (count + most - 1) / most;
  return (count + parts - 1) / parts;
}

/// How many of `most` threads have work worth waking them for.
int worthwhile(const Box&, int most);

}  // namespace laplace
