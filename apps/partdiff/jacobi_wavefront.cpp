#include "jacobi_wavefront.hpp"

#include "jacobi_row.hpp"

#include <algorithm>

namespace partdiff {

namespace {

/// Three rows that are kept of each sweep but the last, whose rows go into the patch.
class Kept {
 public:
  Kept(const Patch& patch, int sweeps, Scratch& scratch)
      : patch_(patch),
        last_(sweeps - 1),
        stride_(aligned(patch.columns)),
        rows_(scratch.reserve(static_cast<std::size_t>(3 * last_ * stride_))) {}

  /// Where row r goes in sweep s; s = -1: where it is before the first.
  double* row(int s, std::ptrdiff_t r) const {
    if (s < 0 || s == last_) return patch_.data + r * patch_.stride;
    return rows_ + (3 * s + r % 3) * stride_;
  }

 private:
  const Patch& patch_;
  int last_;
  std::ptrdiff_t stride_;
  double* rows_;
};

}  // namespace

int sweeps_in_wavefront(std::ptrdiff_t columns) {
  constexpr std::ptrdiff_t least = 4, most = 8;  // below `least`, lanes of sweeps are faster
  constexpr std::ptrdiff_t cache = 32 * 1024;    // bytes of it for the rows that are kept
  const std::ptrdiff_t row = aligned(columns) * static_cast<std::ptrdiff_t>(sizeof(double));
  const std::ptrdiff_t together = std::min(most, cache / (3 * row));
  return together < least ? 0 : static_cast<int>(together);
}

void jacobi_wavefront(const Sweeps& sweeps, Workspace& workspace) {
  const Patch& patch = sweeps.patch;
  const Region& counted = sweeps.counted;
  const Kept kept(patch, sweeps.count, workspace.rows);
  for (std::ptrdiff_t front = 0; front < patch.rows + sweeps.count - 1; ++front)
    for (int s = 0; s < sweeps.count; ++s) {
      const std::ptrdiff_t r = front - s;
      if (r < 0 || r >= patch.rows) continue;
      Row row = row_of(patch, r, kept.row(s, r));
      row.in = kept.row(s - 1, r);
      if (r > 0) row.up = kept.row(s - 1, r - 1);
      if (r + 1 < patch.rows) row.down = kept.row(s - 1, r + 1);
      row.column_source ? jacobi_row<true>(row) : jacobi_row<false>(row);
      if (sweeps.changes && r >= counted.r0 && r < counted.r1)
        sweeps.changes[s] = std::max(
            sweeps.changes[s],
            largest_change(row.in + counted.c0, row.out + counted.c0, counted.c1 - counted.c0));
    }
}

}  // namespace partdiff
