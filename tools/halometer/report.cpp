#include "report.hpp"

#include <base/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace halometer {

namespace {

/// Three digits that count, in microseconds.
std::string us(double seconds) {
  const double value = seconds * 1e6;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f",
                std::abs(value) < 10     ? 3
                : std::abs(value) < 100  ? 2
                : std::abs(value) < 1000 ? 1
                                         : 0,
                value);
  return text;
}

std::string rate(const Measured& result) {
  if (result.bytes <= 0 || result.median.value <= 0) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", result.bytes / result.median.value * 1e-9);
  return text;
}

/// The scheme, and those parameters in which a group's contenders differ.
std::string label(const Measured& result, const std::vector<Measured>& results) {
  std::string text = result.scheme;
  for (const auto& [name, value] : result.parameters.items()) {
    const auto same = [&](const Measured& other) { return other.parameters[name] == value; };
    if (!std::all_of(results.begin(), results.end(), same))
      text += " " + name + "=" +
              (value.is_string() ? value.get<std::string>() : halocline::base::json_text(value));
  }
  return text;
}

/// Two digits behind the point, which is what medians of a few per cent allow.
std::string shown(const Share& share) {
  const auto rounded = [](double x) { return std::round(100 * x) / 100 + 0.0; };  // no -0.00
  char text[128];
  std::snprintf(text, sizeof text, "%s %.2f [%.2f, %.2f]", share.name.c_str(),
                rounded(share.value.value), rounded(share.value.low), rounded(share.value.high));
  std::string words = text;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace

void print(std::ostream& out, const std::string& title, const Around& around,
           const std::vector<Measured>& results) {
  const bool felt = std::any_of(results.begin(), results.end(),
                                [](const Measured& result) { return result.felt.has_value(); });
  std::size_t width = 6;
  for (const Measured& result : results) width = std::max(width, label(result, results).size());
  const auto line = [&](const std::string& scheme, const std::string& felt_us,
                        const std::string& felt_interval, const std::string& median,
                        const std::string& interval, const std::string& p5, const std::string& p95,
                        const std::string& gb_s, const std::string& samples,
                        const std::string& disturbed, const std::string& note) {
    char text[512];
    int end = std::snprintf(text, sizeof text, "  %-*s ", static_cast<int>(width), scheme.c_str());
    const auto add = [&](const char* format, const std::string& word) {
      end += std::snprintf(text + end, sizeof text - static_cast<std::size_t>(end), format,
                           word.c_str());
    };
    if (felt) add("%8s ", felt_us), add("%18s ", felt_interval);
    add(felt ? "%11s " : "%8s ", median), add("%18s ", interval);
    if (!felt) add("%8s ", p5), add("%8s ", p95), add("%5s ", gb_s);
    add("%7s ", samples), add("%9s  ", disturbed), add("%s", note);
    std::string row = text;
    row.erase(row.find_last_not_of(' ') + 1);
    out << row << '\n';
  };
  const auto ends = [](const Interval& interval) {
    return std::string("[") + us(interval.low) + ", " + us(interval.high) + "]";
  };
  out << title;
  if (around.known())
    out << "; a cache line takes " << us(around.before) << " us there and back, "
        << us(around.after) << " after";
  out << '\n';
  line("scheme", "felt us", "[95 %]", felt ? "until there" : "us", "[95 %]", "p5", "p95", "GB/s",
       "samples", "disturbed", "");
  for (const Measured& result : results) {
    if (!result.measured()) {
      out << "  " << label(result, results) << ": left out: " << result.left_out << '\n';
      continue;
    }
    const Interval added = result.felt ? result.felt->added : Interval{};
    line(label(result, results), us(added.value), ends(added), us(result.median.value),
         ends(result.median), us(result.p5), us(result.p95), rate(result),
         std::to_string(result.samples.size()), std::to_string(result.disturbed.size()),
         result.narrow ? "" : "budget spent");
    for (const Share& share : result.shares) out << "    " << shown(share) << '\n';
  }
  out << std::endl;
}

namespace {

nlohmann::ordered_json as_json(const Interval& interval) {
  return {{"value", interval.value},
          {"low", interval.low},
          {"high", interval.high},
          {"confidence", interval.confidence}};
}

}  // namespace

nlohmann::ordered_json as_json(const Measured& result, const Around& around) {
  nlohmann::ordered_json entry = {
      {"scheme", result.scheme}, {"parameters", result.parameters}, {"bytes", result.bytes}};
  if (!result.measured()) {
    entry["left_out"] = result.left_out;
    return entry;
  }
  entry.update({{"batch", result.batch},
                {"start", result.by_clock ? "window" : "barrier"},
                {"late", result.late},
                {"samples_s", result.samples},
                {"disturbed", result.disturbed},
                {"warm_up", result.warm_up},
                {"median_s", as_json(result.median)},
                {"p5_s", result.p5},
                {"p95_s", result.p95},
                {"narrow", result.narrow},
                {"rank_medians_s", result.rank_medians}});
  if (result.felt)
    entry.update({{"felt_s", as_json(result.felt->added)},
                  {"loop_steps", result.felt->steps},
                  {"with_s", result.felt->with},
                  {"without_s", result.felt->without}});
  if (!result.result.empty()) entry["result"] = result.result;
  if (around.known()) entry["core_distance_s"] = {around.before, around.after};
  for (const auto& [name, share] : result.shares) {
    entry[name] = share.value;
    entry[name + "_interval"] = {share.low, share.high};
  }
  return entry;
}

}  // namespace halometer
