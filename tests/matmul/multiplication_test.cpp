// Whole products through every scheme, against the plain product.

#include "multiplication.hpp"

#include <halocline/environment.hpp>
#include <halocline/more/mpi.hpp>
#include "matrices.hpp"

#include "common/tested_schemes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

using namespace matmul;
using namespace halocline;

namespace {

/// Multiplies twice, and expects on each rank exactly what it should have.
void expect_right(const Plan& plan, const std::string& what) {
  Multiplication all(world(), plan);
  const Shape& shape = plan.shape;
  const Supply& supply = all.supply();
  generate({shape.m, shape.k, supply.tiles_of_a(), supply.data()}, 1);
  generate({shape.k, shape.n, supply.tiles_of_b(), supply.data()}, 2);

  const std::uint64_t seed_of_a = 1, seed_of_b = 2;
  std::vector<double> a(static_cast<std::size_t>(shape.m * shape.k)),
      b(static_cast<std::size_t>(shape.k * shape.n));
  const Tile all_of_a{{{0, shape.m}, {0, shape.k}}, 0}, all_of_b{{{0, shape.k}, {0, shape.n}}, 0};
  generate({shape.m, shape.k, {&all_of_a, 1}, a.data()}, seed_of_a);
  generate({shape.k, shape.n, {&all_of_b, 1}, b.data()}, seed_of_b);
  const std::vector<double> right = plain_product(shape, a, b);

  for (int repetition = 0; repetition < 2; ++repetition) {
    HALOCLINE_MPI(MPI_Barrier, world());
    all.run();
    bool equal = true;
    const Tile& tile = all.sum().owned();
    const double* number = all.sum().data() + tile.at;
    for (std::int64_t i = tile.box.rows.begin; i < tile.box.rows.end; ++i)
      for (std::int64_t j = tile.box.columns.begin; j < tile.box.columns.end; ++j)
        equal = equal && *number++ == right[static_cast<std::size_t>(i * shape.n + j)];
    EXPECT_TRUE(equal) << what << ", repetition " << repetition;
  }
  const double needed = bytes_needed(plan, all.part());
  EXPECT_EQ(needed, static_cast<double>(sizeof(double) * all.numbers_held())) << what;
  EXPECT_LE(needed, bytes_needed(plan, part_of(plan, 0))) << what;
  if (plan.algorithm != Algorithm::cannon) {
    std::int64_t sent = all.words();
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &sent, 1, MPI_INT64_T, MPI_MAX, world());
    EXPECT_EQ(sent, words(shape, plan.cut)) << what;
  }
}

std::vector<Plan> plans(const Scheme& scheme, const Shape& shape) {
  const int ranks = mpi::size(world());
  std::vector<Plan> all;
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::cannon, Algorithm::summa}) {
    const Cut cut = best_cut(shape, cuts(shape, ranks, algorithm == Algorithm::automatic));
    all.push_back({.shape = shape, .algorithm = algorithm, .cut = cut, .scheme = scheme});
  }
  return all;
}

std::string what(const Plan& plan) {
  const auto& [m, n, k] = plan.shape;
  return plan.scheme.str() + ", algorithm " + std::to_string(static_cast<int>(plan.algorithm)) +
         ", " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
}

TEST(Multiplication, IsExactThroughEveryScheme) {
  // On many ranks, which take turns on few cores, schemes of each family stand for all.
  const bool many = mpi::size(world()) > 2;
  int which = 0;
  for (const std::string& scheme : tested_schemes())
    if (!many || which++ % 16 == 0)
      for (const Plan& plan : plans(scheme, {9, 8, 11})) expect_right(plan, what(plan));
}

TEST(Multiplication, IsExactForAnyShapeAndCut) {
  const int ranks = mpi::size(world());
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{1, 1, 40}, Shape{2, 3, 2}, Shape{17, 1, 23}})
    for (const Plan& plan : plans("p2p:nonblocking", shape)) expect_right(plan, what(plan));

  const Shape shape{13, 12, 14};
  std::int64_t widest = 0;
  for (const Cut& cut : cuts(shape, ranks)) {
    if (cut.ranks() < ranks) continue;
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::cannon, Algorithm::summa}) {
      widest = 2 - widest;
      const Plan plan{.shape = shape, .algorithm = algorithm, .cut = cut, .widest = widest};
      expect_right(plan, what(plan) + ", cut " + std::to_string(cut.m) + "," +
                             std::to_string(cut.n) + "," + std::to_string(cut.k));
    }
  }
}

TEST(Multiplication, OfAVectorIsExactInTasks) {
  const Shape shape{40, 1, 30};
  const Cut cut{std::min(mpi::size(world()), 4), 1, 1};
  for (const char* const scheme : {"p2p:nonblocking", "shm:signal", "shm:signal+access=direct"})
    expect_right({shape, Algorithm::cannon, cut, 3, 2, scheme}, scheme);
}

TEST(Multiplication, OfCannonHasTheSameBitsWithAndWithoutCopies) {
  // Sums of what is no integer depend on their order.
  const auto product = [](const Scheme& scheme) {
    const Shape shape{8, 9, 50};
    const Cut cut = best_cut(shape, cuts(shape, mpi::size(world()), false));
    Multiplication all(world(), {shape, Algorithm::cannon, cut, 3, 1, scheme});
    const Supply& supply = all.supply();
    for (const auto* tiles : {&supply.tiles_of_a(), &supply.tiles_of_b()})
      for (const Tile& tile : *tiles)
        for (std::size_t i = 0; i < tile.box.size(); ++i)
          supply.data()[tile.at + i] = 1 / static_cast<double>(1 + tile.box.rows.begin + i);
    HALOCLINE_MPI(MPI_Barrier, world());
    all.run();
    const double* const block = all.sum().data();
    return std::vector(block, block + (all.part().idle ? 0 : all.sum().owned().box.size()));
  };
  EXPECT_EQ(product("p2p:nonblocking"), product("shm:signal+access=direct"));
}

TEST(Check, FindsOneWrongNumber) {
  for (const Shape& shape : {Shape{20, 30, 10}, Shape{400, 300, 300}}) {
    const Plan plan{.shape = shape, .cut = best_cut(shape, cuts(shape, mpi::size(world())))};
    Multiplication all(world(), plan);
    const Supply& supply = all.supply();
    const Spread a{shape.m, shape.k, supply.tiles_of_a(), supply.data()};
    const Spread b{shape.k, shape.n, supply.tiles_of_b(), supply.data()};
    const Spread c{shape.m, shape.n, {&all.sum().owned(), 1}, all.sum().block()};
    generate(a, 3);
    generate(b, 4);
    all.run();
    const Verdict good = check(world(), a, b, c, 1);
    EXPECT_TRUE(good.right);
    EXPECT_NE(good.how.find("bit by bit"), std::string::npos);
    const bool mine = mpi::rank(world()) == plan.cut.ranks() - 1;
    double& number = all.sum().block()[all.sum().owned().at];
    if (mine) number += 1;
    EXPECT_FALSE(check(world(), a, b, c, 1).right);
    if (mine) number = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(check(world(), a, b, c, 1).right);

    // What is no integer is compared up to rounding.
    for (const Tile& tile : a.tiles)
      for (std::size_t i = 0; i < tile.box.size(); ++i) a.data[tile.at + i] /= 3;
    HALOCLINE_MPI(MPI_Barrier, world());
    all.run();
    const Verdict rounded = check(world(), a, b, c, 1);
    EXPECT_TRUE(rounded.right);
    EXPECT_NE(rounded.how.find("up to rounding"), std::string::npos);
    if (mine) number += 1e-3;
    EXPECT_FALSE(check(world(), a, b, c, 1).right);
  }
}

}  // namespace
