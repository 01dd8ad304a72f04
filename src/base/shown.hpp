#pragma once
// Text of others in a message.

#include <string>
#include <string_view>

namespace halocline::base {

/// The text on one line: of a long one its beginning and "...", with U+FFFD for control characters
/// and for bytes that are not UTF-8.
std::string shown(std::string_view text, std::size_t most = 60);

/// The same between single quotes.
std::string quoted(std::string_view text, std::size_t most = 60);

}  // namespace halocline::base
