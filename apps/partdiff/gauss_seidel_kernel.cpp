// The lexicographic order asks of point (i, j) that (i-1, j) and (i, j-1) are new and (i+1, j) and
// (i, j+1) are old. Any order that keeps this gives the same bits. One row is a chain in which
// every point waits for the one before; here several rows advance together, each one column behind
// the row above, so that their chains overlap and only one value per point is loaded.

#include "gauss_seidel_kernel.hpp"

#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <omp.h>

namespace partdiff {

namespace {

constexpr int tallest = 8;  ///< rows that advance together

/// A band of `R` rows. Step t updates column t - r of every row r that has this column; the band is
/// done after columns + R - 1 steps.
template <int R, bool source, bool residuum>
class Band {
 public:
  explicit Band(const Patch& patch) : p_(patch) {
    for (int r = 0; r < R; ++r) row_[r] = p_.data + r * p_.stride;
  }

  double steps(std::ptrdiff_t begin, std::ptrdiff_t end) {
    const std::ptrdiff_t inner = std::min(end, p_.columns - 1);
    std::ptrdiff_t t = begin;
    for (; t < std::min<std::ptrdiff_t>(R, end); ++t) edge(t);
    if (t < inner) {
      all_inside(t, inner);
      t = inner;
    }
    for (; t < end; ++t) edge(t);
    double largest = 0;
    for (const double change : largest_) largest = std::max(largest, change);
    return largest;
  }

 private:
  double star(int r, std::ptrdiff_t j, double up, double left, double right, double down) const {
    double value = 0.25 * (up + left + right + down);
    if constexpr (source) value += p_.row_source[r] * p_.column_source[j];
    return value;
  }
  void note(int r, double change) {
    if constexpr (residuum) largest_[r] = largest_[r] < change ? change : largest_[r];
  }

  /// A step in which rows begin or end.
  void edge(std::ptrdiff_t t) {
    for (int r = R - 1; r >= 0; --r) {
      const std::ptrdiff_t j = t - r;
      if (j < 0 || j >= p_.columns) continue;
      double& value = row_[r][j];
      const double old = value;
      value = star(r, j, r > 0 ? row_[r - 1][j] : p_.up[j], j > 0 ? row_[r][j - 1] : p_.left[r],
                   j + 1 < p_.columns ? row_[r][j + 1] : p_.right[r],
                   r + 1 < R ? row_[r + 1][j] : p_.down[j]);
      note(r, std::fabs(old - value));
    }
  }

  /// Steps in which every row has a column before and one after.
  void all_inside(std::ptrdiff_t begin, std::ptrdiff_t end) {
    double left[R], old[R], largest[R];
    for (int r = 0; r < R; ++r) {
      left[r] = row_[r][begin - r - 1];
      old[r] = row_[r][begin - r];
      largest[r] = largest_[r];
    }
    for (std::ptrdiff_t t = begin; t < end; ++t) {
      // The point below row r is the one to the right of row r + 1.
      double down = p_.down[t - R + 1];
#pragma GCC unroll 8
      for (int r = R - 1; r >= 0; --r) {
        const double right = row_[r][t - r + 1];
        const double value = star(r, t - r, r > 0 ? left[r - 1] : p_.up[t], left[r], right, down);
        if constexpr (residuum) {
          const double change = std::fabs(old[r] - value);
          largest[r] = largest[r] < change ? change : largest[r];
        }
        row_[r][t - r] = left[r] = value;
        old[r] = down = right;
      }
    }
    for (int r = 0; r < R; ++r) largest_[r] = largest[r];
  }

  const Patch p_;
  double* row_[R];
  double largest_[R] = {};
};

/// Steps [begin, end) of a band of `patch.rows` rows.
template <bool source, bool residuum>
double band_steps(const Patch& patch, std::ptrdiff_t begin, std::ptrdiff_t end) {
  switch (patch.rows) {
    case 1: return Band<1, source, residuum>(patch).steps(begin, end);
    case 2: return Band<2, source, residuum>(patch).steps(begin, end);
    case 3: return Band<3, source, residuum>(patch).steps(begin, end);
    case 4: return Band<4, source, residuum>(patch).steps(begin, end);
    case 5: return Band<5, source, residuum>(patch).steps(begin, end);
    case 6: return Band<6, source, residuum>(patch).steps(begin, end);
    case 7: return Band<7, source, residuum>(patch).steps(begin, end);
    default: return Band<tallest, source, residuum>(patch).steps(begin, end);
  }
}

double steps(const Patch& patch, bool residuum, std::ptrdiff_t begin, std::ptrdiff_t end) {
  if (patch.row_source)
    return residuum ? band_steps<true, true>(patch, begin, end)
                    : band_steps<true, false>(patch, begin, end);
  return residuum ? band_steps<false, true>(patch, begin, end)
                  : band_steps<false, false>(patch, begin, end);
}

Patch band(const Patch& patch, std::ptrdiff_t index) {
  const std::ptrdiff_t begin = index * tallest;
  return patch.part(begin, std::min(begin + tallest, patch.rows), 0, patch.columns);
}

/// Bands go to the threads in turn; each follows the band above at a distance.
double wavefront(const Patch& patch, bool residuum, int threads) {
  constexpr std::ptrdiff_t chunk = 512;  // columns between looks at the band above
  const std::ptrdiff_t bands = (patch.rows + tallest - 1) / tallest;
  std::vector<Progress> progress(static_cast<std::size_t>(bands));
  const bool crowded = threads > cpus;
  double largest = 0;
#pragma omp parallel num_threads(threads) reduction(max : largest)
  for (std::ptrdiff_t b = omp_get_thread_num(); b < bands; b += omp_get_num_threads()) {
    const Patch mine = band(patch, b);
    const std::ptrdiff_t all = patch.columns + mine.rows - 1;
    for (std::ptrdiff_t begin = 0; begin < all; begin += chunk) {
      const std::ptrdiff_t end = std::min(begin + chunk, all);
      if (b > 0)
        wait_for(progress[static_cast<std::size_t>(b - 1)], std::min(end, patch.columns), crowded);
      largest = std::max(largest, steps(mine, residuum, begin, end));
      progress[static_cast<std::size_t>(b)].steps.store(end - (mine.rows - 1),
                                                        std::memory_order_release);
    }
  }
  return largest;
}

}  // namespace

double gauss_seidel(const Patch& patch, bool residuum, int threads) {
  if (patch.empty()) return 0;
  if (threads > 1 && patch.rows > tallest) return wavefront(patch, residuum, threads);
  double largest = 0;
  for (std::ptrdiff_t b = 0; b * tallest < patch.rows; ++b) {
    const Patch mine = band(patch, b);
    largest = std::max(largest, steps(mine, residuum, 0, mine.columns + mine.rows - 1));
  }
  return largest;
}

}  // namespace partdiff
