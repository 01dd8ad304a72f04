// The kernels alone: any number of threads and any cut into parts gives the plain reference's bits.

#include "reference.hpp"

#include <gauss_seidel_kernel.hpp>
#include <jacobi_kernel.hpp>
#include <problem.hpp>

#include <gtest/gtest.h>
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

}  // namespace

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
          gauss_seidel_change = gauss_seidel(in_place.patch(), true, threads);
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
      gauss_seidel(whole.patch(), false, 1);
      gauss_seidel(patch.part(0, r, 0, patch.columns), false, 1);
      gauss_seidel(patch.part(r, patch.rows, 0, c), false, 1);
      gauss_seidel(patch.part(r, patch.rows, c, patch.columns), false, 1);
      ASSERT_EQ(parts.values, whole.values) << "cut at " << r << ", " << c;
    }
}

TEST(Kernels, WakesOnlyThreadsWithWork) {
  EXPECT_EQ((Patch{.rows = 1, .columns = 4000}.worthwhile(8)), 1);
  EXPECT_EQ((Patch{.rows = 5, .columns = 4096}.worthwhile(8)), 5);
  EXPECT_EQ((Patch{.rows = 500, .columns = 4096}.worthwhile(8)), 8);
}
