#pragma once
// Any bytes whatever, given to every reader: each reads them or throws Error, and what it reads
// keeps its promises. So that libFuzzer can drive it:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -DFUZZ_ALONE -Iapps -Iinclude
//     -Itests/formats -x c++ tests/formats/fuzz.hpp -x none apps/common/formats/*.cpp

#include <formats/lines.hpp>
#include <formats/market.hpp>
#include <formats/metis.hpp>
#include <formats/npy.hpp>
#include <halocline/error.hpp>

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace fuzz {

inline void must(bool holds) {
  if (!holds) std::abort();
}

inline void numbers(std::string_view text) {
  if (const auto real = formats::number<double>(text))
    must(std::isfinite(*real));
  else
    must(!real.why().empty());
  if (!formats::number<int>(text)) must(!formats::number<int>(text).why().empty());
}

inline void lines(std::string_view text) {
  formats::Lines all(text, "f", 0);
  std::int64_t count = 0;
  for (; all.next(); ++count) must(all.number() == count + 1 && all.begin() < all.end());
  must(all.end() == static_cast<std::int64_t>(text.size()));
  must(formats::count_lines(text) == count);
}

inline void market(std::string_view text) {
  formats::Lines lines(text, "f", 0);
  const formats::MarketHeader header = read_market_header(lines, {.complex = true});
  if (header.dense) {
    must(std::ssize(read_numbers(lines, header)) == header.entries);
    return;
  }
  const auto entries = read_entries(lines, header);
  must(std::ssize(entries) == header.entries);
  for (const formats::Entry& entry : entries)
    must(entry.row >= 0 && entry.row < header.rows && entry.column >= 0 &&
         entry.column < header.columns && std::isfinite(entry.value));
  if (header.rows > 1000) return;
  const formats::Rows rows = formats::by_rows(entries, 0, header.rows);
  must(rows.begin.back() == std::ssize(rows.values));
}

inline void metis(std::string_view text) {
  formats::Lines lines(text, "f", 0);
  const formats::MetisGraph graph = read_metis(lines);
  must(graph.begin.back() == std::ssize(graph.neighbours));
  for (const int neighbour : graph.neighbours)
    must(neighbour >= 0 && neighbour + 1 < std::ssize(graph.begin));
  must(graph.edge_weights.empty() || graph.edge_weights.size() == graph.neighbours.size());
}

inline void npy(std::string_view text) {
  std::istringstream file{std::string(text)};
  const formats::NpyHeader header = formats::read_npy_header(file, "f");
  must(header.begin > 0 && header.begin <= static_cast<std::int64_t>(text.size()));
}

/// Whether the reader could read the text.
template <class Read>
bool reads(Read&& read, std::string_view text) {
  try {
    read(text);
    return true;
  } catch (const halocline::Error& problem) {
    // One line, whatever was read.
    must(std::string_view(problem.what()).find_first_of("\r\n") == std::string_view::npos);
    return false;
  }
}

}  // namespace fuzz

#ifdef FUZZ_ALONE
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (void (*const read)(std::string_view) :
       {fuzz::numbers, fuzz::lines, fuzz::market, fuzz::metis, fuzz::npy})
    fuzz::reads(read, text);
  return 0;
}
#endif
