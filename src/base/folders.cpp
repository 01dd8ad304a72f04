#include "folders.hpp"

#include <pwd.h>
#include <unistd.h>
#include <cstdlib>

namespace halocline::base {

namespace fs = std::filesystem;

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? value : "";
}

std::string home_of(const std::string& user) {
  const passwd* entry = user.empty() ? getpwuid(getuid()) : getpwnam(user.c_str());
  return entry && entry->pw_dir ? entry->pw_dir : "";
}

fs::path expanded(const std::string& path, const Lookup& variable, const Lookup& home_of) {
  if (!path.starts_with('~')) return path;
  const std::size_t slash = std::min(path.find('/'), path.size());
  const std::string user = path.substr(1, slash - 1);
  std::string home;
  if (user.empty()) home = variable("HOME");
  if (home.empty()) home = home_of(user);
  return home.empty() ? fs::path() : fs::path(home + path.substr(slash));
}

fs::path cache_folder(const Lookup& variable, const Lookup& home_of) {
  if (const std::string named = variable("HALOCLINE_CACHE"); !named.empty())
    return expanded(named, variable, home_of);
  fs::path cache = expanded(variable("XDG_CACHE_HOME"), variable, home_of);
  if (!cache.is_absolute()) cache = expanded("~/.cache", variable, home_of);
  return cache.empty() ? cache : cache / "halocline";
}

}  // namespace halocline::base
