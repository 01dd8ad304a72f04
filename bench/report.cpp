#include "report.hpp"

#include <algorithm>
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

/// Two digits behind the point: what a kind adds are shares.
std::string shown(const nlohmann::ordered_json& value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value.get<double>());
  return text;
}

}  // namespace

void print(std::ostream& out, const std::string& title, const std::vector<Measured>& results) {
  std::size_t width = 6;
  for (const Measured& result : results) width = std::max(width, label(result, results).size());
  const auto line = [&](const std::string& scheme, const std::string& median,
                        const std::string& low, const std::string& high, const std::string& p5,
                        const std::string& p95, const std::string& gb_s, const std::string& samples,
                        const std::string& note) {
    char text[512];
    std::snprintf(text, sizeof text, "  %-*s %9s  [%s, %s]  %9s %9s %7s %8s  ",
                  static_cast<int>(width), scheme.c_str(), median.c_str(), low.c_str(),
                  high.c_str(), p5.c_str(), p95.c_str(), gb_s.c_str(), samples.c_str());
    std::string row = text + note;
    row.erase(row.find_last_not_of(' ') + 1);
    out << row << '\n';
  };
  out << title << "\n";
  line("scheme", "median us", "95 %", "interval", "p5", "p95", "GB/s", "samples", "");
  for (const Measured& result : results) {
    if (!result.measured()) {
      out << "  " << label(result, results) << ": left out: " << result.left_out << '\n';
      continue;
    }
    std::string note = result.narrow ? "" : "budget spent";
    for (const auto& [name, value] : result.extra.items())
      note += (note.empty() ? "" : "; ") + name + " " + shown(value);
    line(label(result, results), us(result.median.value), us(result.median.low),
         us(result.median.high), us(result.p5), us(result.p95), rate(result),
         std::to_string(result.samples.size()), note);
  }
  out << std::endl;
}

nlohmann::ordered_json as_json(const Measured& result) {
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
  if (!result.extra.is_null()) entry.update(result.extra);
  return entry;
}

}  // namespace halobench
