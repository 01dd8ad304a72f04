// The C++ of docs/reference/languages.md, compiled and run; test_code.py sees to it that it is the
// same. The C of that page is in tests/c/languages.c, the Fortran in tests/fortran/languages.f90.

#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/section.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace {

using namespace halocline;

TEST(Languages, SideBySide) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const Scheme scheme("p2p:nonblocking");
  int me, ranks;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  const int after = (me + 1) % ranks, before = (me + ranks - 1) % ranks;

  const Grid grid(comm, {64, 48}, {.halo = 1, .periodic = {true, false}});

  Array<double> u(grid, scheme);  // grid.local(0) times grid.local(1) cells, zeroed

  for (double& cell : u) cell = me;

  Exchange halos(comm, grid.halo(), u, scheme);
  halos.run();

  halos.start();
  // compute what needs no halo
  halos.finish();
  EXPECT_EQ(u[1], grid.neighbour({-1, 0}));

  std::vector<double> x(5);
  std::iota(x.begin(), x.end(), 10.0 * me);

  const std::vector<int> last{4}, ghost{0};
  Pattern ring;
  ring.send(after, last);
  ring.receive(before, ghost);

  Exchange any(comm, ring, unbound<double>(), scheme);
  any.run(field(x.data(), x.size()));
  EXPECT_EQ(x[0], 10.0 * before + 4);

  Exchange back(comm, ring.reversed(), field(x.data(), x.size()), scheme,
                {.combine = Combine::sum});
  back.run();
  EXPECT_EQ(x[4], 20.0 * me + 8);

  std::vector<double> mass{1, 2, 3};
  const std::vector<std::int64_t> numbers{2 * me, 2 * me + 1, (2 * me + 2) % (2 * ranks)};

  GatherScatter sums(comm, numbers, field(mass.data(), mass.size()), scheme);
  sums.run();
  EXPECT_EQ(mass, (std::vector<double>{4, 2, 4}));

  const std::vector<double> leaving(static_cast<std::size_t>(me), 0.5 + me);

  RaggedExchange migration(comm, {after}, {before}, sizeof(double), 8, scheme);
  migration.send<double>(0, leaving);
  migration.run();
  const std::span<const double> came = migration.received<double>(0);
  ASSERT_EQ(came.size(), static_cast<std::size_t>(before));
  for (const double one : came) EXPECT_EQ(one, before + 0.5);

  AsyncExchange news(comm, ring, sizeof(double), "p2p:nonblocking");
  news.send(x.data(), 1);
  news.receive(x.data());  // the newest that have come, perhaps none
  news.drain(x.data());
  EXPECT_EQ(x[0], 20.0 * before + 8);

  int computed = 0;
  const auto compute = [&](int tile) { computed += tile; };

  Exchange chosen(comm, ring, field(x.data(), x.size()), "auto+when=running");
  Section step(comm, {&chosen});
  for (int i = 0; i < 10; ++i) {
    const Section::Lap lap = step.lap();
    const int tile = step.choice("tile", {8, 16});
    compute(tile), chosen.run();
  }
  const std::string in_use = step.findings().chosen[0].what;  // such as shm:signal
  EXPECT_EQ(in_use, chosen.scheme().str());
  EXPECT_EQ(x[0], 20.0 * before + 8);
  EXPECT_EQ(step.laps(), 10);
  EXPECT_GE(computed, 80);

  std::string text;
  try {
    Exchange(comm, ring, field(x.data(), x.size()), "p2p:nonblokking");
  } catch (const Error& error) {
    text = error.what();
  }
  EXPECT_NE(text.find("p2p:nonblokking"), text.npos);
}

}  // namespace
