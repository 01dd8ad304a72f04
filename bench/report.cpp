#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace halobench {

namespace {

/// Three digits that count, in microseconds.
std::string us(double seconds) {
  const double value = seconds * 1e6;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f",
                value < 10     ? 3
                : value < 100  ? 2
                : value < 1000 ? 1
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
      text += " " + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
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
  std::size_t width = 6;
  for (const Measured& result : results) width = std::max(width, label(result, results).size());
  const auto line = [&](const std::string& scheme, const std::string& median,
                        const std::string& interval, const std::string& p5, const std::string& p95,
                        const std::string& gb_s, const std::string& samples,
                        const std::string& disturbed, const std::string& note) {
    char text[512];
    std::snprintf(text, sizeof text, "  %-*s %8s %18s %8s %8s %5s %7s %9s  ",
                  static_cast<int>(width), scheme.c_str(), median.c_str(), interval.c_str(),
                  p5.c_str(), p95.c_str(), gb_s.c_str(), samples.c_str(), disturbed.c_str());
    std::string row = text + note;
    row.erase(row.find_last_not_of(' ') + 1);
    out << row << '\n';
  };
  out << title;
  if (around.known())
    out << "; a cache line takes " << us(around.before) << " us there and back, "
        << us(around.after) << " after";
  out << '\n';
  line("scheme", "us", "[95 %]", "p5", "p95", "GB/s", "samples", "disturbed", "");
  for (const Measured& result : results) {
    if (!result.measured()) {
      out << "  " << label(result, results) << ": left out: " << result.left_out << '\n';
      continue;
    }
    line(label(result, results), us(result.median.value),
         std::string("[") + us(result.median.low) + ", " + us(result.median.high) + "]",
         us(result.p5), us(result.p95), rate(result), std::to_string(result.samples.size()),
         std::to_string(result.disturbed.size()), result.narrow ? "" : "budget spent");
    for (const Share& share : result.shares) out << "    " << shown(share) << '\n';
  }
  out << std::endl;
}

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
                {"median_s",
                 {{"value", result.median.value},
                  {"low", result.median.low},
                  {"high", result.median.high},
                  {"confidence", result.median.confidence}}},
                {"p5_s", result.p5},
                {"p95_s", result.p95},
                {"narrow", result.narrow},
                {"rank_medians_s", result.rank_medians}});
  if (around.known()) entry["core_distance_s"] = {around.before, around.after};
  for (const auto& [name, share] : result.shares) {
    entry[name] = share.value;
    entry[name + "_interval"] = {share.low, share.high};
  }
  return entry;
}

}  // namespace halobench
