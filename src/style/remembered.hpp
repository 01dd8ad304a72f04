#pragma once
// Which style was the fastest in a situation like this one, in the file of choices.

#include "contest.hpp"

#include <optional>
#include <string>

namespace halocline::detail {

/// What the choice of a style depends on. Of sizes the largest of any rank.
struct StyleSituation {
  int ranks = 0, threads = 0;
  std::string scheme{};
  bool yielding = false;
  std::int64_t inner = 0, border = 0, bytes = 0;
};

/// By one rank. Without a JSON library nothing is known, and nothing kept.
std::optional<std::string> remembered_style(const StyleSituation& situation);
void remember_style(const StyleSituation& situation, const Contest& contest);

}  // namespace halocline::detail
