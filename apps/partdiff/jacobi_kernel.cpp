#include "jacobi_kernel.hpp"

#include "jacobi_row.hpp"

#include <algorithm>

namespace partdiff {

double jacobi(const Patch& in, double* out, bool residuum, int threads) {
  if (in.empty()) return 0;
  const auto sweep_row = [&](std::ptrdiff_t r) -> double {
    const Row row = row_of(in, r, out + r * in.stride);
    in.row_source ? jacobi_row<true>(row) : jacobi_row<false>(row);
    return residuum ? largest_change(row.in, row.out, row.size) : 0;
  };
  double largest = 0;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1) \
    reduction(max                                                               \
              : largest)
  for (std::ptrdiff_t r = 0; r < in.rows; ++r) largest = std::max(largest, sweep_row(r));
  return largest;
}

}  // namespace partdiff
