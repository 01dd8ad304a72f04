// What stands before an array in NumPy's files.

#include "fuzz.hpp"

#include <formats/npy.hpp>

#include <sstream>

namespace {

void read(std::string_view text) {
  std::istringstream file{std::string(text)};
  const formats::NpyHeader header = formats::read_npy_header(file, "f");
  std::int64_t bytes = 8;
  for (const std::int64_t extent : header.shape) bytes *= extent;
  fuzz::must(header.begin > 0 && header.begin + bytes == static_cast<std::int64_t>(text.size()));
}

const fuzz::Target target("npy", read);

}  // namespace
