#include "sell.hpp"

#include <numeric>

namespace spmv {

namespace {

std::vector<std::int32_t> sorted(const Rows& rows, std::int64_t sigma) {
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

}  // namespace

Sell::Sell(const Rows& rows, int threads, std::int64_t sigma, std::int32_t zero, Again again)
    : Format(sorted(rows, sigma)), zero_(zero) {
  past_caches_ = again == Again::late && consecutive_;
  const std::int64_t slices = (std::ssize(rows_) + height - 1) / height;
  written_.resize(static_cast<std::size_t>(slices));
  ends_.resize(written_.size());
  words_before_.resize(written_.size() + 1);
#pragma omp parallel num_threads(threads)
  {
    SliceColumns columns(rows, zero);
#pragma omp for schedule(static)
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      columns.lay_out(rows_of(slice));
      const auto s = static_cast<std::size_t>(slice);
      written_[s] = columns.written();
      ends_[s] = height * columns.steps();
      words_before_[s + 1] = columns.words();
    }
  }
  std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  std::partial_sum(words_before_.begin(), words_before_.end(), words_before_.begin());
  words_ = machine::Untouched<std::int32_t>(static_cast<std::size_t>(words_before_.back()));
  values_ = machine::Untouched<double>(static_cast<std::size_t>(stored()));
  const std::vector<std::int64_t> begins = shares(threads);
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int thread = 0; thread < threads; ++thread) {
    SliceColumns columns(rows, zero);
    const auto share = static_cast<std::size_t>(thread);
    for (std::int64_t slice = begins[share]; slice < begins[share + 1]; ++slice) {
      columns.lay_out(rows_of(slice));
      columns.write(words_.data() + words_before_[static_cast<std::size_t>(slice)]);
      double* value = values_.data() + begin(slice);
      for (const std::int64_t e : columns.entries())
        *value++ = e < 0 ? 0 : rows.values[static_cast<std::size_t>(e)];
    }
  }
}

std::vector<std::int32_t> Sell::columns() const {
  std::vector<std::int32_t> all(static_cast<std::size_t>(stored()));
  for (std::int64_t slice = 0; slice < slices(); ++slice) {
    const auto s = static_cast<std::size_t>(slice);
    SliceColumns::read(written_[s], words_.data() + words_before_[s],
                       (end(slice) - begin(slice)) / height, zero_, all.data() + begin(slice));
  }
  return all;
}

std::unique_ptr<Format> make_sell(const Rows& rows, int threads, std::int64_t sigma,
                                  std::int32_t zero, Again again) {
  return std::make_unique<Sell>(rows, threads, sigma, zero, again);
}

}  // namespace spmv
