#pragma once
// Jacobi sweeps over a rank's points. No MPI here.

#include "box.hpp"

#include <progress.hpp>

#include <array>
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
  std::vector<following::Progress> progress;
};

/// Returns the sum of the squares of what the last sweep changes if they are wanted, else 0.
double sweep(const Sweeps&, int threads, Workspace&);

/// Of `most` threads as many as have work worth waking them for.
int worthwhile(const Box&, int most);

}  // namespace laplace
