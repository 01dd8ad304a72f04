// Matrices in Matrix Market's format.

#include "fuzz.hpp"

#include <formats/market.hpp>

#include <cmath>

namespace {

void read(std::string_view text) {
  formats::Lines lines(text, "f", 0);
  const formats::MarketHeader header = read_market_header(lines, {.complex = true});
  if (header.dense) {
    fuzz::must(std::ssize(read_numbers(lines, header)) == header.entries);
    return;
  }
  const auto entries = read_entries(lines, header);
  fuzz::must(std::ssize(entries) == header.entries);
  for (const formats::Entry& entry : entries)
    fuzz::must(entry.row >= 0 && entry.row < header.rows && entry.column >= 0 &&
               entry.column < header.columns && std::isfinite(entry.value));
  if (header.rows > 1000) return;
  const formats::Rows rows = formats::by_rows(entries, 0, header.rows);
  fuzz::must(rows.begin.back() == std::ssize(rows.values));
}

const fuzz::Target target("market", read);

}  // namespace
