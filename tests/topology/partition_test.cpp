// Meshes into parts, parts into groups of exactly the ranks of sockets and nodes, and the words
// that then cross nodes. No MPI.

#include "common/complaint.hpp"
#include "common/its_turn.hpp"
#include "common/meshes.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/more/partition.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace halocline;

namespace {

std::vector<Partitioner> partitioners() {
  std::vector<Partitioner> all{Partitioner::curve};
  if (has_metis()) all.push_back(Partitioner::metis);
  return all;
}

/// Each rank has as many parts as there is room for: one.
void expect_one_each(const std::vector<int>& rank, int ranks) {
  std::set<int> taken(rank.begin(), rank.end());
  EXPECT_EQ(taken.size(), rank.size());
  EXPECT_GE(*taken.begin(), 0);
  EXPECT_LT(*taken.rbegin(), ranks);
}

std::vector<int> in_sequence(int parts) {
  std::vector<int> rank(static_cast<std::size_t>(parts));
  std::iota(rank.begin(), rank.end(), 0);
  return rank;
}

TEST(Partition, GivesEachPartAboutAsMuchWork) {
  for (const Graph& graph : {torus(40, 24), random_points(3000, 0.04)})
    for (const Partitioner by : partitioners())
      for (const int parts : {1, 2, 7, 24}) {
        const std::vector<int> part = partition_graph(graph, parts, by);
        EXPECT_EQ(part, partition_graph(graph, parts, by));
        std::vector<int> size(static_cast<std::size_t>(parts), 0);
        for (const int one : part) ++size.at(static_cast<std::size_t>(one));
        const double even = static_cast<double>(graph.vertices()) / parts;
        for (const int one : size) {
          EXPECT_GT(one, 0.85 * even);
          EXPECT_LT(one, 1.15 * even);
        }
      }
}

TEST(Partition, WeighsVertices) {
  Graph graph = random_points(2000, 0.05);
  std::mt19937 dice(1);
  for (int v = 0; v < graph.vertices(); ++v)
    graph.weights.push_back(graph.places[static_cast<std::size_t>(v)][0] < 0.2 ? 9 : 1);
  const double all = std::accumulate(graph.weights.begin(), graph.weights.end(), 0.0);
  for (const Partitioner by : partitioners()) {
    const std::vector<int> part = partition_graph(graph, 8, by);
    const Graph parts = graph_of_parts(graph, part, 8);
    for (const int weight : parts.weights) EXPECT_NEAR(weight, all / 8, all / 8 * 0.2);
  }
}

TEST(Partition, FollowsTheCurveWherePlacesAreUnknown) {
  Graph graph = torus(60, 24);
  const auto cut = [&](const std::vector<int>& part) {
    const Graph parts = graph_of_parts(graph, part, 16);
    return std::accumulate(parts.edge_weights.begin(), parts.edge_weights.end(), 0);
  };
  const int known = cut(partition_graph(graph, 16, Partitioner::curve));
  graph.places.clear();
  EXPECT_LT(cut(partition_graph(graph, 16, Partitioner::curve)), 2 * known);
}

TEST(Partition, LetsVerticesWithoutWorkBe) {
  Graph graph = Graph::of_edges(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  graph.weights = {0, 1, 1, 1};
  for (const Partitioner by : {Partitioner::best, Partitioner::curve}) {
    const Graph parts = graph_of_parts(graph, partition_graph(graph, 2, by), 2);
    EXPECT_EQ(std::ranges::max(parts.weights), 2);
  }
}

TEST(Partition, CountsTheWordsThatVerticesSend) {
  Graph graph = Graph::of_edges(4, {{0, 1}, {1, 2}, {2, 3}});
  graph.sizes = {7, 5, 0, 3};
  const Graph parts = graph_of_parts(graph, std::vector{0, 0, 1, 1}, 2);
  EXPECT_EQ(parts.edge_weights, (std::vector{5, 0}));
}

TEST(Partition, KeepsHeavyEdgesWhole) {
  if (!has_metis()) GTEST_SKIP() << "the curve looks at vertices alone";
  Graph graph;
  graph.begin = {0, 2, 4, 6, 8};
  graph.neighbours = {1, 3, 2, 0, 3, 1, 0, 2};
  graph.edge_weights = {1, 1000, 1000, 1, 1, 1000, 1000, 1};
  const std::vector<int> part = partition_graph(graph, 2, Partitioner::metis);
  EXPECT_EQ(part[0], part[3]);
  EXPECT_EQ(part[1], part[2]);
  EXPECT_NE(part[0], part[1]);
}

std::vector<int> sizes_of(const std::vector<int>& part, int parts) {
  std::vector<int> size(static_cast<std::size_t>(parts), 0);
  for (const int one : part) ++size.at(static_cast<std::size_t>(one));
  return size;
}

TEST(Partition, LeavesNoPartEmptyWhateverVerticesWeigh) {
  const Graph plain = torus(10, 10);
  constexpr int most = std::numeric_limits<int>::max();
  const auto weighing = [&](auto&& weight) {
    Graph graph = plain;
    for (int v = 0; v < graph.vertices(); ++v) graph.weights.push_back(weight(v));
    return graph;
  };
  for (const Graph& graph : {weighing([](int) { return 30'000'000; }),
                             weighing([](int v) { return v % 2 ? 2'000'000'000 : 1; }),
                             weighing([](int v) { return v == 5 ? most : 1; }),
                             weighing([](int v) { return v == 5 ? 1 : 0; }),
                             weighing([](int v) { return 1 << v % 31; })})
    for (const Partitioner by : partitioners())
      for (const int parts : {2, 4, 97, 100}) {
        testing::internal::CaptureStdout();
        const std::vector<int> part = partition_graph(graph, parts, by);
        EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
        EXPECT_GT(std::ranges::min(sizes_of(part, parts)), 0);
        // As even as the heaviest vertex lets it be.
        if (parts > 4) continue;
        std::vector<double> work(static_cast<std::size_t>(parts), 0);
        for (std::size_t v = 0; v < part.size(); ++v)
          work[static_cast<std::size_t>(part[v])] += graph.weights[v];
        const double all = std::accumulate(work.begin(), work.end(), 0.0);
        EXPECT_LE(std::ranges::max(work),
                  std::max<double>(std::ranges::max(graph.weights), all / parts * 1.5));
      }
}

TEST(Partition, TakesEdgesOfAnyWeight) {
  Graph graph = torus(12, 12);
  for (const int weight : {0, 1, std::numeric_limits<int>::max()}) {
    graph.edge_weights.assign(graph.neighbours.size(), weight);
    for (const Partitioner by : partitioners())
      EXPECT_GT(std::ranges::min(sizes_of(partition_graph(graph, 6, by), 6)), 15);
  }
}

TEST(Partition, ScalesWorkThatItsTypeCannotHold) {
  Graph graph = Graph::of_edges(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  graph.weights = {2'000'000'000, 2'000'000'000, 1'000'000'000, 0};
  const Graph parts = graph_of_parts(graph, std::vector{0, 0, 1, 1}, 2);
  EXPECT_EQ(parts.weights[0], 4 * parts.weights[1]);
  graph.sizes.assign(4, 2'000'000'000);
  EXPECT_THROW(graph_of_parts(graph, std::vector{0, 1, 0, 1}, 2), Error);
}

TEST(Partition, RefusesWhatIsNoGraph) {
  const Graph good = Graph::of_edges(4, {{0, 1}, {1, 2}, {2, 3}});
  const auto refused = [&](auto&& spoil, const char* words) {
    Graph graph = good;
    spoil(graph);
    const std::string said = complaint([&] { partition_graph(graph, 2); });
    EXPECT_NE(said.find(words), said.npos) << said;
  };
  refused([](Graph& g) { g.edge_weights = {1}; }, "1 weights of edges for 6 neighbours");
  refused([](Graph& g) { g.edge_weights = {1, 1, 1, -2, 1, 1}; }, "has the weight -2");
  refused([](Graph& g) { g.neighbours[0] = 4; }, "vertex 0 has the neighbour 4 of 4");
  refused([](Graph& g) { g.neighbours.pop_back(); }, "must rise from 0 to 5");
  refused([](Graph& g) { g.places.assign(4, {0, std::nan(""), 0}); }, "vertex 0 has a place");
  EXPECT_THROW(graph_of_parts(good, std::vector{0, 1, 2, 0}, 2), Error);
  EXPECT_THROW(graph_of_parts(good, std::vector{0, 1}, 2), Error);
}

TEST(Partition, RefusesWhatCannotBe) {
  Graph graph = Graph::of_edges(4, {{0, 1}, {1, 2}, {2, 3}, {3, 3}, {1, 0}});
  EXPECT_EQ(graph.neighbours.size(), 6U);
  EXPECT_THROW(Graph::of_edges(4, {{0, 4}}), Error);
  EXPECT_THROW(partition_graph(graph, 5), Error);
  EXPECT_THROW(partition_graph(graph, 0), Error);
  if (!has_metis()) {
    EXPECT_THROW(partition_graph(graph, 2, Partitioner::metis), Error);
  }
  graph.weights = {0, 0, 0, 0};
  EXPECT_THROW(partition_graph(graph, 2), Error);
  graph.weights = {1, 2, -1, 1};
  const std::string said = complaint([&] { partition_graph(graph, 2); });
  EXPECT_NE(said.find("vertex 2 has the weight -1"), said.npos) << said;
  graph.weights = {1};
  EXPECT_THROW(partition_graph(graph, 2), Error);
  EXPECT_THROW(partitioner("scotch"), Error);
}

TEST(Groups, HaveExactlyTheSizesAskedFor) {
  const Graph graph = random_points(4000, 0.03);
  for (const std::vector<int>& sizes :
       {std::vector<int>(8, 6), {12, 12, 10, 14}, {1, 47}, {48}, std::vector<int>(48, 1)}) {
    const Graph parts = graph_of_parts(graph, partition_graph(graph, 48), 48);
    std::vector<int> found(sizes.size(), 0);
    for (const int group : group_parts(parts, sizes)) ++found.at(static_cast<std::size_t>(group));
    EXPECT_EQ(found, sizes);
  }
  EXPECT_THROW(group_parts(graph, {3999}), Error);
  EXPECT_THROW(group_parts(graph, {4000, 0}), Error);
}

TEST(Groups, AreTheBestOfASmallGraph) {
  // Two squares that hold together, numbered in turn.
  const Graph graph =
      Graph::of_edges(8, {{0, 2}, {2, 4}, {4, 6}, {6, 0}, {1, 3}, {3, 5}, {5, 7}, {7, 1}, {0, 1}});
  const std::vector<int> group = group_parts(graph, {4, 4});
  for (const int part : {2, 4, 6}) EXPECT_EQ(group[static_cast<std::size_t>(part)], group[0]);
  EXPECT_NE(group[1], group[0]);
}

/// What crosses nodes if the partitioner's parts are taken in the order of ranks, or the mesh's
/// vertices in the order of their numbers, and if parts are placed.
struct Compared {
  std::int64_t numbers, sequence, placed;
};
Compared compared(const Graph& graph, const Machine& machine, Partitioner by) {
  const int ranks = machine.ranks();
  std::vector<int> by_number(static_cast<std::size_t>(graph.vertices()));
  for (int v = 0; v < graph.vertices(); ++v)
    by_number[static_cast<std::size_t>(v)] =
        static_cast<int>(std::int64_t{v} * ranks / graph.vertices());
  const Graph plain = graph_of_parts(graph, by_number, ranks);
  const Graph parts = graph_of_parts(graph, partition_graph(graph, ranks, by), ranks);
  const std::vector<int> rank = best_ranks(parts, machine);
  expect_one_each(rank, ranks);
  return {traffic_of(plain, machine, in_sequence(ranks)).nodes.words,
          traffic_of(parts, machine, in_sequence(ranks)).nodes.words,
          traffic_of(parts, machine, rank).nodes.words};
}

// Rows of a plate are strips, of which the best cut into squares saves about a third, METIS nearly
// as much, and the curve nothing for sure.
TEST(PlaceParts, SendsAtLeastAThirdLessAcrossNodesThanPlainNumbering) {
  const std::pair<const char*, Graph> meshes[] = {
      {"torus", torus(120, 60)},
      {"points", random_points(8000, 0.022)},
      {"plate", plate_with_a_hole(100)},
  };
  unsigned turn = 0;
  for (const auto& [name, graph] : meshes)
    for (const char* text : {"nodes=4,sockets=2,cores=6", "nodes=8,cores=8", "ranks=12+20+8+9"}) {
      if (!its_turn(turn++)) continue;
      const int ranks = std::string(text) == "ranks=12+20+8+9" ? 49 : text[6] == '4' ? 48 : 64;
      const Machine machine = Machine::described(text, ranks);
      for (const Partitioner by : partitioners()) {
        const Compared words = compared(graph, machine, by);
        std::printf("%s %s by %s: numbers %ld, sequence %ld, placed %ld\n", name, text,
                    by == Partitioner::metis ? "metis" : "curve", words.numbers, words.sequence,
                    words.placed);
        EXPECT_LE(words.placed, words.sequence);
        if (std::string(name) != "plate") {
          EXPECT_LE(3 * words.placed, 2 * words.numbers) << name << ' ' << text;
        } else if (by == Partitioner::metis) {
          EXPECT_LE(10 * words.placed, 7 * words.numbers) << name << ' ' << text;
        }
      }
    }
}

TEST(PlaceParts, LeavesRanksIdle) {
  const Graph graph = torus(20, 12);
  const Graph parts = graph_of_parts(graph, partition_graph(graph, 10), 10);
  const std::vector<int> rank = best_ranks(parts, Machine::described("nodes=3,cores=4", 12));
  ASSERT_EQ(rank.size(), 10U);
  expect_one_each(rank, 12);
  EXPECT_THROW(best_ranks(parts, Machine::described("nodes=3,cores=3", 9)), Error);
}

TEST(PlaceParts, FollowsTheNodesAndNotTheNumbersOfRanks) {
  // A chain over two nodes whose ranks alternate.
  std::vector<std::pair<int, int>> chain;
  for (int v = 0; v + 1 < 8; ++v) chain.emplace_back(v, v + 1);
  const Graph parts = Graph::of_edges(8, chain);
  std::vector<Machine::Place> places;
  for (int rank = 0; rank < 8; ++rank) places.push_back({rank % 2, 0});
  const Machine machine{places};
  EXPECT_EQ(traffic_of(parts, machine, best_ranks(parts, machine)).nodes.words, 2);
  EXPECT_EQ(traffic_of(parts, machine, in_sequence(8)).nodes.words, 14);
}

TEST(PlaceParts, TakesThousandsOfParts) {
  // Under the sanitizers a quarter of them.
  const int nodes = one_in() == 1 ? 64 : 16, ranks = 32 * nodes;
  const Graph graph = one_in() == 1 ? random_points(40'000, 0.01) : random_points(10'000, 0.02);
  const std::string text = "nodes=" + std::to_string(nodes) + ",sockets=2,cores=16";
  const Machine machine = Machine::described(text, ranks);
  const Graph parts =
      graph_of_parts(graph, partition_graph(graph, ranks, Partitioner::curve), ranks);
  const std::vector<int> rank = best_ranks(parts, machine);
  expect_one_each(rank, ranks);
  EXPECT_LT(traffic_of(parts, machine, rank).nodes.words,
            traffic_of(parts, machine, in_sequence(ranks)).nodes.words);
}

TEST(GraphPart, BringsEachVertexToThoseThatNeedIt) {
  const Graph graph = random_points(600, 0.08);
  const int ranks = 5;
  const std::vector<int> owner = partition_graph(graph, ranks, Partitioner::curve);
  std::vector<GraphPart> shares;
  for (int rank = 0; rank < ranks; ++rank) shares.push_back(part_of(graph, owner, rank));
  std::int64_t sent = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const GraphPart& mine = shares[static_cast<std::size_t>(rank)];
    sent += static_cast<std::int64_t>(mine.pattern.elements_sent());
    std::set<int> needed;
    for (const int v : mine.owned) {
      EXPECT_EQ(owner[static_cast<std::size_t>(v)], rank);
      for (const int neighbour : graph.of(v))
        if (owner[static_cast<std::size_t>(neighbour)] != rank) needed.insert(neighbour);
    }
    EXPECT_EQ(std::set<int>(mine.halo.begin(), mine.halo.end()), needed);
    EXPECT_EQ(mine.halo.size(), needed.size());
    // What comes from each peer is what it sends, vertex by vertex.
    std::size_t next = 0;
    for (const Link& link : mine.pattern.receives()) {
      const GraphPart& theirs = shares[static_cast<std::size_t>(link.peer)];
      const auto& sends = theirs.pattern.sends();
      const auto found = std::ranges::find(sends, rank, &Link::peer);
      ASSERT_NE(found, sends.end());
      for (const Block& block : found->blocks)
        for (std::size_t i = 0; i < block.count[2]; ++i)
          EXPECT_EQ(theirs.owned.at(static_cast<std::size_t>(block.offset) + i),
                    mine.halo.at(next++));
    }
    EXPECT_EQ(next, mine.halo.size());
  }
  const Graph parts = graph_of_parts(graph, owner, ranks);
  EXPECT_EQ(sent, std::accumulate(parts.edge_weights.begin(), parts.edge_weights.end(), 0));
  EXPECT_THROW(part_of(graph, std::vector<int>(3), 0), Error);
}

}  // namespace
