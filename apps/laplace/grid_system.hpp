#pragma once
// Laplace's equation on a box of the grid.

#include "box.hpp"
#include "problem.hpp"
#include "sweeps.hpp"
#include "system.hpp"

#include <halocline/grid.hpp>

#include <cstdlib>
#include <memory>
#include <vector>

namespace laplace {

/// The extent of all values, those of the surface included.
inline Extent extent_of(const Problem& problem) {
  return {problem.z + 2, problem.y + 2, problem.x + 2};
}

/// The points of a worker, and a halo of one point around them, which holds the surface at the
/// cube's sides, in two arrays.
class GridSystem final : public System {
 public:
  /// A rank's part.
  GridSystem(const Problem&, const halocline::Grid&);
  /// The planes of one of several workers; neighbours are the workers before and after it.
  GridSystem(const Problem&, int worker, int workers);

  void initialise() override;
  double sweep(int steps, bool wanted) override;
  double residual() const override;
  double source() const override;
  double* cells() override { return arrays_[newest_].get(); }
  double* twin() override { return arrays_[1 - newest_].get(); }
  void settle() override;
  const halocline::Pattern& pattern() const override { return pattern_; }
  std::vector<Part> parts() const override;

 private:
  /// Owned points are counted from 0 inside the cube; planes, rows, points of a row.
  GridSystem(const Problem&, const std::array<halocline::Range, 3>& owned);
  /// A whole plane of an array, counted from the first owned one, sides included.
  halocline::Block plane(std::int64_t k) const;
  Box own(std::size_t array) const;
  std::ptrdiff_t offset(std::int64_t k, std::int64_t j, std::int64_t i) const {
    return lead_ + (k + 1) * plane_ + (j + 1) * row_ + i;
  }

  struct Free {
    void operator()(double* array) const { std::free(array); }
  };

  Problem problem_;
  std::array<halocline::Range, 3> owned_;
  std::ptrdiff_t lead_, row_, plane_;  ///< before the first row's own points; strides
  std::unique_ptr<double[], Free> arrays_[2];
  std::size_t elements_, newest_ = 0;
  Workspace workspace_;
  halocline::Pattern pattern_;
};

}  // namespace laplace
