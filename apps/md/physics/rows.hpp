#pragma once
// Which particles interact: each has a row of all its partners. Each pair is in two rows,
// so that a row's force has one owner and threads never meet. As many rows as a vector has lanes
// are a block, whose lanes take them side by side (as SELL does it with rows of a matrix: M.
// Kreutzer et al., SIAM J. Sci. Comput. 36 (2014) C401). With lists on, blocks are kept until the
// next build; with lists off, each is found, used and forgotten.

#include "cells.hpp"
#include "near.hpp"
#include "wide.hpp"

#include <numerics/lanes.hpp>

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

  /// Rows of a block.
  static constexpr int together = numerics::widest;
  struct Block {
    std::array<int, together> words;  ///< the particles', of their first coordinates
    int rows;                         ///< so many are there, the others are like the first
    int length;                       ///< partners of the longest; what others lack is far away
    std::size_t first;  ///< where partners are: `together` words of first coordinates at a time
  };

  Rows(const ForceSettings& settings, const Cells& cells, const InCells& places);

  /// Partners are those within reach. Writes a position behind the last ghost's.
  void build(Particles& particles);
  /// Inner: of rows without ghosts, as far as they are known: with lists off no row is kept, and
  /// all are outer.
  Result compute(Particles& particles, bool inner, bool sums);
  double inner_share() const noexcept;

 private:
  /// What one thread does.
  struct Part {
    std::vector<int> cells;  ///< whose particles' rows it finds
    std::vector<Block> inner, outer;
    std::vector<int> partners;
    Candidates candidates;
    std::size_t filled = 0, inner_partners = 0;
  };
  class Rough;
  std::size_t group(const std::vector<int>& cells, std::size_t first) const;
  std::size_t within_reach(const Particles& particles, int word, int* partners,
                           std::size_t count) const;
  template <class Use>
  void for_blocks(const Particles& particles, Part& part, bool keep, Use&& use) const;
  template <Layout layout, bool exact, bool sums>
  Result compute_rows(Particles& particles, bool inner);
  std::array<int, 2> overlapping(const Particles& particles, int word) const;

  const ForceSettings& settings_;
  const Cells& cells_;
  const InCells& places_;
  std::vector<Part> parts_;
  int nobody_ = 0;  ///< the word of a particle that is too far away to matter
};

}  // namespace md
