#pragma once
// The numbers of the parts of a pattern.

namespace halocline::detail {

constexpr int most_parts = 1 << 20;  ///< the largest

}  // namespace halocline::detail
