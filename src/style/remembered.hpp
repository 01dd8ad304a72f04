#pragma once
// Which style was the fastest in a situation like this one, in the file of choices.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halocline::detail {

/// What the choice of a style depends on. Of sizes the largest of any rank.
struct StyleSituation {
  int ranks = 0, nodes = 0, threads = 0;
  std::string scheme{};
  bool yielding = false;
  std::int64_t inner = 0, border = 0, bytes = 0;
};

struct RememberedStyle {
  std::string style;
  bool decided = true;  ///< nothing was left to try
  bool operator==(const RememberedStyle&) const = default;
};
/// Seconds of a step; 0: never timed.
struct TriedStyle {
  std::string style;
  double seconds = 0;
};

/// By one rank. Without a JSON library nothing is known, and nothing kept.
std::optional<RememberedStyle> remembered_style(const StyleSituation& situation);
void remember_style(const StyleSituation& situation, const RememberedStyle& found,
                    const std::vector<TriedStyle>& tried);

}  // namespace halocline::detail
