#pragma once
// Laplace's equation on a box of the grid.

#include "problem.hpp"
#include "system.hpp"

#include <memory>
#include <vector>

namespace laplace {

/// Of all values, those of the surface included.
inline Extent extent_of(const Problem& problem) {
  return {problem.z + 2, problem.y + 2, problem.x + 2};
}

/// The points `owned` (counted from 0 inside the cube; planes, rows, points of a row), and a halo
/// of one point around them, which holds the surface at the cube's sides.
class GridSystem final : public System {
 public:
  /// A rank's part. The array is laid out as the grid's own, so that its pattern fits.
  GridSystem(const Problem&, const halocline::Grid&);
  /// The planes of one of several workers; neighbours are the workers before and after it.
  GridSystem(const Problem&, int worker, int workers);

  void initialise() override;
  double sweep(bool wanted) override;
  double residual() const override;

  double source() const override;
  double* cells() override { return array_.get(); }
  const halocline::Pattern& pattern() const override { return pattern_; }
  std::vector<Part> parts() const override;

 private:
  GridSystem(const Problem&, const std::array<halocline::Range, 3>& owned);
  /// A whole plane of the array, counted from the first owned one, sides included.
  halocline::Block plane(std::int64_t k) const;
  double* at(std::int64_t k, std::int64_t j) const noexcept {
    return array_.get() + (k + 1) * plane_ + (j + 1) * row_ + 1;
  }

  Problem problem_;
  std::array<halocline::Range, 3> owned_;
  std::ptrdiff_t row_, plane_;
  std::unique_ptr<double[]> array_;
  std::vector<double> new_;  ///< two planes on their way into the array
  halocline::Pattern pattern_;
};

}  // namespace laplace
