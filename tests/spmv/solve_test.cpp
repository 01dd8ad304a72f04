// Conjugate gradients: against a plain loop whose sums are exact, too, so that every iteration has
// its bits.

#include "solve.hpp"

#include <halocline/error.hpp>
#include <halocline/range.hpp>
#include "generate.hpp"
#include "reference.hpp"
#include "reorder.hpp"

#include "common/complaint.hpp"
#include "common/ranks.hpp"
#include "common/tested_schemes.hpp"

#include <numerics/exact_sum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

using namespace spmv;
using namespace halocline;

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  Vector products;
  for (std::size_t i = 0; i < a.size(); ++i) products.push_back(a[i] * b[i]);
  numerics::ExactSum sum;
  sum.add(products.data(), std::ssize(products));
  return sum.value();
}

/// For each row the least colour that no neighbour before it has.
std::vector<int> greedy(const Matrix& a) {
  std::vector<int> colours;
  for (std::size_t row = 0; row + 1 < a.begin.size(); ++row) {
    std::set<int> taken;
    for (auto e = a.begin[row]; e < a.begin[row + 1]; ++e)
      if (const auto j = static_cast<std::size_t>(a.columns[static_cast<std::size_t>(e)]); j < row)
        taken.insert(colours[j]);
    int colour = 0;
    while (taken.count(colour) > 0) ++colour;
    colours.push_back(colour);
  }
  return colours;
}

/// M^-1 r, an element after the other.
Vector preconditioned(const Matrix& a, Preconditioner by, const Vector& r) {
  Vector z = r;
  if (by == Preconditioner::none) return z;
  const auto add = [&](std::size_t row, const auto& counts) {
    double sum = 0;
    for (auto e = static_cast<std::size_t>(a.begin[row]);
         e < static_cast<std::size_t>(a.begin[row + 1]); ++e)
      if (const auto j = static_cast<std::size_t>(a.columns[e]); counts(j))
        sum += a.values[e] * z[j];
    return sum;
  };
  Vector diagonal;
  for (std::size_t row = 0; row < r.size(); ++row)
    for (auto e = static_cast<std::size_t>(a.begin[row]);
         e < static_cast<std::size_t>(a.begin[row + 1]); ++e)
      if (a.columns[e] == static_cast<std::int64_t>(row)) diagonal.push_back(a.values[e]);
  if (by == Preconditioner::jacobi) {
    for (std::size_t row = 0; row < r.size(); ++row) z[row] /= diagonal[row];
    return z;
  }
  const std::vector<int> colours = greedy(a);
  const int most = *std::ranges::max_element(colours);
  const auto for_rows = [&](int colour, const auto& act) {
    for (std::size_t row = 0; row < r.size(); ++row)
      if (colours[row] == colour) act(row);
  };
  for (int c = 0; c <= most; ++c)
    for_rows(c, [&](std::size_t row) {
      z[row] = (r[row] - add(row, [&](std::size_t j) { return colours[j] < c; })) / diagonal[row];
    });
  for (int c = most; c >= 0; --c)
    for_rows(c, [&](std::size_t row) {
      z[row] -= add(row, [&](std::size_t j) { return colours[j] > c; }) / diagonal[row];
    });
  return z;
}

/// The textbook's, on one array; the squared residuals before each iteration.
Vector plain(const Matrix& a, Preconditioner by, const Vector& b, int iterations, Vector& x) {
  const auto scaled = [&](const Vector& r) { return preconditioned(a, by, r); };
  x.assign(b.size(), 0);
  Vector r = b, z = scaled(r), p = z, squares{dot(r, r)};
  double rho = dot(r, z);
  for (int k = 0; k < iterations; ++k) {
    const Vector q = reference::product(a, p);
    const double alpha = rho / dot(p, q);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    z = scaled(r);
    const double next = dot(r, z), beta = next / rho;
    rho = next;
    for (std::size_t i = 0; i < x.size(); ++i) p[i] = z[i] + beta * p[i];
    squares.push_back(dot(r, r));
  }
  return squares;
}

struct Solved {
  Solution solution;
  Vector x, right_side;
  Range rows;
};

Solved solved(const Matrix& whole, const Vector& b, const Plan& plan, const Task& task) {
  const Matrix mine = reference::part(whole, part_of(whole.all_rows, ranks(), me()));
  Product product(world(), mine, plan, inputs_of(task.method));
  Solved all;
  all.rows = mine.rows;
  all.x.resize(static_cast<std::size_t>(mine.rows.size()));
  all.right_side.assign(b.begin() + mine.rows.begin, b.begin() + mine.rows.end);
  Inverse inverse = inverse_of(world(), mine, task.preconditioner, plan, product);
  all.solution = solve(world(), product, inverse, all.right_side, all.x, plan.threads, task, {});
  return all;
}

constexpr std::array all_of_them{Preconditioner::none, Preconditioner::jacobi, Preconditioner::sgs};

TEST(ConjugateGradients, HaveTheBitsOfAPlainLoop) {
  const Matrix whole = generate(generator("", "anisotropic:7,6,5"), {0, 210});
  Vector b = reference::numbers(210, 3), x;
  for (const Preconditioner by : all_of_them) {
    const Vector squares = plain(whole, by, b, 20, x);
    int which = 0;
    for (const std::string& scheme : tested_schemes()) {
      if (which++ % (ranks() > 2 ? 27 : 9) != 0) continue;
      const Task task{.preconditioner = by, .tolerance = 1e-300, .most = 20};
      const Solved all = solved(whole, b,
                                {.layout = which % 4 < 2 ? Layout::crs : Layout::sell,
                                 .mode = which % 2 ? Mode::naive : Mode::task,
                                 .threads = 2,
                                 .scheme = scheme},
                                task);
      EXPECT_EQ(all.solution.iterations, 20);
      ASSERT_EQ(all.solution.history.size(), squares.size());
      for (std::size_t k = 0; k < squares.size(); ++k)
        EXPECT_EQ(all.solution.history[k], std::sqrt(squares[k]) / std::sqrt(squares[0]));
      EXPECT_TRUE(std::equal(all.x.begin(), all.x.end(), x.begin() + all.rows.begin)) << scheme;
    }
  }
}

TEST(ConjugateGradients, Converge) {
  const Matrix whole = generate(generator("", "7pt:9,8,7"), {0, 504});
  const Vector ones(504, 1), b = reference::product(whole, ones);
  for (const Method method : {Method::cg, Method::pipelined_cg})
    for (const Preconditioner by : all_of_them) {
      const Solved all = solved(whole, b, {.threads = 2}, {method, by, 1e-10, 1000});
      EXPECT_TRUE(all.solution.converged);
      EXPECT_LT(all.solution.residual, 1e-9);
      EXPECT_LT(all.solution.iterations, 80);
      for (const double value : all.x) EXPECT_NEAR(value, 1, 1e-8);
    }
}

TEST(ConjugateGradients, PipelinedOnesHaveOneHistoryOnAnyRanksAndThreads) {
  const Matrix whole = generate(generator("", "9pt:20,15"), {0, 300});
  const Vector b = reference::numbers(300, 8);
  const Task task{.method = Method::pipelined_cg,
                  .preconditioner = Preconditioner::sgs,
                  .tolerance = 1e-6,
                  .most = 200};
  Vector first;
  for (const char* const scheme : {"p2p:nonblocking", "shm:signal+access=direct"})
    for (const int threads : {1, 2}) {
      Vector history =
          solved(whole, b, {.threads = threads, .scheme = scheme}, task).solution.history;
      if (first.empty()) first = history;
      EXPECT_EQ(history, first);
    }
  // And as on one rank: all of it, by rank 0 alone.
  Product product(MPI_COMM_SELF, whole, {}, 2);
  Vector x(300);
  Inverse inverse = inverse_of(MPI_COMM_SELF, whole, task.preconditioner, {}, product);
  EXPECT_EQ(solve(MPI_COMM_SELF, product, inverse, b, x, 1, task, {}).history, first);
}

TEST(ConjugateGradients, EndAtOnceWhereThereIsNothingToDo) {
  const Matrix whole = generate(generator("", "5pt:5,5"), {0, 25});
  for (const Method method : {Method::cg, Method::pipelined_cg}) {
    const Solved all = solved(whole, Vector(25, 0), {}, {.method = method});
    EXPECT_EQ(all.solution.iterations, 0);
    EXPECT_TRUE(all.solution.converged);
    EXPECT_EQ(all.x, Vector(all.x.size(), 0));
  }
}

TEST(ConjugateGradients, RefuseWhatIsNotPositiveDefinite) {
  Matrix whole = generate(generator("", "5pt:5,5"), {0, 25});
  for (double& value : whole.values) value = -value;
  for (const Method method : {Method::cg, Method::pipelined_cg})
    EXPECT_THROW(solved(whole, Vector(25, 1), {}, {.method = method}), Error);
}

/// Colours go by the numbers that rows had at first, whatever they have now, and are as few as one
/// expects.
TEST(GaussSeidel, HasTheColoursOfTheOrderAtFirst) {
  for (const auto& [name, size, most] :
       {std::tuple{"7pt:6,5,4", 120, 2}, {"27pt:5,4,3", 60, 8}, {"9pt:11,9", 99, 4}}) {
    const Matrix whole = generate(generator("", name), {0, size});
    const std::vector<int> right = greedy(whole);
    EXPECT_EQ(*std::ranges::max_element(right), most - 1);
    const Matrix mine = reference::part(whole, part_of(size, ranks(), me()));
    std::vector<std::int64_t> place(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) place[static_cast<std::size_t>(i)] = i * 7 % size;
    if (size % 7 == 0) continue;
    const Matrix other = renumbered(world(), mine, place, mine.rows);
    const std::vector<std::int64_t> at_first = inverse(place);
    const Halo halo = halo_of(world(), other);
    const std::vector<int> colours = colours_of(world(), other, halo, at_first);
    for (std::int64_t row = other.rows.begin; row < other.rows.end; ++row)
      EXPECT_EQ(colours[static_cast<std::size_t>(halo.place(row))],
                right[static_cast<std::size_t>(at_first[static_cast<std::size_t>(row)])]);
  }
}

TEST(GaussSeidel, NamesEntriesWithoutTheirOpposite) {
  Matrix whole;  // 1 2 3 with an entry of row 1 in column 3
  whole.rows = {0, 3};
  whole.all_rows = whole.all_columns = 3;
  whole.begin = {0, 2, 3, 4};
  whole.columns = {0, 2, 1, 2};
  whole.values = {1, 1, 1, 1};
  const Matrix mine = reference::part(whole, part_of(3, ranks(), me()));
  const Product product(world(), mine, {});
  const std::string said =
      complaint([&] { inverse_of(world(), mine, Preconditioner::sgs, {}, product); });
  EXPECT_NE(said.find("row 1 has an entry in column 3, but row 3 has none in column 1"), said.npos)
      << said;
}

TEST(Diagonal, NamesTheFirstRowWithoutADiagonal) {
  Matrix whole = generate(generator("", "5pt:5,5"), {0, 25});
  for (std::size_t row = 13; row < 15; ++row)
    for (auto e = static_cast<std::size_t>(whole.begin[row]);
         e < static_cast<std::size_t>(whole.begin[row + 1]); ++e)
      if (whole.columns[e] == static_cast<std::int64_t>(row)) whole.values[e] = 0;
  const Matrix mine = reference::part(whole, part_of(25, ranks(), me()));
  const std::string said = complaint([&] { diagonal_of(world(), mine); });
  EXPECT_NE(said.find("row 14 has a zero"), said.npos) << said;
}

}  // namespace
