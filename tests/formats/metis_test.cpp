// Graphs as METIS reads them.

#include "common/complaint.hpp"

#include <formats/metis.hpp>

#include <gtest/gtest.h>

using namespace formats;

namespace {

MetisGraph read(const std::string& text) {
  Lines lines(text, "f.graph", 0);
  return read_metis(lines);
}

const std::vector<int> ring{1, 3, 0, 2, 1, 3, 0, 2};

}  // namespace

TEST(Metis, IsReadInEveryFormat) {
  for (const char* text : {
           "4 4\n2 4\n1 3\n2 4\n3 1\n",
           "% c\n4 4\n% c\n2 4\n1 3\n4 2\n3 1\n% c\n\n",
           "\xef\xbb\xbf"
           "4\t4\r\n2 4\r\n1 3\r\n2 4\r\n3 1",
           "4 4 0\n2 4\n1 3\n2 4\n3 1\n",
           "4 4 000 1\n2 4\n1 3\n2 4\n3 1\n",
       }) {
    const MetisGraph graph = read(text);
    EXPECT_EQ(graph.begin, (std::vector<std::int64_t>{0, 2, 4, 6, 8})) << text;
    EXPECT_EQ(graph.neighbours, ring) << text;
    EXPECT_TRUE(graph.edge_weights.empty() && graph.weights.empty() && graph.sizes.empty());
  }
  const MetisGraph edges = read("4 4 001\n2 1 4 1000\n3 1000 1 1\n4 1 2 1000\n1 1000 3 1\n");
  EXPECT_EQ(edges.neighbours, ring);
  EXPECT_EQ(edges.edge_weights, (std::vector{1, 1000, 1, 1000, 1000, 1, 1000, 1}));
  const MetisGraph vertices = read("4 4 010\n0 2 4\n1 1 3\n1 2 4\n1 3 1\n");
  EXPECT_EQ(vertices.neighbours, ring);
  EXPECT_EQ(vertices.weights, (std::vector{0, 1, 1, 1}));
  const MetisGraph all = read("2 1 111 1\n7 5 2 9\n6 4 1 9\n");
  EXPECT_EQ(all.sizes, (std::vector{7, 6}));
  EXPECT_EQ(all.weights, (std::vector{5, 4}));
  EXPECT_EQ(all.edge_weights, (std::vector{9, 9}));
}

TEST(Metis, HasEmptyLinesForVerticesWithoutEdges) {
  const MetisGraph graph = read("4 1\n\n3\n2\n\n");
  EXPECT_EQ(graph.begin, (std::vector<std::int64_t>{0, 0, 1, 2, 2}));
}

TEST(Metis, NamesTheLineThatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "1: ends where the numbers of vertices and edges should be"},
      {"3\n", "1: has no number of edges"},
      {"0 0\n", "1: number of vertices 0 must be from 1 to 2147483647"},
      {"3 -1\n", "1: has a negative number of edges"},
      {"99999999999 1\n", "1: number of vertices 99999999999 must be from 1 to 2147483647"},
      {"4 4 5\n2 4\n1 3\n2 4\n3 1\n",
       "1: has the format '5'; it must be 1 with weights of edges, 10 with weights of vertices, "
       "100 "
       "with their sizes, or a sum of these"},
      {"4 4 0001\n",
       "1: has the format '0001'; it must be 1 with weights of edges, 10 with weights "
       "of vertices, 100 with their sizes, or a sum of these"},
      {"4 4 10 2\n", "1: has more than one weight a vertex; one can be used"},
      {"4 4 10 1 1\n", "1: has '1', which is too much"},
      {"4 4\n2 4\n1 3\n2 4\n3 1\n5 5 5\n",
       "6: follows the last of 4 vertices, where nothing must be"},
      {"4 3\n2 3 4\n1 3\n\n4\n", "5: has an edge from the vertex to itself"},
      {"4 3\n2 3 4\n1 3\n\n1\n", "2: has the neighbour 3, whose line 4 does not have 1"},
      {"4 4 001\n2 0 4 1\n1 0 3 1\n2 1 4 1\n3 1 1 1\n",
       "2: weight of an edge 0 must be from 1 to 2147483647"},
      {"2 1 1\n2 3\n1 4\n", "2: has the neighbour 2, whose line 3 gives the edge another weight"},
      {"2 1 1\n2\n1 4\n", "2: has no weight of an edge"},
      {"2 1 10\n\n1 1\n", "2: has no weight"},
      {"2 1 10\n-1 2\n1 1\n", "2: weight -1 must be from 0 to 2147483647"},
      {"2 1 100\n-1 2\n1 1\n", "2: size -1 must be from 0 to 2147483647"},
      {"2 1\n2\n", "3: ends where vertex 2 of 2 should be"},
      {"2 1\n2\n3\n", "3: neighbour 3 is none of the 2 vertices"},
      {"2 1\n2\n0\n", "3: neighbour 0 must be from 1 to 2147483647"},
      {"2 1\n2\n1.0\n", "3: neighbour '1.0' is no whole number"},
      {"2 1\n2\n2 1\n", "3: has an edge from the vertex to itself"},
      {"2 1\n2 2\n1 1\n", "2: has the neighbour 2 twice"},
      {"% c\n2 2\n2\n1\n", "2: says that there are 2 edges, but there are 1"},
      {"2 1 10\n2147483647 2\n1 1\n", "3: weights of vertices add up to more than 2147483647"},
      {"2 1 1\n2 1500000000\n1 1500000000\n",
       "3: weights of edges, from both ends, add up to more than 2147483647"},
  };
  for (const auto& [text, what] : cases)
    EXPECT_EQ(complaint([&] { read(text); }), std::string("f.graph:") + what);
}
