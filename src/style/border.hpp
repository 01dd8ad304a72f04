#pragma once
// Which elements of which messages the units of a border read and write.

#include <halocline/more/style.hpp>

namespace halocline::detail {

/// Elements [first, first + count) of a link, in message order.
struct Run {
  std::size_t link, first, count;
};

struct Border {
  /// By units: of receives, what must have arrived; of sends, what is ready when it is swept.
  std::vector<std::vector<Run>> reads{}, writes{};
  std::vector<Run> unwritten{};  ///< of sends, what no unit writes

  Border(const Pattern& pattern, std::span<const Touched> units);
};

}  // namespace halocline::detail
