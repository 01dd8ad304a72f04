// Neighbourhood collectives that check what they receive: `neighbors SCENARIO [SEED]`.

#include "graph.hpp"

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace checked;

namespace {

/// Elements of an edge in a step.
using Length = std::function<int(int from, int to, int edge, int step)>;

/// MPI_Neighbor_alltoallv, in buffers that move from step to step.
void alltoallv(const Graph& graph, int step, const Length& length) {
  const int offset = step % 5;
  std::vector<int> sent, sent_at, received, received_at;
  int all = 0;
  for (std::size_t i = 0; i < graph.out.size(); ++i) {
    sent_at.push_back(all);
    sent.push_back(length(me, graph.out[i], graph.out_edge[i], step));
    all += sent.back() + 1;
  }
  static std::vector<double> out, in;
  out.assign(static_cast<std::size_t>(all + offset + 1), -1);
  for (std::size_t i = 0; i < graph.out.size(); ++i)
    for (int j = 0; j < sent[i]; ++j)
      out[static_cast<std::size_t>(offset + sent_at[i] + j)] =
          value(me, graph.out[i], graph.out_edge[i], step, j);
  all = 0;
  for (std::size_t i = 0; i < graph.in.size(); ++i) {
    received_at.push_back(all);
    received.push_back(length(graph.in[i], me, graph.in_edge[i], step));
    all += received.back() + 1;
  }
  in.assign(static_cast<std::size_t>(all + offset + 1), -2);
  pause_at_random();
  MPI_Neighbor_alltoallv(out.data() + offset, sent.data(), sent_at.data(), MPI_DOUBLE,
                         in.data() + offset, received.data(), received_at.data(), MPI_DOUBLE,
                         graph.comm);
  for (std::size_t i = 0; i < graph.in.size(); ++i) {
    const int at = offset + received_at[i];
    for (int j = 0; j < received[i]; ++j)
      expect(in[static_cast<std::size_t>(at + j)],
             value(graph.in[i], me, graph.in_edge[i], step, j), "alltoallv", step);
    expect(in[static_cast<std::size_t>(at + received[i])], -2, "beyond alltoallv", step);
  }
}

int fixed(int from, int to, int edge, int) {
  return (from * 7 + to * 3 + edge) % 5 * 40;
}

// ---- scenarios
// -----------------------------------------------------------------------------------

void steps(Graph graph, int count, const Length& length) {
  for (int step = 0; step < count; ++step) alltoallv(graph, step, length);
  MPI_Comm_free(&graph.comm);
}

/// The same again and again.
void same(Stream stream) {
  steps(random_graph(stream), 200, fixed);
}

/// Three calls in turn.
void cycle(Stream stream) {
  steps(random_graph(stream), 200,
        [](int from, int to, int edge, int now) { return fixed(from, to, edge, 0) + now % 3; });
}

/// From some step on each edge has another length, at a step of its own.
void changes(Stream stream) {
  steps(random_graph(stream), 300, [](int from, int to, int edge, int now) {
    const int since = 40 + (from * 31 + to * 17 + edge * 5) % 90;
    return fixed(from, to, edge, 0) + (now >= since ? 1 + edge : 0);
  });
}

/// Now and then an edge has much more, or nothing, and then as before.
void exceptions(Stream stream) {
  const std::uint64_t seed = stream.next() % 1000;
  steps(random_graph(stream), 300, [seed](int from, int to, int edge, int now) {
    Stream draw(seed + static_cast<std::uint64_t>(now * 1000 + from * 100 + to * 10 + edge));
    draw.next();
    if (now < 50 || draw.below(40) != 0) return fixed(from, to, edge, 0);
    return draw.below(2) ? 20000 : 0;
  });
}

/// Never the same.
void never(Stream stream) {
  steps(random_graph(stream), 100,
        [](int from, int to, int edge, int now) { return fixed(from, to, edge, 0) + now; });
}

/// Many communicators, freed while the substitute uses them, whose handles come back.
void many(Stream stream) {
  for (int i = 0; i < 12; ++i) steps(random_graph(stream), 20, fixed);
}

/// All functions on grids, periodic or not, with vectors that are made anew for each step.
void grid(Stream) {
  constexpr int n = 6;
  for (const int periodic : {0, 1}) {
    int dims[2] = {0, 0};
    const int periods[2] = {periodic, periodic};
    MPI_Dims_create(ranks, 2, dims);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    int at[4];
    MPI_Cart_shift(comm, 0, 1, &at[0], &at[1]);
    MPI_Cart_shift(comm, 1, 1, &at[2], &at[3]);
    // Where two neighbours are the same rank, MPI libraries differ in what comes from which.
    bool distinct = true;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j) distinct = distinct && (at[i] != at[j] || at[i] < 0);
    for (int step = 0; step < 60; ++step) {
      double out[4 * n], in[4 * n] = {};
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < n; ++j) out[i * n + j] = value(me, at[i], distinct ? 0 : i, step, j);
      pause_at_random();
      MPI_Neighbor_alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, comm);
      for (int i = 0; i < 4 * n; ++i)
        if (at[i / n] < 0)
          expect(in[i], 0, "no neighbour", step);
        else if (distinct)
          expect(in[i], value(at[i / n], me, 0, step, i % n), "alltoall", step);
    }
    for (int step = 0; step < 60; ++step) {
      double mine[n], in[4 * n] = {};
      for (int j = 0; j < n; ++j) mine[j] = value(me, 0, 0, step, j);
      MPI_Neighbor_allgather(mine, n, MPI_DOUBLE, in, n, MPI_DOUBLE, comm);
      for (int i = 0; i < 4 * n; ++i)
        if (at[i / n] >= 0) expect(in[i], value(at[i / n], 0, 0, step, i % n), "allgather", step);
      const int counts[4] = {n, n, n, n}, places[4] = {3 * n, 2 * n, n, 0};
      MPI_Neighbor_allgatherv(mine, n, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, comm);
      for (int i = 0; i < 4 * n; ++i)
        if (at[3 - i / n] >= 0)
          expect(in[i], value(at[3 - i / n], 0, 0, step, i % n), "allgatherv", step);
    }
    for (int step = 0; step < 60; ++step) {
      MPI_Datatype apart = MPI_DATATYPE_NULL;  // every second of what lies there
      MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &apart);
      MPI_Type_commit(&apart);
      double out[4 * n], in[8 * n];
      for (int i = 0; i < 4 * n; ++i) out[i] = value(me, at[i / n], 0, step, i % n);
      for (double& one : in) one = -3;
      const int counts[4] = {n, n, n, n}, ones[4] = {1, 1, 1, 1};
      MPI_Aint out_at[4], in_at[4];
      MPI_Datatype dense[4], vectors[4];
      for (int i = 0; i < 4; ++i) {
        out_at[i] = static_cast<MPI_Aint>(i * n * sizeof(double));
        in_at[i] = 2 * out_at[i];
        dense[i] = MPI_DOUBLE, vectors[i] = apart;
      }
      MPI_Neighbor_alltoallw(out, counts, out_at, dense, in, ones, in_at, vectors, comm);
      for (int i = 0; i < 4 * n; ++i) {
        if (at[i / n] >= 0)
          expect(in[2 * i], value(at[i / n], me, 0, step, i % n), "alltoallw", step);
        expect(in[2 * i + 1], -3, "beside alltoallw", step);
      }
      MPI_Type_free(&apart);
    }
    MPI_Comm_free(&comm);
  }
}

/// Graphs of MPI 1, whose neighbours are the same both ways.
void legacy(Stream) {
  std::vector<int> ends, edges;
  for (int rank = 0; rank < ranks; ++rank) {
    for (const int step : {1, ranks - 1})
      if (ranks > 2 || step == 1) edges.push_back((rank + step) % ranks);
    ends.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, ends.data(), edges.data(), 0, &comm);
  const int degree = ranks > 2 ? 2 : 1, around[2] = {(me + 1) % ranks, (me + ranks - 1) % ranks};
  for (int step = 0; step < 60; ++step) {
    int out[6], in[6];
    for (int i = 0; i < 3 * degree; ++i) out[i] = me * 1000 + around[i / 3] * 100 + step + i % 3;
    MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, comm);
    for (int i = 0; i < 3 * degree; ++i)
      expect(in[i], around[i / 3] * 1000 + me * 100 + step + i % 3, "alltoall", step);
  }
  MPI_Comm_free(&comm);
}

/// A large message waits for its receiver, who comes to the collective only when it has it.
void progress(Stream) {
  Graph graph;
  if (me < 2 && ranks > 1) {
    graph.in = graph.out = {1 - me};
    graph.in_edge = graph.out_edge = {0};
  }
  graph.make();
  std::vector<double> large(1 << 18);
  for (int step = 0; step < 40; ++step) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (me == 0 && ranks > 1) {
      for (std::size_t i = 0; i < large.size(); ++i) large[i] = step + static_cast<double>(i);
      MPI_Isend(large.data(), static_cast<int>(large.size()), MPI_DOUBLE, 1, 5, MPI_COMM_WORLD,
                &request);
    } else if (me == 1) {
      MPI_Recv(large.data(), static_cast<int>(large.size()), MPI_DOUBLE, 0, 5, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      expect(large[77], step + 77, "message", step);
    }
    alltoallv(graph, step, fixed);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&graph.comm);
}

/// A rank ends the job in the middle.
void abort(Stream stream) {
  const Graph graph = random_graph(stream);
  for (int step = 0; step < 1000; ++step) {
    if (step == 60 && me == ranks - 1) end_job();
    alltoallv(graph, step, fixed);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // a rank that needs nothing of the one that aborts would end well
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)(Stream)> scenarios = {
      {"same", same},   {"cycle", cycle},      {"changes", changes}, {"exceptions", exceptions},
      {"never", never}, {"many", many},        {"grid", grid},       {"legacy", legacy},
      {"abort", abort}, {"progress", progress}};
  begin(argc, argv);
  const auto chosen = scenarios.find(argc > 1 ? argv[1] : "");
  if (chosen == scenarios.end()) MPI_Abort(MPI_COMM_WORLD, 2);
  chosen->second(Stream(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1));
  return end();
}
