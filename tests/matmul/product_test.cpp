// Products of blocks, by the build's library or by loops: exactly, since all numbers are integers.

#include "product.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

using namespace matmul;

namespace {

std::vector<double> numbers(std::int64_t count, int factor) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<double>(i * factor % 19 - 9));
  return all;
}

TEST(Product, IsExactForAllShapesStridesAndThreads) {
  for (const auto& [m, n, k] : {std::tuple{1, 1, 1},
                                {5, 7, 3},
                                {4, 1, 9},
                                {1, 6, 5},
                                {3, 600, 200},
                                {130, 20, 140},
                                {2, 2, 1}})
    for (const int threads : {1, 2, 3})
      for (const bool add : {false, true})
        for (const bool chunks : {false, true}) {
          const std::int64_t of_a = k + 2, of_b = n + 1, of_c = n + 3;
          const auto a = numbers(m * of_a, 7), b = numbers(k * of_b, 5), old = numbers(m * of_c, 3);
          std::vector<double> c = old, right = old;
          for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
              double& sum = right[static_cast<std::size_t>(i * of_c + j)];
              if (!add) sum = 0;
              for (int l = 0; l < k; ++l)
                sum += a[static_cast<std::size_t>(i * of_a + l)] *
                       b[static_cast<std::size_t>(l * of_b + j)];
            }
          multiply({m, n, k, {a.data(), of_a}, {b.data(), of_b}, add}, c.data(), of_c, threads,
                   chunks ? [] {} : std::function<void()>());
          EXPECT_EQ(c, right) << m << " x " << n << " x " << k << ", " << threads << " threads";
        }
}

TEST(Product, IsExactInTasksWhateverIsDoneMeanwhile) {
  for (const auto& [m, n, k] : {std::tuple{1, 1, 1}, {3000, 1, 700}, {5, 1, 300000}, {70, 3, 9}})
    for (const int threads : {1, 2, 3}) {
      const auto a = numbers(std::int64_t{m} * k, 7), b = numbers(std::int64_t{k} * n, 5);
      const Factors factors{m, n, k, {a.data(), k}, {b.data(), n}, false};
      std::vector<double> right(static_cast<std::size_t>(m * n)), c(right);
      multiply(factors, right.data(), n, 1);
      int times = 0;
      EXPECT_GE(multiply_in_tasks(factors, c.data(), n, threads, [&] { ++times; }), 0);
      EXPECT_EQ(c, right) << m << " x " << n << " x " << k << ", " << threads << " threads";
      EXPECT_EQ(times, 1);
      const auto fail = [] { throw std::runtime_error("lost"); };
      EXPECT_THROW(multiply_in_tasks(factors, c.data(), n, threads, fail), std::runtime_error);
    }
  const double one = 1;
  double c = 0;
  const auto sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  EXPECT_GE(multiply_in_tasks({1, 1, 1, {&one, 1}, {&one, 1}, false}, &c, 1, 2, sleep), 0.015);
}

TEST(Product, GivesWayBetweenChunks) {
  const std::int64_t m = 1000, n = 300, k = 300;
  const auto a = numbers(m * k, 7), b = numbers(k * n, 5);
  std::vector<double> c(static_cast<std::size_t>(m * n));
  int times = 0;
  multiply({m, n, k, {a.data(), k}, {b.data(), n}, false}, c.data(), n, 1, [&] { ++times; });
  EXPECT_GE(times, 1);
}

TEST(Product, SaysWhatMultiplies) {
  EXPECT_FALSE(product_name().empty());
}

}  // namespace
