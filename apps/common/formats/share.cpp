#include "share.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace formats {

using halocline::Error;

std::string share_of_lines(const std::string& file, std::int64_t begin, std::int64_t end,
                           int shares, int share) {
  const std::int64_t all = std::max<std::int64_t>(0, end - begin);
  const auto edge = [&](std::int64_t i) {
    return begin + all / shares * i + std::min(i, all % shares);
  };
  const std::int64_t first = edge(share), last = edge(share + 1);
  if (first == last) return {};
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(file + ": " + std::strerror(errno));
  // The byte before tells whether a line begins; before the first one it does.
  const std::int64_t from = first - (share > 0 ? 1 : 0);
  std::string text(static_cast<std::size_t>(last - from), '\0');
  in.seekg(from);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in) throw Error(file + ": cannot be read, or has become shorter");
  if (share > 0) {
    const std::size_t line_end = text.find('\n');
    if (line_end == text.npos || line_end + 1 == text.size()) return {};
    text.erase(0, line_end + 1);
  }
  if (std::string rest; text.back() != '\n' && last < end && std::getline(in, rest)) {
    text += rest;
    if (!in.eof()) text += '\n';
  }
  return text;
}

}  // namespace formats
