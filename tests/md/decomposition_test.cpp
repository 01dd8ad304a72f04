// Cuts, images and shells, without any MPI.

#include "domain/decomposition.hpp"
#include "physics/cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

using namespace md;

namespace {

/// Cuts anywhere, other ones in each slab and column.
Decomposition crooked(const Box& box, std::array<int, 3> dims) {
  Decomposition cuts(box, dims);
  std::mt19937 random(3);
  const auto shake = [&](std::vector<double>& places) {
    for (std::size_t i = 1; i + 1 < places.size(); ++i) {
      std::uniform_real_distribution<double> between(places[i - 1], places[i + 1]);
      places[i] = box.position({between(random), 0, 0})[0];
    }
  };
  shake(cuts.cuts());
  for (int i = 0; i < dims[0]; ++i) {
    shake(cuts.cuts(i));
    for (int j = 0; j < dims[1]; ++j) shake(cuts.cuts(i, j));
  }
  return cuts;
}

TEST(Decomposition, EveryPositionHasTheOwnerWhoseRegionItIsIn) {
  const Box box({10, 11, 12}, {false, true, false});
  for (const Decomposition& cuts : {Decomposition(box, {3, 2, 4}), crooked(box, {3, 2, 4})}) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> x(0, 10), y(0, 11), z(0, 12);
    for (int i = 0; i < 2000; ++i) {
      const Vector place = box.position({x(random), y(random), z(random)});
      const Region region = cuts.region(cuts.owner(place));
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_LE(region.low[axis], place[axis]);
        EXPECT_GT(region.high[axis], place[axis]);
      }
    }
    // A wall is the last one's.
    EXPECT_EQ(cuts.region(cuts.owner({0, 11, 0})).high[1], 11);
  }
  EXPECT_TRUE(Decomposition(box, {3, 2, 4}).straight());
  EXPECT_FALSE(crooked(box, {3, 2, 4}).straight());
}

TEST(Decomposition, TwentySixNeighboursAndMoreWhereSubdomainsAreThin) {
  const Decomposition cuts(Box({12, 12, 12}), {4, 4, 4});
  EXPECT_EQ(cuts.around(21, 2).size(), 26u);
  EXPECT_EQ(cuts.around(21, 4).size(), 124u);  // two beyond on each side: 5^3 - 1
  EXPECT_EQ(Decomposition(Box({12, 12, 12}), {1, 1, 1}).around(0, 2).size(), 26u);
  const std::array<bool, 3> walls{true, true, true};
  EXPECT_EQ(Decomposition(Box({12, 12, 12}, walls), {1, 1, 1}).around(0, 2).size(), 0u);
  EXPECT_EQ(Decomposition(Box({12, 12, 12}, walls), {2, 1, 1}).around(0, 2).size(), 1u);
}

TEST(Decomposition, HalfAShellTakesEachPairOfImagesOnce) {
  const Box box({10, 11, 12});
  for (const Decomposition& cuts :
       {Decomposition(box, {3, 2, 1}), crooked(box, {3, 2, 2}), Decomposition(box, {1, 1, 1})})
    for (int part = 0; part < cuts.parts(); ++part)
      for (const Image& image : cuts.around(part, 2.5)) {
        const Image back{part, {-image.shift[0], -image.shift[1], -image.shift[2]}};
        EXPECT_NE(cuts.wants(part, image, Shell::half), cuts.wants(image.part, back, Shell::half));
      }
}

TEST(Decomposition, AnEighthOfTheShellIsSevenOfTwentySix) {
  const Decomposition cuts(Box({12, 12, 12}), {3, 3, 3});
  for (int part = 0; part < cuts.parts(); ++part) {
    std::multiset<int> zones;
    for (const Image& image : cuts.around(part, 2.5))
      if (cuts.wants(part, image, Shell::eighth))
        zones.insert(cuts.zone(part, image, Shell::eighth));
    EXPECT_EQ(zones, (std::multiset<int>{1, 2, 3, 4, 5, 6, 7}));
  }
}

TEST(Decomposition, GridsWithTheFewestGhosts) {
  EXPECT_EQ(choose_dims(8, {10, 10, 10}, 2.8), (std::array{2, 2, 2}));
  EXPECT_EQ(choose_dims(7, {10, 10, 10}, 2.8), (std::array{1, 1, 7}));
  EXPECT_EQ(choose_dims(2, {10, 20, 10}, 2.8), (std::array{1, 2, 1}));
  EXPECT_EQ(choose_dims(6, {30, 10, 20}, 2.8), (std::array{3, 1, 2}));
}

TEST(Migration, WhoIsOutsideGoesAndOthersComeAndNobodyIsLost) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> anywhere(0, 10);
  std::int64_t next = 0;
  const auto some = [&](std::size_t count) {
    std::vector<Particle> particles(count);
    for (Particle& one : particles) {
      one.id = next++;
      for (auto* of : {&one.position, &one.velocity})
        for (double& x : *of) x = anywhere(random);
    }
    return particles;
  };
  const auto by_id = [](const Particle& a, const Particle& b) { return a.id < b.id; };
  const Region region{{1, 0, 0}, {10, 9, 10}};
  const auto is_outside = [&](const Particle& one) {
    return !(one.position[0] >= 1 && one.position[1] < 9);
  };
  for (const Layout layout : {Layout::aos, Layout::soa, Layout::cluster}) {
    Particles particles(layout);
    std::vector<Particle> expected = some(60);
    particles.assign(expected);
    for (const std::size_t coming : {0, 5, 100, 3, 0, 40}) {
      particles.set_ghosts(3);
      const std::vector<int> gone = outside(region, particles);
      EXPECT_TRUE(std::ranges::is_sorted(gone));
      EXPECT_EQ(gone.size(), std::erase_if(expected, is_outside));
      for (const int i : gone)
        EXPECT_TRUE(is_outside(particles.particle(static_cast<std::size_t>(i))));
      const std::vector<Particle> come = some(coming);
      particles.replace(gone, come);
      expected.insert(expected.end(), come.begin(), come.end());
      EXPECT_EQ(particles.ghosts(), 0u);
      ASSERT_EQ(particles.owned(), expected.size());
      std::vector<Particle> there;
      for (std::size_t i = 0; i < particles.owned(); ++i) there.push_back(particles.particle(i));
      std::ranges::sort(there, by_id);
      for (std::size_t i = 0; i < there.size(); ++i) {
        EXPECT_EQ(there[i].id, expected[i].id);
        EXPECT_EQ(there[i].position, expected[i].position);
        EXPECT_EQ(there[i].velocity, expected[i].velocity);
      }
    }
  }
}

TEST(Cells, AreAsNarrowAsForcesReachUnlessThatWereTooMany) {
  EXPECT_EQ(cells_along({10, 5.9, 1}, 2), (std::array{4, 2, 1}));
  EXPECT_EQ(cells_along({1e5, 3, 3}, 2.5), (std::array{39999, 1, 1}));
  for (const Vector& edges : {Vector{1e5, 1e5, 1e5}, Vector{1e12, 1, 1e5}, Vector{1, 1e300, 3}}) {
    const Cells cells({0, 0, 0}, edges, 2.5, CellIndices::computed);
    EXPECT_GT(cells.count(), 1 << 18);
    EXPECT_LE(cells.count(), 1 << 22);
    const std::array<int, 3> along = cells_along(edges, 2.5);
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_TRUE(along[axis] == 1 || edges[axis] / along[axis] >= 2.5);
  }
}

}  // namespace
