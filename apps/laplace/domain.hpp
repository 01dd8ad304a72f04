#pragma once
// A rank's part of the points: the cells of a halocline::Grid are the points inside the cube; the
// surface lives in the halo cells that no link fills.

#include "box.hpp"
#include "part.hpp"
#include "problem.hpp"
#include "sweeps.hpp"

#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace laplace {

class Domain {
 public:
  Domain(const Problem& problem, halocline::Grid grid);

  const Problem& problem() const noexcept { return problem_; }
  const halocline::Grid& grid() const noexcept { return grid_; }
  bool idle() const noexcept { return grid_.idle(); }

  /// Doubles of the local array: halos, and padding that lets my rows begin on cache lines.
  std::size_t elements() const noexcept { return elements_; }
  /// My halo's links in such an array.
  halocline::Pattern halo() const;
  /// The surface's values and the start's in an array; each thread is the first to touch the
  /// planes that it will sweep over.
  void initialise(double* array, int threads) const;

  /// The points that I own.
  Box own(double* array) const noexcept;
  /// Where global point (k, j, i) is in the array, which holds it: I own it, or it is beside those.
  std::ptrdiff_t offset(std::int64_t k, std::int64_t j, std::int64_t i) const noexcept {
    return lead_ + (k - first_[0]) * plane_ + (j - first_[1]) * row_ + (i - first_[2]);
  }
  /// The points that I answer for in output: my own and the surface beside them, by global index.
  halocline::Range points(int axis) const;
  /// These points in an array: one part, or none.
  std::vector<Part> parts(const double* array) const;
  /// The extent of all points, those of the surface included.
  Extent extent() const noexcept { return {problem_.z + 2, problem_.y + 2, problem_.x + 2}; }
  /// The sides of my points beyond which other ranks' points follow.
  Continues continues() const;

 private:
  Problem problem_;
  halocline::Grid grid_;
  std::size_t elements_ = 0;
  std::ptrdiff_t plane_ = 0, row_ = 0, lead_ = 0;
  std::array<std::int64_t, 3> first_{};  ///< global index of the first point of the halo
};

}  // namespace laplace
