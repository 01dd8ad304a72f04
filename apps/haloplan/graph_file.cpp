#include "graph_file.hpp"

#include <halocline/mpi.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace haloplan {

using namespace halocline;

namespace {

constexpr std::int64_t most = 2'000'000'000;

class Lines {
 public:
  explicit Lines(const std::string& file) : file_(file), in_(file) {
    if (!in_) refuse(std::strerror(errno));
  }
  /// The next line that is no comment; false at the end.
  bool next() {
    while (std::getline(in_, text_)) {
      ++number_;
      if (text_.empty() || text_[0] != '%') return true;
    }
    return false;
  }
  const std::string& text() const { return text_; }
  /// The numbers of the line. Throws Error if there is anything else.
  std::vector<double> numbers() const {
    std::vector<double> all;
    std::istringstream words(text_);
    for (double value = 0; words >> value;) all.push_back(value);
    if (!words.eof()) refuse("has '" + text_ + "', which must be numbers");
    return all;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(file_ + (number_ > 0 ? ", line " + std::to_string(number_) : "") + ": " + what);
  }
  /// A whole number of a line, from `least` to `greatest`.
  std::int64_t whole(double value, std::int64_t least, std::int64_t greatest,
                     const char* what) const {
    const bool fits = value >= static_cast<double>(least) && value <= static_cast<double>(greatest);
    const auto number = fits ? static_cast<std::int64_t>(value) : 0;
    if (!fits || static_cast<double>(number) != value) {
      std::ostringstream said;
      said << what << ' ' << value << " must be a whole number from " << least << " to "
           << greatest;
      refuse(said.str());
    }
    return number;
  }

 private:
  std::string file_, text_;
  std::ifstream in_;
  std::int64_t number_ = 0;
};

Graph read_matrix(Lines& lines, std::string banner) {
  std::ranges::transform(banner, banner.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  if (banner.find(" matrix coordinate ") == banner.npos)
    lines.refuse("must be a 'matrix coordinate' to be taken for a graph");
  if (!lines.next()) lines.refuse("is cut short in its header");
  const std::vector<double> shape = lines.numbers();
  if (shape.size() != 3) lines.refuse("must have rows, columns and entries");
  const auto rows = lines.whole(shape[0], 1, most, "rows:");
  if (shape[1] != shape[0]) lines.refuse("is not square, so that it is not a graph");
  const auto entries = lines.whole(shape[2], 0, most, "entries:");
  std::vector<std::pair<int, int>> edges;
  for (std::int64_t entry = 0; entry < entries; ++entry) {
    if (!lines.next())
      lines.refuse("is cut short after " + std::to_string(entry) + " of " +
                   std::to_string(entries) + " entries");
    const std::vector<double> words = lines.numbers();
    if (words.size() < 2) lines.refuse("has no row and column");
    edges.emplace_back(static_cast<int>(lines.whole(words[0], 1, rows, "row") - 1),
                       static_cast<int>(lines.whole(words[1], 1, rows, "column") - 1));
  }
  return Graph::of_edges(static_cast<int>(rows), std::move(edges));
}

/// What the third number of the header says: of 100, 10 and 1 those that are there.
struct Format {
  bool sizes, weights, edge_weights;
};

Graph read_metis(Lines& lines) {
  const std::vector<double> head = lines.numbers();
  if (head.size() < 2 || head.size() > 4)
    lines.refuse("must begin with the numbers of vertices and edges");
  const auto vertices = lines.whole(head[0], 1, most, "vertices:");
  const auto edges = lines.whole(head[1], 0, most, "edges:");
  const auto format = head.size() > 2 ? lines.whole(head[2], 0, 111, "format") : 0;
  if (head.size() > 3 && head[3] != 1) lines.refuse("must have one weight a vertex");
  const Format has{format / 100 % 10 == 1, format / 10 % 10 == 1, format % 10 == 1};
  Graph graph;
  std::vector<std::pair<int, int>> pairs;
  for (std::int64_t v = 0; v < vertices; ++v) {
    if (!lines.next())
      lines.refuse("is cut short after " + std::to_string(v) + " of " + std::to_string(vertices) +
                   " vertices");
    const std::vector<double> words = lines.numbers();
    std::size_t at = has.sizes ? 1 : 0;
    if (has.weights) {
      if (at >= words.size()) lines.refuse("has no weight");
      graph.weights.push_back(static_cast<int>(lines.whole(words[at++], 1, most, "weight")));
    }
    for (; at < words.size(); at += has.edge_weights ? 2 : 1)
      pairs.emplace_back(static_cast<int>(v),
                         static_cast<int>(lines.whole(words[at], 1, vertices, "vertex") - 1));
  }
  if (static_cast<std::int64_t>(pairs.size()) != 2 * edges)
    lines.refuse("lists " + std::to_string(pairs.size()) + " ends of edges, not twice " +
                 std::to_string(edges));
  std::vector<int> weights = std::move(graph.weights);
  graph = Graph::of_edges(static_cast<int>(vertices), std::move(pairs));
  graph.weights = std::move(weights);
  return graph;
}

}  // namespace

Graph read_graph(const std::string& file) {
  Lines lines(file);
  std::ifstream in(file);
  std::string first;
  std::getline(in, first);
  if (first.starts_with("%%MatrixMarket")) return read_matrix(lines, first);
  if (!lines.next()) lines.refuse("is empty");
  return read_metis(lines);
}

std::vector<int> read_parts(const std::string& file, int vertices) {
  Lines lines(file);
  std::vector<int> part;
  while (lines.next()) {
    const std::vector<double> words = lines.numbers();
    if (words.empty()) continue;
    if (words.size() != 1) lines.refuse("must have one part a line");
    part.push_back(static_cast<int>(lines.whole(words[0], 0, vertices - 1, "part")));
  }
  if (part.size() != static_cast<std::size_t>(vertices))
    lines.refuse("has the parts of " + std::to_string(part.size()) + " vertices, not of " +
                 std::to_string(vertices));
  return part;
}

}  // namespace haloplan
