#pragma once
// Who interacts with whom: for each particle a row of all its partners. Each pair is in two rows,
// so that a row's force has one owner, and lanes of a vector take its partners side by side.

#include "cells.hpp"
#include "wide.hpp"

#include <array>
#include <vector>

namespace md {

class Rows {
 public:
  /// Sums over pairs in quanta, as many times as a pair has been seen; of two particles that
  /// overlap, the indices, else -1.
  struct Result {
    Wide potential = 0, virial = 0;
    std::array<int, 2> overlap{-1, -1};
  };

  Rows(const ForceSettings& settings, const Cells& cells, const InCells& owned,
       const InCells& ghosts)
      : settings_(settings), cells_(cells), owned_(owned), ghosts_(ghosts) {}

  /// Owned particles have a new order.
  void sorted(const Particles& particles);
  /// Partners are those within reach. Writes a position behind the last ghost's.
  void build(Particles& particles);
  /// Inner: of rows without ghosts.
  Result compute(Particles& particles, bool inner, bool sums) const;
  double inner_share() const noexcept;

 private:
  /// A row's partners are where their first coordinates are in memory, so many of them.
  struct Row {
    int particle;
    std::size_t first;
    int partners;
  };

  void add_row(const Particles& particles, const InCells& mine, std::size_t place);
  template <bool exact, bool sums>
  void compute_row(Particles& particles, const Row& row, Result& result) const;
  template <bool exact, bool sums>
  Result compute_rows(Particles& particles, const std::vector<Row>& rows) const;
  std::array<int, 2> overlapping(const Particles& particles, const Row& row) const;

  const ForceSettings& settings_;
  const Cells& cells_;
  const InCells &owned_, &ghosts_;
  std::vector<int> owned_words_, ghost_words_;  ///< first coordinates of those in cells
  std::vector<int> partners_;                   ///< the first `filled_` of them
  std::size_t filled_ = 0;
  std::vector<Row> inner_, outer_;
  float reach_squared_ = 0;
};

}  // namespace md
