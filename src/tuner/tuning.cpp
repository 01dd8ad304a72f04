// The tuner's settings, and where its files are.

#include "base/folders.hpp"
#include "base/variable.hpp"

#include <halocline/tuner.hpp>

namespace halocline {

namespace {

Tuning from_environment() {
  Tuning tuning;
  tuning.budget = base::positive_of("HALOCLINE_TUNING_BUDGET", "seconds").value_or(tuning.budget);
  tuning.fresh = base::switch_of("HALOCLINE_TUNING_FRESH");
  tuning.log = base::variable("HALOCLINE_TUNING_LOG");
  return tuning;
}

}  // namespace

Tuning& Tuning::current() {
  static Tuning tuning = from_environment();
  return tuning;
}

std::string Tuning::path() const {
  if (!file.empty()) return file;
  if (const std::string named = base::variable("HALOCLINE_TUNING"); !named.empty())
    return base::expanded(named).string();
  const std::filesystem::path folder = base::cache_folder();
  return folder.empty() ? std::string() : (folder / "tuning.json").string();
}

}  // namespace halocline
