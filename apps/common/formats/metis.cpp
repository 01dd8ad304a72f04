#include "metis.hpp"

#include "shown.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace formats {

namespace {

constexpr std::int64_t most = std::numeric_limits<int>::max();

/// What the first line says, and which it is.
struct Head {
  std::int64_t vertices, edges, line;
  bool sizes = false, weights = false, edge_weights = false;
};

bool next_line(Lines& lines) {
  while (lines.next())
    if (lines.words().empty() || !lines.words()[0].starts_with('%')) return true;
  return false;
}

/// A word of the line as a number from `least` on that an int holds.
int whole(const Lines& lines, std::size_t word, const char* what, int least) {
  const auto value = lines.as<std::int64_t>(word, what);
  if (value < least || value > most)
    lines.refuse(std::string(what) + " " + std::to_string(value) + " must be from " +
                 std::to_string(least) + " to " + std::to_string(most));
  return static_cast<int>(value);
}

Head read_head(Lines& lines) {
  if (!next_line(lines)) lines.end_of_file("the numbers of vertices and edges");
  Head head{};
  head.vertices = whole(lines, 0, "number of vertices", 1);
  head.line = lines.number();
  head.edges = lines.as<std::int64_t>(1, "number of edges");
  if (head.edges < 0) lines.refuse("has a negative number of edges");
  lines.at_most(4);
  if (lines.words().size() > 2) {
    const std::string_view format = lines.words()[2];
    if (format.size() > 3 || format.find_first_not_of("01") != format.npos)
      lines.refuse("has the format " + quoted(format) +
                   "; it must be 1 with weights of edges, 10 with weights of vertices, 100 with "
                   "their sizes, or a sum of these");
    const auto digit = [&](std::size_t place) {
      return format.size() > place && format[format.size() - 1 - place] == '1';
    };
    head.sizes = digit(2), head.weights = digit(1), head.edge_weights = digit(0);
  }
  if (lines.words().size() > 3 && whole(lines, 3, "number of weights", 0) > 1)
    lines.refuse("has more than one weight a vertex; one can be used");
  return head;
}

/// A sum that an int holds.
class Sum {
 public:
  explicit Sum(const char* what) : what_(what) {}
  void add(const Lines& lines, int value) {
    sum_ += value;
    if (sum_ > most)
      lines.refuse(std::string(what_) + " add up to more than " + std::to_string(most));
  }

 private:
  const char* what_;
  std::int64_t sum_ = 0;
};

/// The graph, and the line of each vertex.
class Reader {
 public:
  Reader(Lines& lines, const Head& head) : lines_(lines), head_(head) {}

  MetisGraph read() {
    for (std::int64_t vertex = 0; vertex < head_.vertices; ++vertex) {
      if (!next_line(lines_))
        lines_.end_of_file("vertex " + std::to_string(vertex + 1) + " of " +
                           std::to_string(head_.vertices));
      line_of_.push_back(lines_.number());
      read_vertex(vertex);
    }
    while (next_line(lines_))
      if (!lines_.words().empty())
        lines_.refuse("follows the last of " + std::to_string(head_.vertices) +
                      " vertices, where nothing must be");
    check();
    return std::move(graph_);
  }

 private:
  void read_vertex(std::int64_t vertex) {
    std::size_t word = 0;
    if (head_.sizes) {
      graph_.sizes.push_back(whole(lines_, word++, "size", 0));
      sizes_.add(lines_, graph_.sizes.back());
    }
    if (head_.weights) {
      graph_.weights.push_back(whole(lines_, word++, "weight", 0));
      weights_.add(lines_, graph_.weights.back());
    }
    const std::size_t first = graph_.neighbours.size();
    while (word < lines_.words().size()) {
      const int neighbour = whole(lines_, word++, "neighbour", 1);
      if (neighbour > head_.vertices)
        lines_.refuse("neighbour " + std::to_string(neighbour) + " is none of the " +
                      std::to_string(head_.vertices) + " vertices");
      if (neighbour - 1 == vertex) lines_.refuse("has an edge from the vertex to itself");
      graph_.neighbours.push_back(neighbour - 1);
      if (!head_.edge_weights) continue;
      graph_.edge_weights.push_back(whole(lines_, word++, "weight of an edge", 1));
      edges_.add(lines_, graph_.edge_weights.back());
    }
    sort(first);
    graph_.begin.push_back(std::ssize(graph_.neighbours));
  }

  /// The neighbours from `first` on, which must be there once.
  void sort(std::size_t first) {
    const auto at = [](auto& list, std::size_t i) {
      return list.begin() + static_cast<std::ptrdiff_t>(i);
    };
    const auto begin = at(graph_.neighbours, first), end = graph_.neighbours.end();
    if (!std::is_sorted(begin, end)) {
      std::vector<std::pair<int, int>> edges;
      for (std::size_t i = first; i < graph_.neighbours.size(); ++i)
        edges.emplace_back(graph_.neighbours[i], head_.edge_weights ? graph_.edge_weights[i] : 1);
      std::ranges::sort(edges);
      for (std::size_t i = 0; i < edges.size(); ++i) {
        graph_.neighbours[first + i] = edges[i].first;
        if (head_.edge_weights) graph_.edge_weights[first + i] = edges[i].second;
      }
    }
    if (const auto twice = std::adjacent_find(begin, end); twice != end)
      lines_.refuse("has the neighbour " + std::to_string(*twice + 1) + " twice");
  }

  /// The weight of an edge of which this is one end; none if it is not there.
  std::optional<int> weight(int from, int to) const {
    const auto v = static_cast<std::size_t>(from);
    const auto begin = graph_.neighbours.begin() + graph_.begin[v];
    const auto end = graph_.neighbours.begin() + graph_.begin[v + 1];
    const auto found = std::lower_bound(begin, end, to);
    if (found == end || *found != to) return std::nullopt;
    return head_.edge_weights
               ? graph_.edge_weights[static_cast<std::size_t>(found - graph_.neighbours.begin())]
               : 1;
  }

  /// Each edge must be there from both ends.
  void check() const {
    for (int v = 0; v < head_.vertices; ++v)
      for (std::int64_t e = graph_.begin[static_cast<std::size_t>(v)];
           e < graph_.begin[static_cast<std::size_t>(v) + 1]; ++e) {
        const int neighbour = graph_.neighbours[static_cast<std::size_t>(e)];
        const std::int64_t line = line_of_[static_cast<std::size_t>(v)];
        const std::string edge = "has the neighbour " + std::to_string(neighbour + 1) +
                                 ", whose line " +
                                 std::to_string(line_of_[static_cast<std::size_t>(neighbour)]);
        const auto back = weight(neighbour, v);
        if (!back) lines_.refuse(line, edge + " does not have " + std::to_string(v + 1));
        if (head_.edge_weights && *back != graph_.edge_weights[static_cast<std::size_t>(e)])
          lines_.refuse(line, edge + " gives the edge another weight");
      }
    const std::int64_t ends = std::ssize(graph_.neighbours);
    if (ends / 2 != head_.edges)
      lines_.refuse(head_.line, "says that there are " + std::to_string(head_.edges) +
                                    " edges, but there are " + std::to_string(ends / 2));
  }

  Lines& lines_;
  const Head head_;
  MetisGraph graph_;
  std::vector<std::int64_t> line_of_;
  Sum sizes_{"sizes"}, weights_{"weights of vertices"}, edges_{"weights of edges, from both ends,"};
};

}  // namespace

MetisGraph read_metis(Lines& lines) {
  const Head head = read_head(lines);
  return Reader(lines, head).read();
}

}  // namespace formats
