// Compressed row storage: the entries of a row follow each other, and the rows do.

#include "format.hpp"

#include <machine/untouched.hpp>

namespace spmv {

namespace {

class Crs final : public Format {
 public:
  Crs(const Rows& rows, int threads) : Format({rows.which.begin(), rows.which.end()}) {
    std::int64_t stored = 0;
    for (const std::int32_t row : rows.which) ends_.push_back(stored += rows.length(row));
    columns_ = machine::Untouched<std::int32_t>(static_cast<std::size_t>(stored));
    values_ = machine::Untouched<double>(static_cast<std::size_t>(stored));
    const std::vector<std::int64_t> begins = shares(threads);
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int thread = 0; thread < threads; ++thread) {
      const auto share = static_cast<std::size_t>(thread);
      for (std::int64_t slice = begins[share]; slice < begins[share + 1]; ++slice) {
        const auto from = static_cast<std::size_t>(
            rows.begin[static_cast<std::size_t>(rows_[static_cast<std::size_t>(slice)])]);
        std::int64_t to = begin(slice);
        for (std::size_t e = from; to < end(slice); ++e, ++to) {
          columns_.data()[to] = rows.columns[e];
          values_.data()[to] = rows.values[e];
        }
      }
    }
  }

  void multiply(const double* x, double* y, std::int64_t first, std::int64_t last) const override {
    const std::int32_t *const columns = columns_.data(), *const rows = rows_.data();
    const std::int64_t* const ends = ends_.data();
    const double* const values = values_.data();
    const bool consecutive = consecutive_;
    std::int64_t e = first < last ? begin(first) : 0;
    for (std::int64_t slice = first; slice < last; ++slice) {
      const std::int64_t end = ends[slice];
      double sum = 0;
      __builtin_prefetch(values + e + prefetched, 0, 2);
      __builtin_prefetch(columns + e + prefetched, 0, 2);
      for (; e < end; ++e) sum += values[e] * x[columns[e]];
      y[consecutive ? rows[0] + slice : rows[slice]] = sum;
    }
  }

  std::span<const std::int32_t> rows_of(std::int64_t slice) const noexcept override {
    return {rows_.data() + slice, 1};
  }
  std::vector<std::int32_t> columns() const override {
    return {columns_.data(), columns_.data() + columns_.size()};
  }
  std::span<const double> values() const noexcept override {
    return values_.span();
  }
  std::int64_t slice_height() const noexcept override {
    return 1;
  }

  Memory memory() const override {
    Memory memory{std::as_bytes(values_.span()), std::as_bytes(columns_.span()),
                  std::as_bytes(std::span(ends_))};
    if (!consecutive_) memory.push_back(std::as_bytes(std::span(rows_)));
    return memory;
  }

 private:
  machine::Untouched<std::int32_t> columns_;
  machine::Untouched<double> values_;
};

}  // namespace

std::unique_ptr<Format> make_crs(const Rows& rows, int threads) {
  return std::make_unique<Crs>(rows, threads);
}

}  // namespace spmv
