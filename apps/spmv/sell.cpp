// SELL-C-sigma: C rows side by side, a column of the slice after the other, so that a vector takes
// a step of C sums at once.

#include "format.hpp"

#include <machine/untouched.hpp>
#include <numerics/lanes.hpp>

#include <algorithm>
#include <array>

namespace spmv {

namespace {

using numerics::Lanes;

constexpr int lanes = numerics::widest;
constexpr int vectors = 8 / lanes;  ///< side by side: one sum need not wait for the one before
constexpr int height = lanes * vectors;

class Sell final : public Format {
 public:
  Sell(const Rows& rows, int threads, std::int64_t sigma, std::int32_t zero)
      : Format(sorted(rows, sigma)) {
    std::int64_t stored = 0;
    for (std::size_t at = 0; at < rows_.size(); at += height) {
      std::int64_t longest = 0;
      for (std::size_t i = at; i < std::min(at + height, rows_.size()); ++i)
        longest = std::max(longest, rows.length(rows_[i]));
      ends_.push_back(stored += height * longest);
    }
    columns_ = machine::Untouched<std::int32_t>(static_cast<std::size_t>(stored));
    values_ = machine::Untouched<double>(static_cast<std::size_t>(stored));
    const std::vector<std::int64_t> begins = shares(threads);
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int thread = 0; thread < threads; ++thread) {
      const auto share = static_cast<std::size_t>(thread);
      for (std::int64_t slice = begins[share]; slice < begins[share + 1]; ++slice)
        fill(rows, slice, zero);
    }
  }

  void multiply(const double* x, double* y, std::int64_t first, std::int64_t last) const override {
    const std::int64_t all = std::ssize(rows_);
    const double* value = values_.data() + begin(first);
    const std::int32_t* column = columns_.data() + begin(first);
    for (std::int64_t slice = first; slice < last; ++slice) {
      const double* const stop = values_.data() + end(slice);
      std::array<Lanes<lanes>, vectors> sums{};
      for (; value < stop; value += height, column += height)
        for (std::size_t v = 0; v < vectors; ++v)
          sums[v] += numerics::load<lanes>(value + v * lanes) *
                     numerics::gather<lanes>(x, column + v * lanes);
      const std::int32_t* const rows = rows_.data() + slice * height;
      if (consecutive_ && (slice + 1) * height <= all) {
        for (std::size_t v = 0; v < vectors; ++v)
          numerics::store<lanes>(y + *rows + v * lanes, sums[v]);
        continue;
      }
      std::array<double, height> each;
      for (std::size_t v = 0; v < vectors; ++v)
        numerics::store<lanes>(each.data() + v * lanes, sums[v]);
      const std::int64_t count = std::min<std::int64_t>(height, all - slice * height);
      for (std::int64_t i = 0; i < count; ++i) y[rows[i]] = each[static_cast<std::size_t>(i)];
    }
  }

  std::span<const std::int32_t> rows_of(std::int64_t slice) const noexcept override {
    const std::int64_t first = slice * height;
    return {rows_.data() + first,
            static_cast<std::size_t>(std::min<std::int64_t>(height, std::ssize(rows_) - first))};
  }
  std::span<std::int32_t> columns() noexcept override {
    return columns_.span();
  }
  std::span<const double> values() const noexcept override {
    return values_.span();
  }
  std::int64_t slice_height() const noexcept override {
    return height;
  }

  double bytes() const noexcept override {
    const auto rows = static_cast<double>(rows_.size());
    return 12.0 * static_cast<double>(stored()) + 8.0 * static_cast<double>(slices()) +
           (consecutive_ ? 8.0 : 12.0) * rows;
  }

 private:
  static std::vector<std::int32_t> sorted(const Rows& rows, std::int64_t sigma) {
    std::vector<std::int32_t> all(rows.which.begin(), rows.which.end());
    if (sigma == 1) return all;
    for (auto at = all.begin(); at != all.end();) {
      const auto end = at + std::min<std::ptrdiff_t>(sigma, all.end() - at);
      std::stable_sort(
          at, end, [&](std::int32_t a, std::int32_t b) { return rows.length(a) > rows.length(b); });
      at = end;
    }
    return all;
  }

  void fill(const Rows& rows, std::int64_t slice, std::int32_t zero) {
    const std::int64_t from = begin(slice), width = (end(slice) - from) / height;
    for (std::int64_t lane = 0; lane < height; ++lane) {
      const auto at = static_cast<std::size_t>(slice * height + lane);
      const std::int64_t length = at < rows_.size() ? rows.length(rows_[at]) : 0;
      const std::int64_t first = length > 0 ? rows.begin[static_cast<std::size_t>(rows_[at])] : 0;
      for (std::int64_t j = 0; j < width; ++j) {
        const std::int64_t to = from + j * height + lane;
        const auto e = static_cast<std::size_t>(first + j);
        columns_.data()[to] = j < length ? rows.columns[e] : zero;
        values_.data()[to] = j < length ? rows.values[e] : 0;
      }
    }
  }

  machine::Untouched<std::int32_t> columns_;
  machine::Untouched<double> values_;
};

}  // namespace

const int sell_height = height;

std::unique_ptr<Format> make_sell(const Rows& rows, int threads, std::int64_t sigma,
                                  std::int32_t zero) {
  return std::make_unique<Sell>(rows, threads, sigma, zero);
}

}  // namespace spmv
