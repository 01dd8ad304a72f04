// Half of a symmetric matrix. A thread's rows are a block, and an entry whose row and column lie in
// one block is stored once, in the upper triangle: a slice first adds its products to the sums of
// the rows below, then goes on with its own, which those above have begun. All else is stored on
// both sides. So nothing is sent back to other ranks or threads, and a row is added up in its order
// wherever blocks begin.

#include "sell.hpp"

#include <utility>

namespace spmv {

namespace {

constexpr std::int64_t none = -1;

/// Which entries go without their opposites.
class Pairs {
 public:
  Pairs(const Rows& rows, std::span<const std::int64_t> blocks) : rows_(rows), blocks_(blocks) {
    position_.assign(rows.begin.size() - 1, none);
    for (std::size_t i = 0; i < rows.which.size(); ++i)
      position_[at(rows.which[i])] = static_cast<std::int64_t>(i);
    barred_.assign((rows.which.size() + slice_rows - 1) / slice_rows, false);
  }

  /// Rows without what others add to them. Slices that cannot do so in the order of the rows are
  /// barred from it, which changes what others store; that ends, since none is admitted again.
  void find(std::int32_t zero) {
    for (bool again = true; again;) {
      find_pairs();
      again = lay_out(zero);
    }
  }

  Rows kept() const { return {begin_, columns_, values_, rows_.which}; }
  std::vector<std::uint8_t> masks() && { return std::move(masks_); }
  std::int64_t reach() const noexcept { return reach_; }

 private:
  template <class Integer>
  static std::size_t at(Integer i) {
    return static_cast<std::size_t>(i);
  }

  /// The entry of a row in a column, with this value.
  std::int64_t entry(std::int32_t row, std::int32_t column, double value) const {
    for (std::int64_t e = rows_.begin[at(row)]; e < rows_.begin[at(row) + 1]; ++e)
      if (rows_.columns[at(e)] == column) return rows_.values[at(e)] == value ? e : none;
    return none;
  }

  /// The first entries of each row, as long as they are those of rows above in its block, ascending
  /// and some slices away: these have begun the sum when the row goes on with it.
  void find_pairs() {
    begin_.assign(rows_.begin.size(), 0);
    columns_.clear();
    values_.clear();
    std::vector<bool> adds(rows_.columns.size(), false);
    std::vector<std::int64_t> first(rows_.begin.begin(), rows_.begin.end() - 1);
    reach_ = 0;
    for (std::size_t block = 0; block + 1 < blocks_.size(); ++block)
      for (std::int64_t p = blocks_[block]; p < blocks_[block + 1]; ++p) {
        const std::int32_t row = rows_.which[at(p)];
        std::int64_t before = none;
        for (std::int64_t& e = first[at(row)]; e < rows_.begin[at(row) + 1]; ++e) {
          const std::int32_t column = rows_.columns[at(e)];
          if (column < 0 || at(column) >= position_.size()) break;
          const std::int64_t above = position_[at(column)];
          if (above <= before || above < blocks_[block] || above + slice_rows > p ||
              barred_[at(above / slice_rows)])
            break;
          const std::int64_t opposite = entry(column, row, rows_.values[at(e)]);
          if (opposite == none) break;
          adds[at(opposite)] = true;
          before = above;
          reach_ = std::max(reach_, p - above);
        }
      }
    adds_.clear();
    for (std::size_t row = 0; row < first.size(); ++row) {
      for (std::int64_t e = first[row]; e < rows_.begin[row + 1]; ++e) {
        columns_.push_back(rows_.columns[at(e)]);
        values_.push_back(rows_.values[at(e)]);
        adds_.push_back(adds[at(e)]);
      }
      begin_[row + 1] = std::ssize(columns_);
    }
  }

  /// Which rows of each step add to others; whether slices were barred.
  bool lay_out(std::int32_t zero) {
    bool barred = false;
    masks_.clear();
    const Rows kept = this->kept();
    SliceColumns columns(kept, zero);
    for (std::size_t slice = 0; slice < barred_.size(); ++slice) {
      const auto which = kept.which.subspan(
          slice * slice_rows,
          std::min<std::size_t>(slice_rows, kept.which.size() - slice * slice_rows));
      columns.lay_out(which);
      bool some = false;
      std::int64_t farthest = -1;
      bool right = columns.written() == Written::diagonals || columns.written() == Written::gaps;
      right = right && which.size() == slice_rows && which.back() - which.front() == slice_rows - 1;
      for (std::int64_t step = 0; step < columns.steps(); ++step) {
        unsigned mask = 0;
        for (unsigned lane = 0; lane < slice_rows; ++lane) {
          const std::int64_t e = columns.entries()[at(step) * slice_rows + lane];
          if (e < 0 || !adds_[at(e)]) continue;
          mask |= 1u << lane;
          // From the farthest to the nearest: who is added to has its columns ascend.
          const std::int64_t diagonal = kept.columns[at(e)] - which[lane];
          right = right && diagonal >= farthest;
          farthest = diagonal;
        }
        some = some || mask;
        masks_.push_back(static_cast<std::uint8_t>(mask));
      }
      if (some && !right) barred = barred_[slice] = true;
    }
    return barred;
  }

  const Rows& rows_;
  std::span<const std::int64_t> blocks_;
  std::vector<std::int64_t> position_;  ///< of each row among those meant
  std::vector<bool> barred_, adds_;
  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> columns_;
  std::vector<double> values_;
  std::vector<std::uint8_t> masks_;
  std::int64_t reach_ = 0;
};

/// A slice of this format is a block of SELL's.
class Symmetric final : public Format {
 public:
  Symmetric(const Rows& rows, int threads, int blocks, std::int32_t zero)
      : Format({rows.which.begin(), rows.which.end()}) {
    std::int64_t all = 0, before = 0;
    for (const std::int32_t row : rows.which) all += rows.length(row);
    // Each has about as many entries, in whole slices.
    starts_.push_back(0);
    const std::int64_t count = std::ssize(rows.which);
    for (std::int64_t p = 0; p < count; ++p) {
      if (p % slice_rows == 0 && std::ssize(starts_) < blocks &&
          before * blocks >= all * std::ssize(starts_))
        starts_.push_back(p);
      before += rows.length(rows.which[static_cast<std::size_t>(p)]);
    }
    starts_.push_back(count);
    Pairs pairs(rows, starts_);
    pairs.find(zero);
    sell_ = std::make_unique<Sell>(pairs.kept(), threads, 1, zero);
    masks_ = std::move(pairs).masks();
    reach_ = pairs.reach() / slice_rows + 1;
    for (std::size_t block = 1; block < starts_.size(); ++block)
      ends_.push_back(sell_->stored_before(slice_of(starts_[block])));
  }

  void multiply(const double* x, double* y, std::int64_t first, std::int64_t last) const override {
    for (std::int64_t block = first; block < last; ++block) {
      const std::int64_t begin = starts_[static_cast<std::size_t>(block)],
                         end = starts_[static_cast<std::size_t>(block) + 1];
      std::int64_t next = begin;  // row to be set to 0, before somebody adds to it
      const auto begin_with = [&](const Sell::Slice& slice) {
        const std::int64_t ahead = std::min(end, (slice.number + reach_ + 1) * slice_rows);
        for (; next < ahead; ++next) y[rows_[static_cast<std::size_t>(next)]] = 0;
        add_to_others(slice, x, y);
        return begun(slice.number, y);
      };
      sell_->multiply_from<false>(begin_with, x, y, slice_of(begin), slice_of(end));
    }
  }

  std::span<const std::int32_t> rows_of(std::int64_t block) const noexcept override {
    const auto b = static_cast<std::size_t>(block);
    return std::span(rows_).subspan(static_cast<std::size_t>(starts_[b]),
                                    static_cast<std::size_t>(starts_[b + 1] - starts_[b]));
  }
  std::vector<std::int32_t> columns() const override { return sell_->columns(); }
  std::span<const double> values() const noexcept override { return sell_->values(); }
  std::int64_t slice_height() const noexcept override { return slice_rows; }
  Memory memory() const override {
    Memory memory = sell_->memory();
    memory.push_back(std::as_bytes(std::span(masks_)));
    return memory;
  }

 private:
  static std::int64_t slice_of(std::int64_t position) {
    return (position + slice_rows - 1) / slice_rows;
  }
  const std::int32_t* rows_of_slice(std::int64_t slice) const {
    return rows_.data() + slice * slice_rows;
  }

  /// From the farthest diagonal to the nearest.
  void add_to_others(const Sell::Slice& slice, const double* x, double* y) const {
    using numerics::load, numerics::load_chosen, numerics::store;
    constexpr int lanes = Sell::lanes;
    const std::uint8_t* const masks =
        masks_.data() + sell_->stored_before(slice.number) / slice_rows;
    const double* const mine = x + *rows_of_slice(slice.number);
    const int words = slice.written == Written::diagonals ? 1 : 2;
    for (std::int64_t step = slice.steps - 1; step >= 0; --step) {
      const unsigned mask = masks[step];
      if (mask == 0) continue;
      double* const to = y + slice.words[step * words];
      const double* const values = slice.values + step * slice_rows;
      if (mask == 0xff) {
        for (int v = 0; v < slice_rows; v += lanes)
          store<lanes>(to + v,
                       load<lanes>(to + v) + load<lanes>(values + v) * load<lanes>(mine + v));
        continue;
      }
      for (int lane = 0; lane < slice_rows; ++lane)
        if (mask >> lane & 1) to[lane] += values[lane] * mine[lane];
    }
  }

  /// The sums of a slice's rows so far.
  Sell::Sums begun(std::int64_t slice, const double* y) const {
    constexpr int lanes = Sell::lanes;
    const auto which = sell_->rows_of(slice);
    Sell::Sums all;
    if (which.size() == slice_rows) {
      for (int v = 0; v < Sell::vectors; ++v)
        all[static_cast<std::size_t>(v)] =
            consecutive_ ? numerics::load<lanes>(y + which[0] + v * lanes)
                         : numerics::gather<lanes>(y, which.data() + v * lanes);
      return all;
    }
    std::array<double, slice_rows> sums{};
    for (std::size_t lane = 0; lane < which.size(); ++lane) sums[lane] = y[which[lane]];
    for (std::size_t v = 0; v < Sell::vectors; ++v)
      all[v] = numerics::load<lanes>(sums.data() + v * lanes);
    return all;
  }

  std::vector<std::int64_t> starts_;  ///< of the blocks, among the rows, and their end
  std::unique_ptr<Sell> sell_;
  std::vector<std::uint8_t> masks_;  ///< of each step, the rows that add to others
  std::int64_t reach_ = 0;           ///< slices
};

}  // namespace

std::unique_ptr<Format> make_symmetric(const Rows& rows, int threads, int blocks,
                                       std::int32_t zero) {
  return std::make_unique<Symmetric>(rows, threads, blocks, zero);
}

}  // namespace spmv
