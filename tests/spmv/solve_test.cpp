// Conjugate gradients: against a plain loop whose sums are exact, too, so that every iteration has
// its bits.

#include "solve.hpp"
#include "generate.hpp"
#include "reference.hpp"

#include "common/ranks.hpp"
#include "common/tested_schemes.hpp"

#include <numerics/exact_sum.hpp>

#include <gtest/gtest.h>

#include <cmath>

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

/// The textbook's, on one array; the squared residuals before each iteration.
Vector plain(const Matrix& a, const Vector& diagonal, const Vector& b, int iterations, Vector& x) {
  const auto scaled = [&](const Vector& r) {
    Vector z = r;
    for (std::size_t i = 0; i < z.size() && !diagonal.empty(); ++i) z[i] /= diagonal[i];
    return z;
  };
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
  Vector diagonal;
  if (task.preconditioner == Preconditioner::jacobi) diagonal = diagonal_of(world(), mine);
  all.solution = solve(world(), product, diagonal, all.right_side, all.x, plan.threads, task, {});
  return all;
}

TEST(ConjugateGradients, HaveTheBitsOfAPlainLoop) {
  const Matrix whole = generate(generator("", "anisotropic:7,6,5"), {0, 210});
  Vector b = reference::numbers(210, 3), x;
  for (const Preconditioner by : {Preconditioner::none, Preconditioner::jacobi}) {
    const Vector diagonal = by == Preconditioner::jacobi ? Vector(210, whole.values[0]) : Vector();
    const Vector squares = plain(whole, diagonal, b, 20, x);
    int which = 0;
    for (const std::string& scheme : tested_schemes()) {
      if (which++ % 9 != 0) continue;
      const Task task{.preconditioner = by, .tolerance = 1e-300, .most = 20};
      const Solved all = solved(
          whole, b, {.mode = which % 2 ? Mode::naive : Mode::task, .threads = 2, .scheme = scheme},
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
    for (const Preconditioner by : {Preconditioner::none, Preconditioner::jacobi}) {
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
  const Task task{.method = Method::pipelined_cg, .tolerance = 1e-6, .most = 200};
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
  EXPECT_EQ(solve(MPI_COMM_SELF, product, {}, b, x, 1, task, {}).history, first);
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

TEST(Jacobi, NamesTheFirstRowWithoutADiagonal) {
  Matrix whole = generate(generator("", "5pt:5,5"), {0, 25});
  for (std::size_t row = 13; row < 15; ++row)
    for (auto e = static_cast<std::size_t>(whole.begin[row]);
         e < static_cast<std::size_t>(whole.begin[row + 1]); ++e)
      if (whole.columns[e] == static_cast<std::int64_t>(row)) whole.values[e] = 0;
  const Matrix mine = reference::part(whole, part_of(25, ranks(), me()));
  try {
    diagonal_of(world(), mine);
    ADD_FAILURE() << "there is a zero";
  } catch (const Error& problem) {
    EXPECT_NE(std::string(problem.what()).find("row 14 has a zero"), std::string::npos);
  }
}

}  // namespace
