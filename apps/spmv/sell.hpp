#pragma once
// SELL-C-sigma: C rows side by side, a column of the slice after the other, so that a vector takes
// a step of C sums at once. The loop begins each slice with sums that its caller names: a matrix of
// which only half is stored has some already.

#include "format.hpp"
#include "slice_columns.hpp"

#include <machine/untouched.hpp>
#include <numerics/lanes.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace spmv {

class Sell final : public Format {
 public:
  static constexpr int lanes = numerics::widest;
  static constexpr int height = slice_rows;
  static constexpr int vectors = height / lanes;  ///< one sum need not wait for the one before
  using Lanes = numerics::Lanes<lanes>;
  using Sums = std::array<Lanes, vectors>;
  /// What a slice has: a value for each place, and how their columns are written.
  struct Slice {
    std::int64_t number, steps;
    Written written;
    const std::int32_t* words;
    const double* values;
  };

  Sell(const Rows& rows, int threads, std::int64_t sigma, std::int32_t zero,
       Again again = Again::soon);

  void multiply(const double* x, double* y, std::int64_t first, std::int64_t last) const override {
    const auto nothing = [](const Slice&) { return Sums{}; };
    if (past_caches_ && first < last && whole_lines(y + rows_[0]))
      multiply_from<true>(nothing, x, y, first, last);
    else
      multiply_from<false>(nothing, x, y, first, last);
  }
  /// Adds to the sums that `begin(slice)` has. `past_caches`: all comes from memory, and y goes
  /// there, whose lines need not be read then; they are whole ones.
  template <bool past_caches, class Begin>
  void multiply_from(const Begin& begin_with, const double* x, double* y, std::int64_t first,
                     std::int64_t last) const {
    if (first >= last) return;
    const std::int64_t all = std::ssize(rows_), first_row = rows_[0];
    const double* value = values_.data() + begin(first);
    const std::int32_t* word = words_.data() + words_before_[static_cast<std::size_t>(first)];
    for (std::int64_t slice = first; slice < last; ++slice) {
      const double* const stop = values_.data() + end(slice);
      const Written written = written_[static_cast<std::size_t>(slice)];
      Sums sums = begin_with(Slice{slice, (stop - value) / height, written, word, value});
      // Calls `of_x(v)` for each vector of each step.
      const auto add = [&](const auto& of_x, std::int64_t words) {
        for (; value < stop; value += height, word += words) {
          if constexpr (past_caches)
            __builtin_prefetch(value + prefetched / 2, 0, 3);
          else
            __builtin_prefetch(value + prefetched, 0, 2);
          for (std::size_t v = 0; v < vectors; ++v)
            sums[v] += numerics::load<lanes>(value + v * lanes) * of_x(v * lanes);
        }
      };
      switch (written) {
        case Written::diagonals:
          add([&](std::size_t lane) { return numerics::load<lanes>(x + *word + lane); }, 1);
          break;
        case Written::gaps:
          add(
              [&](std::size_t lane) {
                return numerics::load_chosen<lanes>(x + *word + lane,
                                                    static_cast<unsigned>(word[1]) >> lane);
              },
              2);
          break;
        case Written::near: {
          const std::int32_t middle = *word++;
          add([&](std::size_t lane) { return near(x, middle, word, lane); }, height / 2);
          break;
        }
        case Written::far:
          add([&](std::size_t lane) { return numerics::gather<lanes>(x, word + lane); }, height);
      }
      if (consecutive_ && (slice + 1) * height <= all) {
        double* const to = y + first_row + slice * height;
        for (std::size_t v = 0; v < vectors; ++v)
          if constexpr (past_caches)
            store_past_caches(to + v * lanes, sums[v]);
          else
            numerics::store<lanes>(to + v * lanes, sums[v]);
        continue;
      }
      const std::int32_t* const rows = rows_.data() + slice * height;
      std::array<double, height> each;
      for (std::size_t v = 0; v < vectors; ++v)
        numerics::store<lanes>(each.data() + v * lanes, sums[v]);
      const std::int64_t count = std::min<std::int64_t>(height, all - slice * height);
      for (std::int64_t i = 0; i < count; ++i) y[rows[i]] = each[static_cast<std::size_t>(i)];
    }
    // Others may read it when they hear that it is done.
#if defined(__AVX__)
    if constexpr (past_caches) _mm_sfence();
#endif
  }

  std::span<const std::int32_t> rows_of(std::int64_t slice) const noexcept override {
    const std::int64_t first = slice * height;
    return {rows_.data() + first,
            static_cast<std::size_t>(std::min<std::int64_t>(height, std::ssize(rows_) - first))};
  }
  std::vector<std::int32_t> columns() const override;
  std::span<const double> values() const noexcept override {
    return values_.span();
  }
  std::int64_t slice_height() const noexcept override {
    return height;
  }

  Memory memory() const override {
    Memory memory{std::as_bytes(values_.span()), std::as_bytes(words_.span()),
                  std::as_bytes(std::span(ends_)), std::as_bytes(std::span(written_))};
    if (!consecutive_) memory.push_back(std::as_bytes(std::span(rows_)));
    return memory;
  }

 private:
  static bool whole_lines(const double* y) {
    return reinterpret_cast<std::uintptr_t>(y) % (height * sizeof(double)) == 0;
  }
  static void store_past_caches(double* to, Lanes value) {
#if defined(__AVX512F__)
    _mm512_stream_pd(to, value);
#elif defined(__AVX__)
    _mm256_stream_pd(to, value);
#else
    numerics::store<lanes>(to, value);
#endif
  }
  /// The elements of x that a step of `Written::near` names from `lane` on.
  Lanes near(const double* x, std::int32_t middle, const std::int32_t* words,
             std::size_t lane) const {
    typedef std::int16_t Away __attribute__((vector_size(lanes * sizeof(std::int16_t))));
    typedef std::int32_t Columns __attribute__((vector_size(lanes * sizeof(std::int32_t))));
    Away away;
    std::memcpy(&away, reinterpret_cast<const std::byte*>(words) + lane * sizeof(std::int16_t),
                sizeof away);
    const Columns wide = __builtin_convertvector(away, Columns);
    const Columns places = wide == no_entry ? Columns{} + zero_ : wide + middle;
    std::array<std::int32_t, lanes> columns;
    std::memcpy(columns.data(), &places, sizeof places);
    return numerics::gather<lanes>(x, columns.data());
  }

  std::int32_t zero_;
  std::vector<Written> written_;            ///< of each slice
  std::vector<std::int64_t> words_before_;  ///< of each slice's columns, and of all
  machine::Untouched<std::int32_t> words_;  ///< columns, as they are written
  machine::Untouched<double> values_;
};

}  // namespace spmv
