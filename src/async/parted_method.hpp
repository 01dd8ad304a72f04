#pragma once
// What several methods share: a receiver may read a message only when all of it is there. So a racy
// link is cut into parts that travel by themselves and are taken as they come.

#include <halocline/more/async_method.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace halocline::detail {

class PartedMethod : public AsyncMethod {
 protected:
  using AsyncMethod::AsyncMethod;

  static constexpr std::size_t most_parts = 64;
  /// What of a link travels together: all, or, racy, some thousand bytes.
  std::vector<Layout> parts_of(const Layout& cells) const {
    if (!racy()) return {cells};
    constexpr std::size_t fine = 4096, word = 8;
    const std::size_t parts = std::clamp<std::size_t>(cells.bytes() / fine, 2, most_parts);
    return cells.cut((cells.bytes() / word + parts - 1) / parts * word);
  }

  /// Calls `take(i)` for each part, which returns whether something new has come; returns the
  /// number of links that have something new. A part has the number of its `link` and the
  /// `iteration` of its cells; the parts of a link follow each other.
  template <class Part, class Take>
  std::size_t collect_parts(const std::vector<Part>& parts, Take&& take) {
    std::size_t links = 0, last = parts.size();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!take(i)) continue;
      links += parts[i].link != last;
      last = parts[i].link;
    }
    for (std::size_t i = 0; links > 0 && i < parts.size(); ++i) {
      const bool first = i == 0 || parts[i - 1].link != parts[i].link;
      std::uint64_t& oldest = iterations_[parts[i].link];
      oldest = first ? parts[i].iteration : std::min(oldest, parts[i].iteration);
    }
    return links;
  }
};

}  // namespace halocline::detail
