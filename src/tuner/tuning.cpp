// The tuner's settings, and where its files are.

#include "base/text.hpp"
#include "cache_folder.hpp"

#include <halocline/mpi.hpp>
#include <halocline/tuner.hpp>

#include <cstdlib>
#include <string_view>

namespace halocline {

namespace fs = std::filesystem;

fs::path detail::cache_folder() {
  const auto given = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (const std::string folder = given("HALOCLINE_CACHE"); !folder.empty()) return folder;
  if (const std::string cache = given("XDG_CACHE_HOME"); !cache.empty())
    return fs::path(cache) / "halocline";
  if (const std::string home = given("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "halocline";
  return {};
}

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
  if (const char* named = std::getenv("HALOCLINE_TUNING"); named && *named) return named;
  const fs::path folder = detail::cache_folder();
  return folder.empty() ? std::string() : (folder / "tuning.json").string();
}

}  // namespace halocline
