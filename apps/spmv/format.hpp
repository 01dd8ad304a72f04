#pragma once
// How the rows of a matrix lie in memory, and the loop that multiplies them. One file for each.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace spmv {

/// Entries ahead of the product that are asked for meanwhile: left to hardware, one core gets
/// CRS's at half the speed of memory.
constexpr std::ptrdiff_t prefetched = 1024;

/// Rows of a matrix whose columns are places of x on this rank.
struct Rows {
  std::span<const std::int64_t> begin;  ///< of the entries of each row of this rank, and their end
  std::span<const std::int32_t> columns;  ///< of each entry, in the order in which they are added
  std::span<const double> values;
  std::span<const std::int32_t> which;  ///< those meant, ascending

  std::int64_t length(std::int32_t row) const {
    const auto r = static_cast<std::size_t>(row);
    return begin[r + 1] - begin[r];
  }
};

/// When the rows of a product, and the y that they have, are read again.
enum class Again {
  soon,
  late,  ///< when caches have forgotten them: y is written past these
};

/// Every format adds a row's products one by one in the order that they are given, from 0 on, each
/// product and each sum rounded: formats differ in time, not in bits.
class Format {
 public:
  virtual ~Format() = default;
  Format(const Format&) = delete;
  Format& operator=(const Format&) = delete;

  /// y = A x in the slices from `first` to before `last`: y of a row of this rank is `y[row]`. A
  /// slice is what the format cannot divide among threads. Sizes and places of rows are its own
  /// matter.
  virtual void multiply(const double* x, double* y, std::int64_t first,
                        std::int64_t last) const = 0;
  /// The column of each stored entry, however they are written down.
  virtual std::vector<std::int32_t> columns() const = 0;
  virtual std::span<const double> values() const noexcept = 0;
  /// Rows of a slice, side by side: an entry of each, then the next of each.
  virtual std::int64_t slice_height() const noexcept = 0;
  /// As they follow each other in the slices.
  std::span<const std::int32_t> rows_in_order() const noexcept { return rows_; }
  /// Where each slice's stored entries end.
  std::span<const std::int64_t> ends() const noexcept { return ends_; }

  std::int64_t slices() const noexcept { return std::ssize(ends_); }
  std::int64_t stored() const noexcept { return ends_.empty() ? 0 : ends_.back(); }
  std::int64_t stored_before(std::int64_t slice) const { return begin(slice); }
  /// The rows of a slice.
  virtual std::span<const std::int32_t> rows_of(std::int64_t slice) const noexcept = 0;
  /// Where shares of `threads` begin that store as much as each other, and the end.
  std::vector<std::int64_t> shares(int threads) const;
  /// What one product reads, but for x.
  using Memory = std::vector<std::span<const std::byte>>;
  virtual Memory memory() const = 0;
  /// Bytes of that and of y: what is written, and the lines before it unless writes go past caches.
  double bytes() const;

 protected:
  explicit Format(std::vector<std::int32_t> rows);
  std::int64_t begin(std::int64_t slice) const {
    return slice == 0 ? 0 : ends_[static_cast<std::size_t>(slice - 1)];
  }
  std::int64_t end(std::int64_t slice) const { return ends_[static_cast<std::size_t>(slice)]; }

  std::vector<std::int32_t> rows_;  ///< as they follow each other in the slices
  bool consecutive_ = true;         ///< they do so in y, too
  std::vector<std::int64_t> ends_;  ///< of each slice's stored entries
  bool past_caches_ = false;        ///< y is written so
};

/// Compressed row storage.
std::unique_ptr<Format> make_crs(const Rows& rows, int threads);

/// SELL-C-sigma (M. Kreutzer, G. Hager, G. Wellein, H. Fehske, A. R. Bishop, "A unified sparse
/// matrix data format for efficient general sparse matrix-vector multiplication on modern
/// processors with wide SIMD units", SIAM J. Sci. Comput. 36, 2014): C rows side by side in the
/// lanes of vectors, filled up to the longest of them; rows are sorted by length within every
/// `sigma` of them. Columns are written in as few bytes as they allow. What fills up multiplies
/// nothing, or element `zero` of x, which must be 0.
std::unique_ptr<Format> make_sell(const Rows& rows, int threads, std::int64_t sigma,
                                  std::int32_t zero, Again again = Again::soon);

/// SELL of half a symmetric matrix, the rest only where blocks, or ranks, meet. Any matrix may be
/// given: what has no opposite of the same value in its block is stored. A slice of it is a block.
std::unique_ptr<Format> make_symmetric(const Rows& rows, int threads, int blocks,
                                       std::int32_t zero);

}  // namespace spmv
