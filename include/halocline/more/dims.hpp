#pragma once
// Process grids: how cells are cut into parts, and the cuts that communicate the least. No MPI
// call.

#include <halocline/range.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

/// What cutting each axis costs. Vectors have one entry for each axis, slowest first; `periodic`,
/// `most` and `fixed` may be empty.
struct CutCosts {
  std::vector<double> weights{};     ///< what crosses one cutting plane (any unit, 0 or more)
  std::vector<bool> periodic{};      ///< an axis that is cut has one plane more; open by default
  std::vector<std::int64_t> most{};  ///< parts at most; no limit by default
  std::vector<int> fixed{};          ///< parts chosen by hand, 0 where they are free
};

/// The way to write `ranks` as a product over the axes whose planes cost least in all; among equals
/// the one with most parts along the slowest axis. With open axes that is the least sum of dims[i]
/// * weights[i]. Exact. Empty if none keeps within `most` and `fixed`; throws Error on negative
/// weights and on vectors of different lengths.
std::vector<int> weighted_dims(int ranks, const CutCosts& costs);

/// The same for as many of the ranks as possible: some stay idle if fewer parts fit.
std::vector<int> fitting_dims(int ranks, const CutCosts& costs);

/// The same over the levels of a machine: `counts` are its nodes, the sockets of a node and the
/// cores of a socket, and the result says how many of each lie along each axis, a row for each
/// level. The fewest words cross nodes, then sockets, then cores: exact over all ways to write each
/// count as a product (Niethammer and Rabenseifner, https://doi.org/10.1145/3343211.3343217).
std::vector<std::vector<int>> weighted_levels(const std::vector<int>& counts,
                                              const CutCosts& costs);

/// A mesh that is cut into parts, one a rank, which exchange halos. An entry for each axis.
struct Mesh {
  std::vector<std::int64_t> cells{};
  std::vector<HaloWidth> halos{};
  std::vector<bool> periodic{};
  /// Halo width times surface, both ways: the words that cross one cutting plane; at most as many
  /// parts as cells.
  CutCosts costs() const;
};

}  // namespace halocline

#pragma GCC visibility pop
