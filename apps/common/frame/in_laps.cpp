#include "in_laps.hpp"

namespace frame {

using halocline::Section;
using nlohmann::ordered_json;

namespace {

void add(ordered_json& to, const Section::Times& times) {
  if (times.value > 0)
    to["times"] = {{"value", times.value},
                   {"low", times.low},
                   {"high", times.high},
                   {"confidence", times.confidence}};
}

}  // namespace

ordered_json in_laps(const std::optional<Section::Findings>& of) {
  if (!of) return nullptr;
  const Section::Findings& found = *of;
  ordered_json chosen = ordered_json::array();
  for (const Section::Chosen& one : found.chosen) {
    ordered_json& entry = chosen.emplace_back(ordered_json{{"what", one.what}});
    if (!one.yardstick.empty()) entry["yardstick"] = one.yardstick;
    add(entry, one.times);
    entry["matters"] = one.matters;
    ordered_json& tried = entry["tried"] = ordered_json::array();
    for (const Section::Tried& other : one.tried) {
      ordered_json& row =
          tried.emplace_back(ordered_json{{"what", other.what}, {"laps", other.laps}});
      add(row, other.times);
      if (!other.why.empty()) row["why"] = other.why;
    }
  }
  return {{"laps", found.laps},
          {"seconds", found.seconds},
          {"cost_s", found.cost},
          {"preparing_s", found.preparing},
          {"cost_share", found.seconds > 0 ? found.cost / found.seconds : 0.0},
          {"decided", found.decided},
          {"contests", found.contests},
          {"chosen", std::move(chosen)}};
}

}  // namespace frame
