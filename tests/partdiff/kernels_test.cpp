// The kernels alone: any number of threads and any cut into parts gives the plain reference's bits.

#include "reference.hpp"

#include "common/its_turn.hpp"

#include <jacobi_kernel.hpp>
#include <problem.hpp>
#include <sweeps.hpp>

#include <gtest/gtest.h>
#include <cmath>
#include <random>
#include <string>

using namespace partdiff;

namespace {

/// A whole problem in one array.
class Whole {
 public:
  Whole(std::int64_t lines, bool sine)
      : problem_(lines, sine ? Function::sine : Function::zero), n_(problem_.points()) {
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = 0; j < n_; ++j)
        values.push_back(problem_.on_boundary(i, j) ? problem_.boundary(i, j) : 0);
    for (std::int64_t i = 1; sine && i < n_ - 1; ++i) {
      row_source_.push_back(problem_.row_source(i));
      column_source_.push_back(problem_.column_source(i));
    }
  }

  Patch patch() {
    double* const first = values.data() + n_ + 1;
    Patch patch{first,           n_,
                n_ - 2,          n_ - 2,
                first - n_,      first + (n_ - 2) * n_,
                {first - 1, n_}, {first + n_ - 2, n_}};
    if (!row_source_.empty()) {
      patch.row_source = row_source_.data();
      patch.column_source = column_source_.data();
    }
    return patch;
  }
  std::size_t first() const { return static_cast<std::size_t>(n_ + 1); }

  std::vector<double> values;

 private:
  Problem problem_;
  std::int64_t n_;
  std::vector<double> row_source_, column_source_;
};

/// A rectangle of random points, with the plain loops to compare with.
class Rectangle {
 public:
  Rectangle(std::ptrdiff_t rows, std::ptrdiff_t columns, bool source)
      : rows_(rows), stride_(columns + 2), values(random((rows + 2) * (columns + 2))) {
    if (!source) return;
    row_source_ = random(rows);
    column_source_ = random(columns);
  }

  Patch patch() {
    double* const first = values.data() + stride_ + 1;
    Patch patch{first,
                stride_,
                rows_,
                stride_ - 2,
                first - stride_,
                first + rows_ * stride_,
                {first - 1, stride_},
                {first + stride_ - 2, stride_}};
    if (!row_source_.empty()) {
      patch.row_source = row_source_.data();
      patch.column_source = column_source_.data();
    }
    return patch;
  }
  Region all() const { return {0, rows_, 0, stride_ - 2}; }

  /// One sweep by two plain loops; returns the largest change inside `counted`.
  double plain_sweep(bool jacobi, const Region& counted) {
    const std::vector<double> old = values;
    const std::vector<double>& before = jacobi ? old : values;
    double largest = 0;
    for (std::ptrdiff_t i = 0; i < rows_; ++i)
      for (std::ptrdiff_t j = 0; j < stride_ - 2; ++j) {
        const auto at = static_cast<std::size_t>((i + 1) * stride_ + j + 1);
        const auto stride = static_cast<std::size_t>(stride_);
        double value =
            0.25 * (before[at - stride] + before[at - 1] + before[at + 1] + before[at + stride]);
        if (!row_source_.empty())
          value += row_source_[static_cast<std::size_t>(i)] *
                   column_source_[static_cast<std::size_t>(j)];
        if (i >= counted.r0 && i < counted.r1 && j >= counted.c0 && j < counted.c1)
          largest = std::max(largest, std::fabs(old[at] - value));
        values[at] = value;
      }
    return largest;
  }

 private:
  static std::vector<double> random(std::ptrdiff_t size) {
    static std::mt19937_64 generator(7);
    std::vector<double> numbers(static_cast<std::size_t>(size));
    for (double& number : numbers)
      number = std::uniform_real_distribution<double>(-1, 1)(generator);
    return numbers;
  }

  std::ptrdiff_t rows_, stride_;
  std::vector<double> row_source_, column_source_;

 public:
  std::vector<double> values;
};

void sweep(bool jacobi, const Sweeps& sweeps, int threads) {
  static Workspace workspace;
  (jacobi ? jacobi_sweeps : gauss_seidel_sweeps)(sweeps, threads, workspace);
}

/// One Gauss-Seidel sweep; returns the largest change.
double gauss_seidel(const Patch& patch, int threads = 1) {
  double change = 0;
  sweep(false, {patch, 1, &change, {0, patch.rows, 0, patch.columns}}, threads);
  return change;
}

/// `count` sweeps in flight against as many plain ones.
void check_sweeps(bool jacobi, std::ptrdiff_t rows, std::ptrdiff_t columns, bool source, int count,
                  int threads) {
  SCOPED_TRACE(std::string(jacobi ? "Jacobi, " : "Gauss-Seidel, ") + std::to_string(rows) + " x " +
               std::to_string(columns) + (source ? ", source, " : ", ") + std::to_string(count) +
               " sweeps, " + std::to_string(threads) + " threads");
  Rectangle flying(rows, columns, source);
  Rectangle plain = flying, silent = flying;
  // Not all changes need count.
  const Region counted{rows / 3, rows, 0, columns - columns / 4};
  std::vector<double> changes(static_cast<std::size_t>(count)), expected = changes;
  for (double& change : expected) change = plain.plain_sweep(jacobi, counted);
  sweep(jacobi, {flying.patch(), count, changes.data(), counted}, threads);
  EXPECT_TRUE(flying.values == plain.values);
  EXPECT_EQ(changes, expected);
  sweep(jacobi, {silent.patch(), count}, threads);
  EXPECT_TRUE(silent.values == plain.values);
}

}  // namespace

TEST(SweepsInFlight, AreTheSweepsOneByOne) {
  unsigned turn = 0;
  for (std::ptrdiff_t lines = 0; lines <= 40; ++lines)
    for (bool jacobi : {true, false})
      for (bool source : {true, false}) {
        if (!its_turn(++turn)) continue;
        const auto sweeps = static_cast<int>(1 + turn % 19),
                   threads = static_cast<int>(1 + turn % 8);
        check_sweeps(jacobi, 8 * lines + 7, 8 * lines + 7, source, sweeps, threads);
      }
}

TEST(SweepsInFlight, OfAnyShapeAndNumber) {
  unsigned turn = 0;
  for (std::ptrdiff_t rows : {1, 2, 3, 5, 8, 13, 40})
    for (std::ptrdiff_t columns : {1, 2, 4, 7, 9, 20, 129})
      for (int count : {1, 2, 3, 4, 7, 8, 9, 15, 16, 29})
        for (bool jacobi : {true, false})
          if (its_turn(++turn))
            check_sweeps(jacobi, rows, columns, turn % 2 == 0, count,
                         static_cast<int>(1 + turn % 3));
  for (int threads : {1, 2, 5}) {
    if (its_turn(++turn)) check_sweeps(true, 1003, 517, true, 21, threads);
    if (its_turn(++turn)) check_sweeps(false, 517, 1003, false, 21, threads);
    if (its_turn(++turn)) check_sweeps(false, 99, 4097, true, 9, threads);
  }
}

TEST(SweepsInFlight, GoOnInTheRowsBelow) {
  unsigned turn = 0;
  for (std::ptrdiff_t rows : {40, 77})
    for (std::ptrdiff_t columns : {1, 9, 40, 101})
      for (int count = 1; count <= widest; count *= 2)
        for (std::ptrdiff_t cut : {3 * band_rows, 5 * band_rows})
          for (int threads : {1, 3}) {
            if (!its_turn(++turn)) continue;
            SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " cut at " +
                         std::to_string(cut) + ", " + std::to_string(count) + " sweeps");
            Rectangle flying(rows, columns, count % 3 == 1);
            Rectangle plain = flying;
            std::vector<double> changes(static_cast<std::size_t>(count)), expected = changes;
            for (double& change : expected) change = plain.plain_sweep(false, plain.all());
            const Patch patch = flying.patch();
            sweep(false,
                  {patch.part(0, cut, 0, columns),
                   count,
                   changes.data(),
                   {0, cut, 0, columns},
                   false,
                   true},
                  threads);
            sweep(false,
                  {patch.part(cut, rows, 0, columns),
                   count,
                   changes.data(),
                   {0, rows - cut, 0, columns},
                   true,
                   false},
                  threads);
            EXPECT_TRUE(flying.values == plain.values);
            EXPECT_EQ(changes, expected);
          }
}

TEST(Kernels, ThreadsDoNotChangeABit) {
  for (std::int64_t lines : {0, 1, 3, 8})
    for (bool sine : {false, true})
      for (int threads : {1, 2, 3, 7}) {
        SCOPED_TRACE(std::to_string(lines) + " lines, " + std::to_string(threads) + " threads");
        constexpr int sweeps = 12;
        Whole old(lines, sine), next(lines, sine), in_place(lines, sine);
        double jacobi_change = 0, gauss_seidel_change = 0;
        for (int k = 0; k < sweeps; ++k) {
          jacobi_change = jacobi(old.patch(), next.values.data() + next.first(), true, threads);
          std::swap(old.values, next.values);
          gauss_seidel_change = gauss_seidel(in_place.patch(), threads);
        }
        const Reference right = reference(true, static_cast<std::size_t>(lines), sine, 0, sweeps);
        EXPECT_EQ(old.values, right.values);
        EXPECT_EQ(jacobi_change, right.residuum);
        const Reference other = reference(false, static_cast<std::size_t>(lines), sine, 0, sweeps);
        EXPECT_EQ(in_place.values, other.values);
        EXPECT_EQ(gauss_seidel_change, other.residuum);
      }
}

TEST(Kernels, PartsInTheRightOrderMakeTheWhole) {
  Whole whole(2, true), parts(2, true);
  const Patch patch = parts.patch();
  for (std::ptrdiff_t r : {1, 2, 9, 21})
    for (std::ptrdiff_t c : {0, 1, 5, 22}) {
      gauss_seidel(whole.patch());
      gauss_seidel(patch.part(0, r, 0, patch.columns));
      gauss_seidel(patch.part(r, patch.rows, 0, c));
      gauss_seidel(patch.part(r, patch.rows, c, patch.columns));
      ASSERT_EQ(parts.values, whole.values) << "cut at " << r << ", " << c;
    }
}

TEST(Kernels, WakesOnlyThreadsWithWork) {
  EXPECT_EQ((Patch{.rows = 1, .columns = 4000}.worthwhile(8)), 1);
  EXPECT_EQ((Patch{.rows = 5, .columns = 4096}.worthwhile(8)), 5);
  EXPECT_EQ((Patch{.rows = 500, .columns = 4096}.worthwhile(8)), 8);
}
