#include "jacobi_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace partdiff {

namespace {

// Every point is 0.25 * (((up + left) + right) + down) + source, in exactly this order.

/// Largest changes in lanes of their own: a compiler may not reorder one maximum, but these it can
/// keep in one vector register.
constexpr int lanes = 16;
using Lanes = std::array<double, lanes>;

template <bool source, bool residuum>
double row(double* __restrict out, const double* __restrict in, const double* __restrict up,
           const double* __restrict down, double left, double right, std::ptrdiff_t n,
           double row_source, const double* __restrict column_source) {
  const auto star = [=](std::ptrdiff_t j, double l, double r) {
    double value = 0.25 * (up[j] + l + r + down[j]);
    if constexpr (source) value += row_source * column_source[j];
    return value;
  };
  double largest = 0;
  const auto point = [&](std::ptrdiff_t j, double l, double r) {
    const double value = star(j, l, r);
    if constexpr (residuum) largest = std::max(largest, std::fabs(in[j] - value));
    out[j] = value;
  };

  point(0, left, n > 1 ? in[1] : right);
  std::ptrdiff_t j = 1;
  if constexpr (residuum) {
    Lanes changes{};
    for (; j + lanes <= n - 1; j += lanes)
      for (int l = 0; l < lanes; ++l) {
        const double value = star(j + l, in[j + l - 1], in[j + l + 1]);
        const double change = std::fabs(in[j + l] - value);
        changes[l] = changes[l] < change ? change : changes[l];
        out[j + l] = value;
      }
    for (const double change : changes) largest = std::max(largest, change);
  }
  for (; j < n - 1; ++j) point(j, in[j - 1], in[j + 1]);
  if (n > 1) point(n - 1, in[n - 2], right);
  return largest;
}

template <bool source, bool residuum>
double sweep(const Patch& in, double* out, int threads) {
  const auto one = [&](std::ptrdiff_t r) {
    const double* const mine = in.data + r * in.stride;
    return row<source, residuum>(out + r * in.stride, mine, r > 0 ? mine - in.stride : in.up,
                                 r + 1 < in.rows ? mine + in.stride : in.down, in.left[r],
                                 in.right[r], in.columns, source ? in.row_source[r] : 0,
                                 in.column_source);
  };
  double largest = 0;
  if (threads == 1) {
    for (std::ptrdiff_t r = 0; r < in.rows; ++r) largest = std::max(largest, one(r));
    return largest;
  }
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : largest)
  for (std::ptrdiff_t r = 0; r < in.rows; ++r) largest = std::max(largest, one(r));
  return largest;
}

}  // namespace

double jacobi(const Patch& in, double* out, bool residuum, int threads) {
  if (in.empty()) return 0;
  if (in.row_source)
    return residuum ? sweep<true, true>(in, out, threads) : sweep<true, false>(in, out, threads);
  return residuum ? sweep<false, true>(in, out, threads) : sweep<false, false>(in, out, threads);
}

}  // namespace partdiff
