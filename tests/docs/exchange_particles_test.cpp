// The code of docs/how-to/exchange-particles.md, compiled and run; test_code.py sees to it that it
// is the same.

#include <halocline/halocline.hpp>

#include <gtest/gtest.h>

namespace {

using namespace halocline;

struct Ring {
  int me = mpi::rank(world()), ranks = mpi::size(world());
  int above = (me + 1) % ranks, below = (me + ranks - 1) % ranks;
};

TEST(ExchangeParticles, AnotherNumberAtEachStep) {
  const auto [me, ranks, above, below] = Ring();
  if (ranks < 3) GTEST_SKIP() << "needs three ranks";
  const Scheme scheme("p2p:nonblocking");
  struct Particle {
    double position[3], velocity[3];
    std::int64_t number;
  };
  const std::vector<int> neighbours = {above, below};  // ranks; equal ones and my own, too
  RaggedExchange migration(world(), neighbours, neighbours, sizeof(Particle), 1000, scheme);
  std::vector<Particle> mine;
  std::size_t expected = 0;
  for (std::int64_t step = 0; step < 4; ++step) {
    // Upwards as many as my rank and the step are together, downwards more than expected.
    std::vector<std::vector<Particle>> leaving(2);
    leaving[0].assign(static_cast<std::size_t>(me + step), Particle{{}, {}, me});
    leaving[1].assign(1500, Particle{{}, {}, -1});
    for (std::size_t link = 0; link < neighbours.size(); ++link)
      migration.send(link, std::span<const Particle>(leaving[link]));
    migration.run();
    for (std::size_t link = 0; link < neighbours.size(); ++link)
      for (const Particle& arrived : migration.received<Particle>(link)) mine.push_back(arrived);
    expected += static_cast<std::size_t>(below + step) + 1500;
    ASSERT_EQ(mine.size(), expected);
    EXPECT_EQ(mine[expected - 1].number, below + step > 0 ? below : -1);
  }
}

TEST(ExchangeParticles, NewIndexListsAndBack) {
  const auto [me, ranks, above, below] = Ring();
  if (ranks < 3) GTEST_SKIP() << "needs three ranks";
  const Scheme scheme("p2p:nonblocking");
  std::vector<double> x(8), f(8, 1.0);
  for (std::size_t i = 0; i < 6; ++i) x[i] = 10.0 * me + static_cast<double>(i);
  std::vector<std::ptrdiff_t> near = {0, 3};
  // Those go up; what comes from below lies behind mine.
  const auto near_the_faces = [&, up = above, down = below] {
    std::vector<std::ptrdiff_t> halo;
    for (std::size_t i = 0; i < near.size(); ++i)
      halo.push_back(6 + static_cast<std::ptrdiff_t>(i));
    using Lists = std::vector<std::vector<std::ptrdiff_t>>;
    return Pattern::from_indices(std::vector{up}, Lists{near}, std::vector{down}, Lists{halo});
  };
  const auto move_some = [&] { near = {5}; };
  Exchange positions(near_the_faces(), field(x.data(), x.size()), scheme,
                     {.changes = true, .capacity = 1000});
  positions.run();
  EXPECT_EQ(x[7], 10.0 * below + 3);
  move_some();  // others are near the faces now
  positions.change(near_the_faces());
  positions.run();
  EXPECT_EQ(x[6], 10.0 * below + 5);

  Exchange forces(near_the_faces().reversed(), field(f.data(), f.size()), scheme,
                  {.combine = Combine::sum});
  forces.run();
  EXPECT_EQ(f[5], 2.0);
  EXPECT_EQ(f[0], 1.0);
}

TEST(ExchangeParticles, ShiftedAtTheEdge) {
  const auto [me, ranks, right, left] = Ring();
  if (ranks < 3) GTEST_SKIP() << "needs three ranks";
  using Position = std::array<double, 3>;
  constexpr std::ptrdiff_t owned = 4;
  constexpr std::size_t few = 2;
  constexpr double length = 100;
  std::vector<Position> places(owned + few + 3);
  places[0] = {1.0 * me, 2, 3};
  places[3] = {1.0 * me, 5, 6};
  const std::vector<int> near_the_face{0, 3}, images{7, 8};
  Pattern halo;
  halo.receive(left, {.offset = owned, .count = {1, 1, few}}, {-length, 0, 0});
  halo.copy({.offset = 0}, {.offset = owned + few}, {0, length, 0});  // an image of my own
  halo.copy(near_the_face, images, {0, 0, length});  // one shift for a whole index list
  halo.send(right, {.offset = 0, .count = {1, 1, few}});
  Exchange(halo, field(places.data(), places.size()), "p2p:nonblocking").run();
  EXPECT_EQ(places[owned], (Position{1.0 * left - length, 2, 3}));
  EXPECT_EQ(places[owned + few], (Position{1.0 * me, 2 + length, 3}));
  EXPECT_EQ(places[8], (Position{1.0 * me, 5, 6 + length}));
}

}  // namespace
