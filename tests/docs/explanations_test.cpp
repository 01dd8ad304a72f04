// The code of pages that explain, where it can be compiled and run; test_code.py sees to it that it
// is the same.

#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/partition.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/more/section.hpp>
#include <halocline/more/trace.hpp>
#include <halocline/more/tuner.hpp>

#include <gtest/gtest.h>
#include <complex>
#include <filesystem>
#include <iostream>
#include <span>
#include <vector>

namespace {

using namespace halocline;

Pattern ring() {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  Pattern pattern;
  pattern.send((me + 1) % ranks, {.offset = 0, .count = {1, 1, 1}});
  pattern.receive((me + ranks - 1) % ranks, {.offset = 1, .count = {1, 1, 1}});
  return pattern;
}

TEST(Explained, AutoBecomesAScheme) {
  Tuning::current().budget = 0.1;
  const Grid grid(world(), {16, 16}, {.halo = 1});
  halocline::Array<double> u(grid, "auto");
  halocline::Exchange exchange(grid.halo(), u, "auto");
  exchange.scheme();  // what it has become, such as shm:signal
  EXPECT_NE(exchange.scheme().method(), "auto");
}

TEST(Explained, FirstExchange) {
  Tuning::current().budget = 0.1;
  Grid grid(world(), {512, 512}, {.halo = 1});
  Array<double> u(grid, "auto");
  Exchange halos(grid.halo(), u, "auto");
  halos.run();
  EXPECT_NE(halos.scheme().method(), "auto");
}

TEST(Explained, Laps) {
  MPI_Comm comm = world();
  const Pattern pattern = ring();
  const int steps = 5, me = mpi::rank(comm), ranks = mpi::size(comm);
  std::vector<double> of_a{me + 1.0, 0}, of_b{me + 10.0, 0};
  const std::span<double> a = of_a, b = of_b;
  const auto inner = [] {};
  halocline::Exchange u(pattern, field(a), "auto+when=running"),
      v(pattern, field(b), "auto+when=running");
  halocline::Section step(comm, {&u, &v});
  for (int i = 0; i < steps; ++i) {
    const halocline::Section::Lap lap = step.lap();
    u.start();
    inner();
    u.finish();
    v.run();
  }
  std::cout << step.report();
  EXPECT_EQ(step.laps(), steps);
  EXPECT_EQ(a[1], (me + ranks - 1) % ranks + 1.0);
  EXPECT_EQ(b[1], (me + ranks - 1) % ranks + 10.0);
}

TEST(Explained, AsynchronousIterations) {
  const Grid grid(world(), {8, 8}, {.halo = 1});
  Array<double> u(grid, "p2p:nonblocking");
  const double goal = 1e-3;
  double left = 1;
  const auto sweep = [&](Array<double>&) { left /= 2; };
  const auto my_residual = [&](const Array<double>&) { return left; };
  halocline::AsyncExchange exchange(grid.comm(), grid.halo(), sizeof(double), "p2p:nonblocking",
                                    {.buffers = 1});
  auto residual = halocline::make_async_sum(grid.comm());
  for (std::uint64_t iteration = 1;; ++iteration) {
    sweep(u);
    exchange.send(u.data(), iteration);  // to every neighbour that has room; others are skipped
    exchange.receive(u.data());          // the newest that has come, if any
    if (const auto sum = residual->advance([&] { return my_residual(u); }); sum && *sum < goal)
      break;
  }
  exchange.drain(u.data());  // collective: everything that was sent has arrived
  residual->drain();
  EXPECT_LT(left, goal);
}

TEST(Explained, PartsOfGraphs) {
  const int vertices = 60;
  std::vector<std::pair<int, int>> edges;
  for (int v = 0; v + 1 < vertices; ++v) edges.emplace_back(v, v + 1);
  const Graph mesh = Graph::of_edges(vertices, edges);  // the same on all ranks
  const std::vector<int> part = partition_graph(mesh, mpi::size(world()));
  const std::vector<int> rank =
      best_ranks(graph_of_parts(mesh, part, mpi::size(world())), machine_of(world()));
  std::vector<int> owner;
  for (int one : part) owner.push_back(rank[one]);
  const GraphPart mine = part_of(mesh, owner, mpi::rank(world()));  // owned, halo, pattern
  auto owned = static_cast<int>(mine.owned.size());
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &owned, 1, MPI_INT, MPI_SUM, world());
  EXPECT_EQ(owned, vertices);
  EXPECT_FALSE(mine.halo.empty());
}

TEST(Explained, Placement) {
  const Scheme scheme("p2p:nonblocking");
  const std::vector<double> read_before(3, mpi::rank(world()));
  const Grid grid(world(), {6000, 8080}, {.renumber = true});
  const std::vector<double> mine = grid.moved(read_before);  // if ranks have read something already
  Array<double> field(grid, scheme);
  Exchange exchange(grid.comm(), grid.halo(), field, scheme);
  exchange.run();
  EXPECT_EQ(mine.size(), 3u);
}

TEST(Explained, Transposition) {
  const Scheme scheme("p2p:nonblocking");
  int transformed = 0;
  const auto transform_rows = [&](Array<std::complex<double>>& rows) {
    transformed += rows.data() != nullptr;
  };
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  const Distribution rows({1024, 1024}, {ranks, 1});
  const Distribution columns({1024, 1024}, {1, ranks},
                             {.order = {1, 0}});  // each column contiguous
  Array<std::complex<double>> before(world(), rows.elements(me), scheme);
  Array<std::complex<double>> after(world(), columns.elements(me), scheme);
  Exchange transpose(world(), Pattern::between(rows, columns, me), before, after, scheme);

  transform_rows(before);
  transpose.run();
  transform_rows(after);
  EXPECT_EQ(transformed, 2);
}

TEST(Explained, WhatWasReadByTheRanksGiven) {
  MPI_Comm given = world();
  const std::vector<std::int64_t> cells{30, 20};
  const Grid grid(given, cells, {.renumber = true});
  const Distribution read(cells, grid.dims());  // by the ranks of `given`, in their order
  Pattern::between(read, grid.distribution(given), mpi::rank(given));
  EXPECT_EQ(read.elements(0), 30 / grid.dims()[0] * (20 / grid.dims()[1]));
}

TEST(Explained, ATraceOfMine) {
  MPI_Comm comm = world();
  const auto sweep_cells = [] {};
  halocline::trace::begin(comm);  // before exchanges are made
  {
    halocline::trace::Region sweep("sweep");  // one line for each part of yours
    sweep_cells();
  }
  halocline::trace::write(comm, "run.trace");  // collective
  EXPECT_TRUE(mpi::rank(comm) > 0 || std::filesystem::remove("run.trace"));
}

/// Where there is a device; here it is compiled.
[[maybe_unused]] void on_a_device(MPI_Comm comm, const Grid& grid, DeviceStream stream) {
  const auto sweep_inner = [](DeviceStream) {};
  halocline::Array<double> field(comm, grid.elements(), halocline::MemoryKind::device);
  halocline::Exchange exchange(comm, grid.halo(), field, "rma:put:flush+device=staged");
  exchange.start(stream);   // the cells are those that `stream` leaves
  sweep_inner(stream);      // a kernel of yours, in the same stream
  exchange.finish(stream);  // what `stream` is given from now on finds the halos
}

}  // namespace
