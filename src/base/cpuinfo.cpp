#include "cpuinfo.hpp"

#include <sstream>

namespace halocline::base {

namespace {

std::string without_blanks_around(const std::string& text) {
  constexpr const char* blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

std::string processor_in(const std::string& cpuinfo) {
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || without_blanks_around(line.substr(0, colon)) != "model name")
      continue;
    if (std::string name = without_blanks_around(line.substr(colon + 1)); !name.empty())
      return name;
  }
  return {};
}

}  // namespace halocline::base
