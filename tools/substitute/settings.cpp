#include "settings.hpp"

#include <halocline/environment.hpp>
#include <halocline/scheme.hpp>

#include <cstdlib>
#include <exception>
#include <utility>

namespace substitute {

namespace {

std::string variable(const char* name, std::string otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != '\0' ? text : std::move(otherwise);
}

[[noreturn]] void refuse(const char* name, const std::string& text, const char* right) {
  halocline::end_job("halocline-substitute", std::string(name) + "=" + text + ": " + right);
}

Settings read() {
  Settings settings;
  const std::string all = variable("HALOCLINE_APPLY_SCHEME", "auto");
  const char* const names[] = {"HALOCLINE_APPLY_NEIGHBOR", "HALOCLINE_APPLY_FENCE",
                               "HALOCLINE_APPLY_PERSISTENT"};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string text = variable(names[i], all);
    try {
      settings.schemes[i] = halocline::Scheme(text).str();
    } catch (const std::exception& problem) {
      refuse(text == all ? "HALOCLINE_APPLY_SCHEME" : names[i], text, problem.what());
    }
  }
  if (const std::string text = variable("HALOCLINE_APPLY_COMPARE", ""); !text.empty()) {
    char* end = nullptr;
    const unsigned long steps = std::strtoul(text.c_str(), &end, 10);
    if (*end != '\0' || text[0] == '-' || steps < 1 || steps > 1'000'000)
      refuse("HALOCLINE_APPLY_COMPARE", text, "give a number of steps from 1 to 1000000");
    settings.compared = static_cast<unsigned>(steps);
  }
  if (const std::string text = variable("HALOCLINE_APPLY", "on"); text == "loops")
    settings.loops = true;
  else if (text != "on")
    refuse("HALOCLINE_APPLY", text, "give on or loops");
  settings.report_given = std::getenv("HALOCLINE_APPLY_REPORT") != nullptr;
  settings.report = variable("HALOCLINE_APPLY_REPORT", "");
  return settings;
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::neighbor: return "neighbor";
    case Kind::fence: return "fence";
    case Kind::persistent: return "persistent";
  }
  return "";
}

std::uint64_t Settings::hash() const {
  std::string text = std::to_string(compared);
  for (const std::string& scheme : schemes) text += " " + scheme;
  std::uint64_t value = 14695981039346656037U;
  for (const char letter : text)
    value = (value ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  return value;
}

const Settings& Settings::get() {
  static const Settings* const settings = new Settings(read());
  return *settings;
}

}  // namespace substitute
