// What stands before an array in NumPy's files.

#include "fuzz.hpp"

#include <formats/npy.hpp>

#include <sstream>

namespace {

void read(std::string_view text) {
  std::istringstream file{std::string(text)};
  const formats::NpyHeader header = formats::read_npy_header(file, "f");
  std::int64_t bytes = 8;
  // Beside an extent of 0 the others may be as large as can be.
  for (const std::int64_t extent : header.shape)
    if (extent == 0) bytes = 0;
  for (const std::int64_t extent : header.shape) bytes *= bytes > 0 ? extent : 0;
  fuzz::must(header.begin > 0 && header.begin + bytes == static_cast<std::int64_t>(text.size()));
}

const fuzz::Target target("npy", read);

}  // namespace
