#include "format.hpp"

#include <algorithm>
#include <utility>

namespace spmv {

Format::Format(std::vector<std::int32_t> rows) : rows_(std::move(rows)) {
  for (std::size_t i = 1; i < rows_.size() && consecutive_; ++i)
    consecutive_ = rows_[i] == rows_[i - 1] + 1;
}

double Format::bytes() const {
  double bytes = (past_caches_ ? 8.0 : 16.0) * static_cast<double>(rows_.size());
  for (const std::span<const std::byte> part : memory()) bytes += static_cast<double>(part.size());
  return bytes;
}

std::vector<std::int64_t> Format::shares(int threads) const {
  std::vector<std::int64_t> begins{0};
  for (int thread = 1; thread < threads; ++thread) {
    const std::int64_t wanted = stored() * thread / threads;
    const std::int64_t slice = std::ranges::upper_bound(ends_, wanted) - ends_.begin();
    // The nearer end: slices may be few.
    const bool next = slice < slices() && end(slice) - wanted < wanted - begin(slice);
    begins.push_back(slice + next);
  }
  begins.push_back(slices());
  return begins;
}

}  // namespace spmv
