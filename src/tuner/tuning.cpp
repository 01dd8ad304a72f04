// The tuner's settings, and where its files are.

#include "base/folders.hpp"
#include "base/variable.hpp"

#include <halocline/error.hpp>
#include <halocline/more/tuner.hpp>

#include <cstdio>

namespace halocline {

namespace {

/// The file that a variable names; empty where it is not set.
std::string file_of(const std::string& name) {
  const std::string named = base::variable(name);
  const std::string file = base::expanded(named).string();
  if (file.empty() && !named.empty())
    throw Error(name + "=" + named + ": no home is known of that user");
  return file;
}

Tuning from_environment() {
  Tuning tuning;
  tuning.budget = base::positive_of("HALOCLINE_TUNING_BUDGET", "a number of seconds above 0")
                      .value_or(tuning.budget);
  tuning.fresh = base::switch_of("HALOCLINE_TUNING_FRESH");
  tuning.log = file_of("HALOCLINE_TUNING_LOG");
  return tuning;
}

}  // namespace

Tuning& Tuning::current() {
  static Tuning tuning = from_environment();
  return tuning;
}

void Tuning::tell(const std::string& text) noexcept {
  if (const auto told = current().remark; told != nullptr) told(text.c_str());
}

void print_remark(const char* text) noexcept {
  std::fprintf(stderr, "halocline: %s\n", text);
}

std::string Tuning::path() const {
  if (!file.empty()) return file;
  if (std::string named = file_of("HALOCLINE_TUNING"); !named.empty()) return named;
  const std::filesystem::path folder = base::cache_folder();
  return folder.empty() ? std::string() : (folder / "tuning.json").string();
}

}  // namespace halocline
