// The tuner's settings, and where its files are.

#include "base/folders.hpp"
#include "base/text.hpp"

#include <halocline/mpi.hpp>
#include <halocline/tuner.hpp>

#include <cstdlib>
#include <string_view>

namespace halocline {

namespace {

Tuning from_environment() {
  Tuning tuning;
  if (const char* seconds = std::getenv("HALOCLINE_TUNING_BUDGET")) {
    tuning.budget = base::number<double>(seconds).value_or(0);
    if (!(tuning.budget > 0))
      throw Error(std::string("HALOCLINE_TUNING_BUDGET=") + seconds +
                  ": must be a number of seconds above 0");
  }
  if (const char* fresh = std::getenv("HALOCLINE_TUNING_FRESH"))
    tuning.fresh = std::string_view(fresh) == "1";
  if (const char* log = std::getenv("HALOCLINE_TUNING_LOG")) tuning.log = log;
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
