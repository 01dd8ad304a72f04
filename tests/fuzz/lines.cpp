// Text line by line.

#include "fuzz.hpp"

#include <formats/lines.hpp>

#include <cstdint>

namespace {

void read(std::string_view text) {
  formats::Lines all(text, "f", 0);
  std::int64_t count = 0;
  for (; all.next(); ++count) fuzz::must(all.number() == count + 1 && all.begin() < all.end());
  fuzz::must(all.end() == static_cast<std::int64_t>(text.size()));
  fuzz::must(formats::count_lines(text) == count);
}

const fuzz::Target target("lines", read);

}  // namespace
