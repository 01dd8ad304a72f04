// Graphs and their parts, as haloplan reads them: the first line of the text says how many bytes
// are the graph.

#include "fuzz.hpp"

#include <graph_file.hpp>

#include <formats/market.hpp>
#include <formats/number.hpp>

#include <algorithm>

namespace {

void read(std::string_view text) {
  const std::size_t line = std::min(text.find('\n'), text.size());
  const auto bytes = formats::number<int>(text.substr(0, line));
  if (!bytes || *bytes < 0) throw halocline::Error(bytes.why());
  const std::string_view both = text.substr(std::min(line + 1, text.size()));
  const std::string_view one = both.substr(0, static_cast<std::size_t>(*bytes));
  // Vertices without edges need no bytes of the file, and haloplan takes as many as the memory
  // holds.
  if (formats::Lines lines(one, "f", 0); is_market(lines))
    if (read_market_header(lines, {.complex = true}).rows > 10'000)
      throw halocline::Error("too large for a test");
  const halocline::Graph graph = haloplan::read_graph(fuzz::file_of(one));
  const int vertices = static_cast<int>(std::ssize(graph.begin)) - 1;
  const auto parts = haloplan::read_parts(fuzz::file_of(both.substr(one.size())), vertices);
  fuzz::must(std::ssize(parts) == vertices);
}

const fuzz::Target target("graph", read);

}  // namespace
