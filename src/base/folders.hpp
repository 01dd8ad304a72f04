#pragma once
// Where a user's files are. The command has the same rule (python/halocline/folders.py); both are
// tested against tests/common/cache_folders.json.

#include <filesystem>
#include <functional>
#include <string>

namespace halocline::base {

/// What a name stands for; empty if nothing.
using Lookup = std::function<std::string(const std::string& name)>;

/// A variable of the environment. Empty if it is not set.
std::string variable(const std::string& name);
/// The home of a user as the system knows it; of this user by an empty name.
std::string home_of(const std::string& user);

/// A path whose first folder may be `~` or `~USER`, as nobody but a shell reads it, and no shell in
/// quotes or behind a `=`. Empty if that home is not known.
std::filesystem::path expanded(const std::string& path, const Lookup& variable = base::variable,
                               const Lookup& home_of = base::home_of);

/// The folder of the tuning file and the doctor's memory: $HALOCLINE_CACHE; or `halocline` in
/// $XDG_CACHE_HOME, if that is absolute, or in ~/.cache. Empty if none is known.
std::filesystem::path cache_folder(const Lookup& variable = base::variable,
                                   const Lookup& home_of = base::home_of);

}  // namespace halocline::base
