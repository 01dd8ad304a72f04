#include "reorder.hpp"

#include "deal.hpp"

#include <halocline/more/islands.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace spmv {

using namespace halocline;

namespace {

using Indices = std::vector<std::int64_t>;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// The rows that have an entry with each other, in either direction, ascending; a row weighs what a
/// product moves for it.
Graph graph_of(const Indices& lengths, const Indices& columns) {
  Graph graph;
  const auto size = std::ssize(lengths);
  const auto for_entries = [&](const auto& act) {
    std::size_t e = 0;
    for (std::int64_t row = 0; row < size; ++row)
      for (std::int64_t i = 0; i < lengths[at(row)]; ++i, ++e)
        if (columns[e] != row) act(static_cast<int>(row), static_cast<int>(columns[e]));
  };
  for (const std::int64_t length : lengths)
    graph.weights.push_back(static_cast<int>(length + of_a_row));
  graph.begin.assign(at(size) + 1, 0);
  for_entries([&](int row, int column) {
    ++graph.begin[at(row) + 1];
    ++graph.begin[at(column) + 1];
  });
  std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
  graph.neighbours.resize(at(graph.begin.back()));
  Indices next(graph.begin.begin(), graph.begin.end() - 1);
  for_entries([&](int row, int column) {
    graph.neighbours[at(next[at(row)]++)] = column;
    graph.neighbours[at(next[at(column)]++)] = row;
  });
  // Each once.
  std::int64_t kept = 0;
  for (std::int64_t node = 0; node < size; ++node) {
    const auto from = graph.neighbours.begin() + std::exchange(graph.begin[at(node)], kept),
               to = graph.neighbours.begin() + next[at(node)];
    std::sort(from, to);
    const auto end = std::unique(from, to);
    std::move(from, end, graph.neighbours.begin() + kept);
    kept += end - from;
  }
  graph.begin.back() = kept;
  graph.neighbours.resize(at(kept));
  return graph;
}

std::int64_t degree(const Graph& graph, int node) {
  return graph.begin[at(node) + 1] - graph.begin[at(node)];
}

/// Appends all that can be reached from a node, nearest first; `seen` where it is `mark`. Returns
/// where the last level begins, and how many levels there are.
std::pair<std::size_t, int> breadth_first(const Graph& graph, int from, std::vector<int>& order,
                                          std::vector<int>& seen, int mark) {
  std::size_t level = order.size();
  order.push_back(from);
  seen[at(from)] = mark;
  for (int levels = 1;; ++levels) {
    const std::size_t end = order.size();
    for (std::size_t i = level; i < end; ++i)
      for (const int next : graph.of(order[i]))
        if (std::exchange(seen[at(next)], mark) != mark) order.push_back(next);
    if (order.size() == end) return {level, levels};
    level = end;
  }
}

Indices reverse_cuthill_mckee(Graph graph) {
  const auto fewest = [&](int a, int b) { return degree(graph, a) < degree(graph, b); };
  for (int node = 0; node < graph.vertices(); ++node)
    std::stable_sort(graph.neighbours.begin() + graph.begin[at(node)],
                     graph.neighbours.begin() + graph.begin[at(node) + 1], fewest);
  const auto size = at(graph.vertices());
  std::vector<int> order, seen(size, -1), placed(size, 0);
  int mark = 0;
  for (int first = 0; first < graph.vertices(); ++first) {
    if (placed[at(first)] == 1) continue;
    // A node at the edge: as long as one in the last level sees farther.
    int from = first;
    for (int most = 0;;) {
      std::vector<int> reached;
      const auto [last, levels] = breadth_first(graph, from, reached, seen, mark++);
      if (levels <= most) break;
      most = levels;
      from = *std::min_element(reached.begin() + static_cast<std::ptrdiff_t>(last), reached.end(),
                               fewest);
    }
    breadth_first(graph, from, order, placed, 1);
  }
  return {order.rbegin(), order.rend()};
}

/// On all ranks, from rank 0. Collective.
void broadcast(MPI_Comm comm, Indices& numbers) {
  constexpr std::size_t most = std::size_t{1} << 27;
  for (std::size_t begin = 0; begin < numbers.size(); begin += most)
    HALOCLINE_MPI(MPI_Bcast, numbers.data() + begin,
                  static_cast<int>(std::min(most, numbers.size() - begin)), MPI_INT64_T, 0, comm);
}

/// What all ranks have, one after the other, on rank 0. Collective.
Indices collected(MPI_Comm comm, const Indices& mine) {
  std::vector<Indices> outgoing(at(mpi::size(comm)));
  outgoing[0] = mine;
  Indices all;
  for (const Indices& list : deal(comm, outgoing)) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// The structure on rank 0; empty on the others. Collective.
Graph on_rank_0(MPI_Comm comm, const Matrix& matrix) {
  constexpr auto most = std::numeric_limits<int>::max();
  if (matrix.all_rows > most)
    throw Error("has " + std::to_string(matrix.all_rows) + " rows, of which at most " +
                std::to_string(most) + " can be given other numbers");
  Indices lengths;
  for (std::size_t row = 0; row + 1 < matrix.begin.size(); ++row)
    lengths.push_back(matrix.begin[row + 1] - matrix.begin[row]);
  lengths = collected(comm, lengths);
  const Indices columns = collected(comm, matrix.columns);
  return mpi::rank(comm) == 0 ? graph_of(lengths, columns) : Graph();
}

}  // namespace

Indices inverse(const Indices& place) {
  Indices back(place.size());
  for (std::size_t i = 0; i < place.size(); ++i) back[at(place[i])] = static_cast<std::int64_t>(i);
  return back;
}

Indices reverse_cuthill_mckee(MPI_Comm comm, const Matrix& matrix) {
  Graph graph = on_rank_0(comm, matrix);
  Indices place(at(matrix.all_rows));
  if (mpi::rank(comm) == 0) place = inverse(reverse_cuthill_mckee(std::move(graph)));
  broadcast(comm, place);
  return place;
}

Sharing shared_out(MPI_Comm comm, const Matrix& matrix, Partitioner by, const Indices& order) {
  const int ranks = mpi::size(comm);
  const Machine machine = machine_of(comm);
  const Graph graph = on_rank_0(comm, matrix);
  Sharing sharing;
  sharing.place.resize(at(matrix.all_rows));
  Indices ends(at(ranks));
  mpi::together(comm, [&] {
    if (mpi::rank(comm) != 0) return;
    std::vector<int> owner = partition_graph(graph, ranks, by);
    const std::vector<int> rank_of = best_ranks(graph_of_parts(graph, owner, ranks), machine);
    for (int& part : owner) {
      part = rank_of[at(part)];
      ++ends[at(part)];
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    // A rank's rows in the order that they have had.
    Indices next(ends.size(), 0);
    std::copy(ends.begin(), ends.end() - 1, next.begin() + 1);
    const Indices rows = order.empty() ? Indices() : inverse(order);
    for (std::int64_t i = 0; i < matrix.all_rows; ++i) {
      const std::int64_t row = rows.empty() ? i : rows[at(i)];
      sharing.place[at(row)] = next[at(owner[at(row)])]++;
    }
  });
  broadcast(comm, sharing.place);
  broadcast(comm, ends);
  const std::size_t me = at(mpi::rank(comm));
  sharing.mine = {me == 0 ? 0 : ends[me - 1], ends[me]};
  return sharing;
}

Matrix renumbered(MPI_Comm comm, const Matrix& matrix, const Indices& place, Range mine) {
  const int ranks = mpi::size(comm);
  const Indices ends = ends_of(comm, mine.end);
  std::vector<Indices> rows(at(ranks)), lengths(at(ranks)), columns(at(ranks));
  std::vector<std::vector<double>> values(at(ranks));
  for (std::int64_t row = matrix.rows.begin; row < matrix.rows.end; ++row) {
    const std::size_t owner = owner_of(ends, place[at(row)]), r = at(row - matrix.rows.begin);
    rows[owner].push_back(place[at(row)]);
    lengths[owner].push_back(matrix.begin[r + 1] - matrix.begin[r]);
    for (std::size_t e = at(matrix.begin[r]); e < at(matrix.begin[r + 1]); ++e) {
      columns[owner].push_back(place[at(matrix.columns[e])]);
      values[owner].push_back(matrix.values[e]);
    }
  }
  rows = deal(comm, rows);
  lengths = deal(comm, lengths);
  columns = deal(comm, columns);
  values = deal(comm, values);

  // Where each row is in what has come.
  struct Came {
    std::size_t rank = 0, begin = 0;
    std::int64_t length = 0;
  };
  std::vector<Came> came(at(mine.size()));
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < rows[rank].size(); ++i) {
      came[at(rows[rank][i] - mine.begin)] = {rank, begin, lengths[rank][i]};
      begin += at(lengths[rank][i]);
    }
  }
  Matrix other;
  other.rows = mine;
  other.all_rows = matrix.all_rows;
  other.all_columns = matrix.all_columns;
  for (const auto& [rank, begin, length] : came) {
    const auto from = static_cast<std::ptrdiff_t>(begin);
    other.columns.insert(other.columns.end(), columns[rank].begin() + from,
                         columns[rank].begin() + from + length);
    other.values.insert(other.values.end(), values[rank].begin() + from,
                        values[rank].begin() + from + length);
    other.begin.push_back(other.begin.back() + length);
  }
  return other;
}

std::int64_t bandwidth(MPI_Comm comm, const Matrix& matrix) {
  std::int64_t most = 0;
  for (std::int64_t row = matrix.rows.begin; row < matrix.rows.end; ++row) {
    const std::size_t r = at(row - matrix.rows.begin);
    for (std::size_t e = at(matrix.begin[r]); e < at(matrix.begin[r + 1]); ++e)
      most = std::max<std::int64_t>(most, std::abs(matrix.columns[e] - row));
  }
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, comm);
  return most;
}

std::vector<double> moved(MPI_Comm comm, Range from, std::span<const double> numbers,
                          const Indices& place, Range to) {
  struct Item {
    std::int64_t index;
    double value;
  };
  const Indices ends = ends_of(comm, to.end);
  std::vector<std::vector<Item>> outgoing(ends.size());
  for (std::int64_t i = from.begin; i < from.end; ++i) {
    const std::int64_t index = place[at(i)];
    outgoing[owner_of(ends, index)].push_back({index, numbers[at(i - from.begin)]});
  }
  std::vector<double> mine(at(to.size()));
  for (const auto& list : deal(comm, outgoing))
    for (const auto& [index, value] : list) mine[at(index - to.begin)] = value;
  return mine;
}

}  // namespace spmv
