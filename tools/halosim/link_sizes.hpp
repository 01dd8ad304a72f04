#pragma once
// What the links of a pattern carry: bytes, contiguous pieces and cache lines.

#include <halocline/more/description.hpp>
#include <halocline/pattern.hpp>

namespace halosim {

/// Elements of the arrays that a pattern is between.
struct Extents {
  double from = 0, to = 0;
};

/// Sends, receives and what stays, of `element_bytes` each: on average, where cells are as much
/// room as a particle has.
halocline::model::Links sizes(const halocline::Pattern& pattern, double element_bytes,
                              const Extents& extents);

/// The same links, stages included, where part p is with rank `owner[p]`.
halocline::Pattern renumbered(const halocline::Pattern& pattern, const std::vector<int>& owner);

}  // namespace halosim
