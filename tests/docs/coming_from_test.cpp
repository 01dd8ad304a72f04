// The code of docs/how-to/coming-from.md, compiled and run; test_code.py sees to it that it is the
// same.

#include "common/known_faults.hpp"

#include <halocline/halocline.hpp>

#include <gtest/gtest.h>

namespace {

using namespace halocline;

const MPI_Comm comm = MPI_COMM_WORLD;

/// What an MPI function says of the communicator.
int number(int (*ask)(MPI_Comm, int*)) {
  int answer;
  ask(comm, &answer);
  return answer;
}

/// A ring: two elements of mine go to the next rank, and two come from the one before.
struct Ring {
  int me = number(MPI_Comm_rank), ranks = number(MPI_Comm_size);
  int next = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
  std::vector<int> neighbours{next, before};
  std::vector<int> sent{3, 1}, sent_counts{2, 0}, halo{4, 5}, halo_counts{0, 2};
  Pattern pattern =
      Pattern::from_indices(neighbours, sent_counts, sent, neighbours, halo_counts, halo);

  std::vector<double> filled(double more) const {
    std::vector<double> all(6);
    for (std::size_t i = 0; i < 4; ++i) all[i] = 10.0 * me + static_cast<double>(i) + more;
    return all;
  }
};

TEST(ComingFrom, IsendAndIrecv) {
  const Ring ring;
  if (ring.ranks < 3) GTEST_SKIP() << "needs three ranks";
  const Scheme scheme("p2p:nonblocking");
  const auto& [me, ranks, next, before, neighbours, sent, sent_counts, halo, halo_counts, same] =
      ring;
  std::vector<double> x = ring.filled(0), y = ring.filled(0.5);

  const Pattern pattern =
      Pattern::from_indices(neighbours, sent_counts, sent, neighbours, halo_counts, halo);
  Exchange exchange(comm, pattern, unbound<double>(), scheme);
  exchange.run(field(x.data(), x.size()));  // x, and any other vector of this mesh
  exchange.run(field(y.data(), y.size()));
  EXPECT_EQ(x[4], 10.0 * before + 3);
  EXPECT_EQ(y[5], 10.0 * before + 1.5);

  x[4] = x[5] = 1000;
  Exchange back(comm, pattern.reversed(), unbound<double>(), scheme, {.combine = Combine::sum});
  back.run(field(x.data(), x.size()));
  EXPECT_EQ(x[1], 10.0 * me + 1001);
  EXPECT_EQ(x[2], 10.0 * me + 2);
}

TEST(ComingFrom, Neighbourhoods) {
  if (!is_usable("neighbor:persistent")) GTEST_SKIP() << "not with this MPI";
  const Grid grid(comm, {60, 40}, {.halo = 1, .periodic = {true, true}});
  std::vector<float> cells(grid.elements());
  Exchange exchange(comm, grid.halo(), field(cells.data(), cells.size()), "neighbor:persistent");
  exchange.run();
  EXPECT_EQ(exchange.scheme().str(), "neighbor:persistent");
  for (std::int64_t i = 1; i <= grid.owned(0).size(); ++i)
    for (std::int64_t j = 1; j <= grid.owned(1).size(); ++j)
      cells[static_cast<std::size_t>(i * grid.local(1) + j)] = 1;
  exchange.run();
  for (const float cell : cells) ASSERT_EQ(cell, 1);
}

TEST(ComingFrom, RootsAndLeaves) {
  const Ring ring;
  if (ring.ranks < 3) GTEST_SKIP() << "needs three ranks";
  const Scheme scheme("shm:signal");
  const Pattern& pattern = ring.pattern;
  const std::vector<double> roots = ring.filled(0);
  std::vector<double> leaves(6);
  Exchange broadcast(comm, pattern, unbound<const double>(), unbound<double>(), scheme);
  broadcast.run({field(roots.data(), roots.size()), field(leaves.data(), leaves.size())});
  EXPECT_EQ(leaves[4], 10.0 * ring.before + 3);
}

TEST(ComingFrom, SeveralPatternsInOneMessage) {
  const Scheme scheme("p2p:persistent");
  const Grid grid(comm, {60, 40}, {.halo = 1});
  const Array<double> density(grid, scheme), flux(grid.faces(0), scheme);
  Exchange both(comm, {{grid.halo(), {density}}, {grid.faces(0).halo(), {flux}}}, scheme);
  both.start();
  both.finish();
  EXPECT_EQ(both.fields().size(), 2U);
}

TEST(ComingFrom, TwoDistributions) {
  const Scheme scheme("p2p:nonblocking");
  const int rank = number(MPI_Comm_rank), ranks = number(MPI_Comm_size);
  const Distribution columns({6, 9}, {1, ranks}), rows({6, 9}, {ranks, 1});
  std::vector<float> a(columns.elements(rank)), b(rows.elements(rank));
  Exchange move(comm, Pattern::between(columns, rows, rank), field(a.data(), a.size()),
                field(b.data(), b.size()), scheme);
  a.assign(a.size(), float(rank));
  move.run();
  for (std::size_t i = 0; i < b.size(); ++i)
    EXPECT_EQ(b[i], float(static_cast<int>(i % 9) * ranks / 9)) << i;
}

}  // namespace
