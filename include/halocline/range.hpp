#pragma once
// Ranges of cells and widths of halos along one axis.

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)

namespace halocline {

/// The most axes that a grid, a distribution or a field can have.
inline constexpr std::size_t most_axes = 5;

/// One axis' cells of one part: [begin, end).
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const noexcept { return end - begin; }
  bool operator==(const Range&) const = default;
};

/// Part `index` of `parts` of `cells`; the first `cells % parts` parts hold one more.
Range part_of(std::int64_t cells, int parts, int index);

/// Halo cells below and above the subdomain along one axis.
struct HaloWidth {
  int below = 1, above = 1;
  HaloWidth(int both = 1) : below(both), above(both) {}
  HaloWidth(int below_, int above_) : below(below_), above(above_) {}
  bool operator==(const HaloWidth&) const = default;
};

}  // namespace halocline

#pragma GCC visibility pop
