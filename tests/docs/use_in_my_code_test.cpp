// The code of docs/how-to/use-in-my-code.md, where it can be compiled and run; test_code.py sees to
// it that it is the same.

#include <halocline/halocline.hpp>
#include <halocline/more/mpi.hpp>

#include <gtest/gtest.h>
#include <iostream>

namespace {

using namespace halocline;

int before() {
  return (mpi::rank(world()) + mpi::size(world()) - 1) % mpi::size(world());
}

/// The sum of all cells, halos included.
double sum(const double* cells, std::size_t count) {
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) total += cells[i];
  return total;
}

const Grid& ring() {
  const int ranks = mpi::size(world());
  static const Grid grid(world(), {6 * ranks, 4}, {.periodic = {true, true}, .dims = {ranks, 1}});
  return grid;
}

TEST(UseInMyCode, ArraysThatAreMine) {
  const Grid& grid = ring();
  std::vector<double> mine(grid.elements());
  Exchange exchange(grid.halo(), field(mine.data(), mine.size()), "p2p:persistent");
  std::fill(mine.begin(), mine.end(), 1.0);
  exchange.run();
  EXPECT_EQ(sum(mine.data(), mine.size()), static_cast<double>(mine.size()));
  std::cerr << exchange.memory_hint();  // empty if nothing would be gained
}

TEST(UseInMyCode, Containers) {
  const Grid& grid = ring();
  const Scheme scheme("shm:signal");
  Arena arena(world(), 1 << 26, scheme);  // bytes of this rank
  std::vector<double, ArenaAllocator<double>> mine(grid.elements(), arena);
  Exchange exchange(grid.halo(), field(mine), scheme);
  std::fill(mine.begin(), mine.end(), 2.0);
  exchange.run();
  EXPECT_EQ(sum(mine.data(), mine.size()), 2.0 * static_cast<double>(mine.size()));
}

TEST(UseInMyCode, CutsThatAreMine) {
  if (mpi::size(world()) != 3) GTEST_SKIP() << "is for three ranks";
  const Grid grid(world(), {1000, 200}, {.halos = {{1, 2}, 1}, .cuts = {{0, 100, 350, 1000}, {}}});
  const std::array<std::int64_t, 3> sizes{100, 250, 650};
  EXPECT_EQ(grid.owned(0).size(), sizes[static_cast<std::size_t>(mpi::rank(world()))]);
}

TEST(UseInMyCode, SeveralFieldsInOneMessage) {
  const Grid& grid = ring();
  const Scheme scheme("shm:signal");
  Array<double> density(grid, scheme), pressure(grid, scheme), velocity(grid, scheme);
  Exchange exchange(grid.halo(), {density, pressure, velocity},
                    scheme);  // arrays of the same shape
  double value = 1;
  for (Array<double>* const one : {&density, &pressure, &velocity})
    std::fill_n(one->data(), grid.elements(), value++);
  exchange.run();
  EXPECT_EQ(sum(velocity.data(), grid.elements()), 3.0 * static_cast<double>(grid.elements()));
}

TEST(UseInMyCode, OtherArraysAtEachStep) {
  const Grid& grid = ring();
  const Scheme scheme("p2p:nonblocking");
  std::vector<std::vector<double>> vectors(3, std::vector<double>(grid.elements(), 1.0));
  Exchange halos(grid.halo(), unbound<double>(), scheme);
  for (std::vector<double>& x : vectors) halos.run(field(x.data(), x.size()));
  for (const std::vector<double>& x : vectors)
    EXPECT_EQ(sum(x.data(), x.size()), static_cast<double>(x.size()));
}

/// What lies inside: no halo, and nothing that is sent.
void each_inner(const Grid& grid, auto&& visit) {
  for (std::int64_t i = 2; i < grid.local(0) - 2; ++i)
    for (std::int64_t j = 2; j < grid.local(1) - 2; ++j) visit(i * grid.local(1) + j);
}

TEST(UseInMyCode, ComputeWhileCellsAreUnderWay) {
  const Grid& grid = ring();
  Array<double> u(grid, "p2p:nonblocking");
  Exchange exchange(grid.halo(), u, "p2p:nonblocking");
  const auto all = static_cast<std::size_t>(grid.local(0) * grid.local(1));
  std::fill_n(u.data(), all, static_cast<double>(mpi::rank(world())));
  const auto sweep_inner = [&](Array<double>& of) {
    each_inner(grid, [&](std::int64_t at) { of.data()[at] += 10; });
  };
  double above = -1;
  const auto sweep_border = [&](Array<double>& of) { above = of.data()[1]; };
  exchange.start();
  sweep_inner(u);     // reads all that I own, writes what is not sent, touches no halo
  exchange.finish();  // halos are this step's
  sweep_border(u);
  EXPECT_EQ(above, static_cast<double>(before()));
}

TEST(UseInMyCode, ReadTheNeighboursCellsInPlace) {
  const Grid& grid = ring();
  for (const Scheme scheme : {"shm:signal+access=direct", "p2p:nonblocking"}) {
    Array<double> x(grid, scheme);
    Exchange exchange(grid.halo(), x, scheme, {.halos = Halos::in_place});
    std::fill_n(x.data(), grid.elements(), static_cast<double>(mpi::rank(world())));
    exchange.run();
    for (std::size_t link = 0; link < grid.halo().receives().size(); ++link)
      EXPECT_EQ(*reinterpret_cast<const double*>(exchange.view(link, 0).data),
                static_cast<double>(grid.halo().receives()[link].peer));
    HALOCLINE_MPI(MPI_Barrier, world());  // nobody writes what others still read
  }
}

TEST(UseInMyCode, GraphsAndSparseMatrices) {
  const Scheme scheme("p2p:nonblocking");
  const int rank = mpi::rank(world()),
            before = (rank + mpi::size(world()) - 1) % mpi::size(world());
  const int next = (rank + 1) % mpi::size(world());
  std::vector<double> cells(104, -1.0);
  for (std::size_t i = 0; i < 100; ++i) cells[i] = 1000.0 * rank + static_cast<double>(i);
  const Field x = field(cells.data(), cells.size());
  const std::vector<int> to = {next, before}, from = {before, next};        // ranks
  const std::vector<std::vector<std::ptrdiff_t>> send = {{0, 5, 6}, {12}};  // elements, in order
  const std::vector<std::vector<std::ptrdiff_t>> receive = {{100, 101, 102}, {103}};
  Exchange exchange(Pattern::from_indices(to, send, from, receive), x, scheme);
  exchange.run();
  EXPECT_EQ(cells[101], 1000.0 * before + 5);
  EXPECT_EQ(cells[103], 1000.0 * next + 12);

  cells[101] = cells[103] = 0;
  const std::vector<int> sent_counts = {3, 1}, sent = {0, 5, 6, 12};
  const std::vector<int> received_counts = {3, 1}, received = {100, 101, 102, 103};
  Exchange flat(Pattern::from_indices(to, sent_counts, sent, from, received_counts, received), x,
                scheme);
  flat.run();
  EXPECT_EQ(cells[101], 1000.0 * before + 5);
  EXPECT_EQ(cells[103], 1000.0 * next + 12);
}

}  // namespace
