#pragma once
// Files that are complete or not there.

#include <string>
#include <string_view>

namespace frame {

/// Writes beside `file` and renames: what was there before stays valid until the new one is whole.
/// Throws halocline::Error that begins with `option` and the file's name.
void write_whole(std::string_view option, const std::string& file, std::string_view content);

}  // namespace frame
