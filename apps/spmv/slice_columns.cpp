#include "slice_columns.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace spmv {

namespace {

/// Diagonals may fill up so much more than places would, by which reading 4 or 8 bytes a step in
/// place of 16 or 32, and loading in place of gathering, pays.
constexpr bool worth_it(std::int64_t diagonals, std::int64_t longest) {
  return 4 * diagonals <= 5 * longest;
}

}  // namespace

void SliceColumns::lay_out(std::span<const std::int32_t> which) {
  std::int64_t longest = 0;
  std::int32_t least = std::numeric_limits<std::int32_t>::max(), most = -least;
  for (const std::int32_t row : which) longest = std::max(longest, rows_.length(row));
  if (by_diagonals(which, longest)) return;
  entries_.assign(static_cast<std::size_t>(longest * slice_rows), -1);
  for (std::int64_t lane = 0; lane < std::ssize(which); ++lane) {
    const std::int32_t row = which[static_cast<std::size_t>(lane)];
    const std::int64_t first = rows_.begin[static_cast<std::size_t>(row)];
    for (std::int64_t step = 0; step < rows_.length(row); ++step) {
      entry(step, lane) = first + step;
      least = std::min(least, column(first + step));
      most = std::max(most, column(first + step));
    }
  }
  const std::int64_t width = std::int64_t{most} - least;
  written_ = width <= 2 * std::numeric_limits<std::int16_t>::max() ? Written::near : Written::far;
  middle_ = static_cast<std::int32_t>(least + width / 2);
}

/// Finds an order of diagonals in which every row has its entries in their order: each row's are
/// looked for behind the one before, and what is not there is put in. False where they are too
/// many.
bool SliceColumns::by_diagonals(std::span<const std::int32_t> which, std::int64_t longest) {
  diagonals_.clear();
  std::size_t places = 0;
  for (std::size_t lane = 0; lane < which.size(); ++lane) {
    const std::int64_t begin = rows_.begin[static_cast<std::size_t>(which[lane])];
    auto at = diagonals_.begin();
    for (std::int64_t e = begin; e < begin + rows_.length(which[lane]); ++e) {
      const auto diagonal = static_cast<std::int32_t>(column(e) - static_cast<int>(lane));
      auto found = std::find(at, diagonals_.end(), diagonal);
      if (found == diagonals_.end()) {
        // Columns mostly ascend, and so then do diagonals.
        found = std::find_if(at, diagonals_.end(),
                             [&](std::int32_t other) { return other > diagonal; });
        found = diagonals_.insert(found, diagonal);
        if (!worth_it(std::ssize(diagonals_), longest)) return false;
      }
      at = found + 1;
      ++places;
    }
  }
  entries_.assign(diagonals_.size() * slice_rows, -1);
  for (std::size_t lane = 0; lane < which.size(); ++lane) {
    const std::int64_t begin = rows_.begin[static_cast<std::size_t>(which[lane])];
    auto at = diagonals_.begin();
    for (std::int64_t e = begin; e < begin + rows_.length(which[lane]); ++e) {
      at = std::find(at, diagonals_.end(), column(e) - static_cast<std::int32_t>(lane));
      entry(at - diagonals_.begin(), static_cast<std::int64_t>(lane)) = e;
      ++at;
    }
  }
  written_ = places == entries_.size() ? Written::diagonals : Written::gaps;
  return true;
}

std::int64_t SliceColumns::words_of(Written written, std::int64_t steps) noexcept {
  switch (written) {
    case Written::diagonals: return steps;
    case Written::gaps: return 2 * steps;
    case Written::near: return 1 + slice_rows / 2 * steps;
    case Written::far: break;
  }
  return slice_rows * steps;
}

void SliceColumns::write(std::int32_t* words) const {
  switch (written_) {
    case Written::diagonals: std::ranges::copy(diagonals_, words); return;
    case Written::gaps:
      for (std::size_t step = 0; step < diagonals_.size(); ++step) {
        std::int32_t there = 0;
        for (std::size_t lane = 0; lane < slice_rows; ++lane)
          there |= (entries_[step * slice_rows + lane] >= 0) << lane;
        *words++ = diagonals_[step];
        *words++ = there;
      }
      return;
    case Written::near: {
      *words++ = middle_;
      auto* to = reinterpret_cast<std::byte*>(words);
      for (const std::int64_t e : entries_) {
        const auto away = e < 0 ? no_entry : static_cast<std::int16_t>(column(e) - middle_);
        std::memcpy(to, &away, sizeof away);
        to += sizeof away;
      }
      return;
    }
    case Written::far:
      for (const std::int64_t e : entries_) *words++ = e < 0 ? zero_ : column(e);
  }
}

void SliceColumns::read(Written written, const std::int32_t* words, std::int64_t steps,
                        std::int32_t zero, std::int32_t* columns) {
  const std::int32_t middle = written == Written::near ? *words++ : 0;
  for (std::int64_t step = 0; step < steps; ++step)
    for (std::int64_t lane = 0; lane < slice_rows; ++lane) {
      const auto at = step * slice_rows + lane;
      const auto on_diagonal = [&](std::int64_t first) {
        return static_cast<std::int32_t>(words[first] + lane);
      };
      std::int32_t& column = *columns++;
      switch (written) {
        case Written::diagonals: column = on_diagonal(step); break;
        case Written::gaps:
          column = words[2 * step + 1] >> lane & 1 ? on_diagonal(2 * step) : zero;
          break;
        case Written::near: {
          std::int16_t away;
          std::memcpy(&away, reinterpret_cast<const std::byte*>(words) + at * 2, sizeof away);
          column = away == no_entry ? zero : middle + away;
          break;
        }
        case Written::far: column = words[at];
      }
    }
}

}  // namespace spmv
