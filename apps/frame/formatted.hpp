#pragma once
// Text by printf's formats.

#include <cstdarg>
#include <cstdio>
#include <string>

namespace frame {

/// Appends at most 511 bytes.
[[gnu::format(printf, 2, 3)]] inline void append(std::string& text, const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  text += line;
}

}  // namespace frame
