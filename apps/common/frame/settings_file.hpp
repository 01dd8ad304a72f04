#pragma once
// Settings in a file: TOML (https://toml.io/en/v1.0.0), a key for each option.

#include <string>
#include <string_view>
#include <vector>

namespace frame {

/// What a key is given, in the words of a command line.
struct Setting {
  std::string key, text;
  bool quoted = false;  ///< a string, which is no number even if it looks like one
  std::string place;    ///< "melt.toml:3"
};

/// All settings of a file with this name and content, in the order of its lines. Throws
/// halocline::Error, which names file and line, for what is not TOML or no value of an option.
std::vector<Setting> settings_of(const std::string& file, std::string_view content);

}  // namespace frame
