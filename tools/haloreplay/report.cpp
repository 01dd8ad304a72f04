#include "report.hpp"

#include <base/text.hpp>

#include <ostream>

namespace haloreplay {

using nlohmann::ordered_json;

namespace {

ordered_json as_json(const Interval& interval) {
  return {{"value", interval.value}, {"low", interval.low}, {"high", interval.high}};
}

ordered_json as_json(const Series& series, bool saves) {
  ordered_json all{{"with_s", series.with},
                   {"without_s", series.without},
                   {"felt_s", as_json(series.felt)},
                   {"step_s", as_json(series.step)}};
  if (saves) all["saves_s"] = as_json(series.saves);
  all["ranks_s"] = series.ranks_mine;
  all["alone_s"] = series.ranks_alone;
  all["inside_s"] = series.ranks_inside;
  return all;
}

}  // namespace

ordered_json as_json(const Replayed& replayed) {
  ordered_json contenders = ordered_json::array();
  for (const Result& result : replayed.results) {
    ordered_json entry{{"name", result.name}};
    if (!result.left_out.empty()) entry["left_out"] = result.left_out;
    if (result.slower) entry["slower"] = true;
    if (result.steps > 0) entry["steps"] = result.steps;
    const bool saves = result.name != present;
    if (replayed.recorded && !result.recorded.with.empty())
      entry["recorded"] = as_json(result.recorded, saves);
    if (replayed.balanced && !result.balanced.with.empty())
      entry["balanced"] = as_json(result.balanced, saves);
    contenders.push_back(std::move(entry));
  }
  return {{"name", replayed.name},
          {"scale", replayed.scale},
          {"seconds", replayed.seconds},
          {"bytes", replayed.bytes},
          {"contenders", std::move(contenders)}};
}

void print(std::ostream& out, const Replayed& replayed) {
  out << halocline::base::formatted("%s: %zu bytes a step\n%12s %12s %25s  contender\n",
                                    replayed.name.c_str(), replayed.bytes, "step us", "felt us",
                                    "saves us");
  for (const Result& result : replayed.results) {
    if (!result.left_out.empty()) {
      out << halocline::base::formatted("%51s  %s: %s\n", "", result.name.c_str(),
                                        result.left_out.c_str());
      continue;
    }
    const Series& series = replayed.balanced ? result.balanced : result.recorded;
    std::string saves;
    if (result.name != present)
      saves = halocline::base::formatted("%.3f [%.3f, %.3f]", 1e6 * series.saves.value,
                                         1e6 * series.saves.low, 1e6 * series.saves.high);
    out << halocline::base::formatted("%12.3f %12.3f %25s  %s\n", 1e6 * series.step.value,
                                      1e6 * series.felt.value, saves.c_str(), result.name.c_str());
  }
}

}  // namespace haloreplay
