#pragma once
// The columns of a SELL slice in as few bytes as they allow. Memory's speed bounds a product, and a
// column of 32 bits beside each value of 64 is a third of what it reads. Where an entry of each row
// lies on the same diagonal, one number stands for all of them, and vectors of x are loaded, not
// gathered.

#include "format.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace spmv {

constexpr int slice_rows = 8;  ///< side by side in a slice: lanes

/// How the columns of a slice are written down, in 32-bit words. A step is an entry of each row.
enum class Written : std::uint8_t {
  diagonals,  ///< a step's columns follow each other: the first one's column for each step
  gaps,       ///< the same but for rows left out: the first, and a bit for each row that is there
  near,       ///< the slice's middle column, and 16 bits for each entry: how far it is from there
  far,        ///< each entry's column
};

/// In place of a distance in `Written::near`: there is no entry.
constexpr std::int16_t no_entry = INT16_MIN;

/// One slice laid out; the vectors are used again for the next.
class SliceColumns {
 public:
  /// For rows whose empty places multiply element `zero` of x.
  SliceColumns(const Rows& rows, std::int32_t zero) : rows_(rows), zero_(zero) {}

  /// Takes at most `slice_rows` rows, in the order of their lanes.
  void lay_out(std::span<const std::int32_t> which);

  Written written() const noexcept { return written_; }
  std::int64_t steps() const noexcept { return std::ssize(entries_) / slice_rows; }
  /// Which entry of the matrix each place has, step by step, or -1 for none. A row's entries keep
  /// their order.
  std::span<const std::int64_t> entries() const noexcept { return entries_; }
  std::int64_t words() const noexcept { return words_of(written_, steps()); }
  void write(std::int32_t* words) const;

  static std::int64_t words_of(Written written, std::int64_t steps) noexcept;
  /// The column of each place, from what was written.
  static void read(Written written, const std::int32_t* words, std::int64_t steps,
                   std::int32_t zero, std::int32_t* columns);

 private:
  bool by_diagonals(std::span<const std::int32_t> which, std::int64_t longest);
  std::int64_t& entry(std::int64_t step, std::int64_t lane) {
    return entries_[static_cast<std::size_t>(step * slice_rows + lane)];
  }
  std::int32_t column(std::int64_t e) const { return rows_.columns[static_cast<std::size_t>(e)]; }

  const Rows& rows_;
  std::int32_t zero_;
  Written written_ = Written::far;
  std::vector<std::int64_t> entries_;
  std::vector<std::int32_t> diagonals_;  ///< column less lane, of each step
  std::int32_t middle_ = 0;
};

}  // namespace spmv
