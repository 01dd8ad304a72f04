#pragma once
// How panels of A and B come to a rank that multiplies them, step by step. Arithmetic only.

#include "part.hpp"

#include <halocline/pattern.hpp>

#include <cstddef>
#include <vector>

namespace matmul {

/// A rank's array: its tiles of A and B from the first element on, then room for what comes.
struct Owned {
  explicit Owned(const Part& part);

  std::vector<Tile> a{}, b{};               ///< those of the panels that this rank owns, in order
  std::vector<std::size_t> a_at{}, b_at{};  ///< for each panel, where its tile begins if it is mine
  std::size_t numbers = 0;
};

/// What a rank multiplies in a step.
struct Use {
  std::size_t panel;  ///< of `Part::panels`
  std::size_t a, b;   ///< where both blocks are in the array, unless they are read where they lie
};

/// The exchanges of one product on one rank. All ranks have as many, idle ones too.
struct Schedule {
  Owned owned;
  std::size_t numbers = 0;  ///< of the array
  std::vector<halocline::Pattern> patterns{};
  std::vector<std::vector<std::size_t>>
      before{};             ///< for each step, which patterns bring its panel
  std::vector<Use> uses{};  ///< for each step in which the rank multiplies
};

/// Panels from their owners, into two buffers in turn: to all in the same order, or `rotated`, to
/// each rank from the first one on that its row and its column own, as after Cannon's skew.
/// `steps` is the number of panels of the deepest part of K.
Schedule fetching(const Part& part, int steps, bool rotated);

/// Cannon's algorithm on a grid of any shape: after the skew, panels of A wander along rows and
/// those of B along columns.
Schedule shifting(const Part& part, int steps);

}  // namespace matmul
