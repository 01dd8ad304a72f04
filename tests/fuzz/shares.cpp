// A text in shares, which together are all of it, as several ranks read it.

#include "fuzz.hpp"

#include <formats/share.hpp>

namespace {

void read(std::string_view text) {
  const std::string file = fuzz::file_of(text);
  const auto size = static_cast<std::int64_t>(text.size());
  for (const int ranks : {1, 2, 3, 7}) {
    std::string all;
    for (int rank = 0; rank < ranks; ++rank)
      all += formats::share_of_lines(file, 0, size, ranks, rank);
    fuzz::must(all == text);
  }
}

const fuzz::Target target("shares", read);

}  // namespace
