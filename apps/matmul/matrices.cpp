#include "matrices.hpp"

#include <numerics/point_checksum.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace matmul {

using namespace halocline;

namespace {

/// Calls `act(i, j, number)` for each number of this rank.
template <class Act>
void for_each(const Spread& matrix, Act&& act) {
  for (const Tile& tile : matrix.tiles) {
    double* number = matrix.data + tile.at;
    for (std::int64_t i = tile.box.rows.begin; i < tile.box.rows.end; ++i)
      for (std::int64_t j = tile.box.columns.begin; j < tile.box.columns.end; ++j)
        act(i, j, *number++);
  }
}

/// Added up over all ranks; more than 2^31 numbers in pieces.
void add_up(MPI_Comm comm, std::vector<double>& parts) {
  constexpr std::size_t most = std::size_t{1} << 24;
  for (std::size_t begin = 0; begin < parts.size(); begin += most)
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, parts.data() + begin,
                  static_cast<int>(std::min(most, parts.size() - begin)), MPI_DOUBLE, MPI_SUM,
                  comm);
}

/// M x, or |M| x.
std::vector<double> times(MPI_Comm comm, const Spread& matrix, const std::vector<double>& x,
                          bool absolute) {
  std::vector<double> y(static_cast<std::size_t>(matrix.rows), 0.0);
  for_each(matrix, [&](std::int64_t i, std::int64_t j, double number) {
    y[static_cast<std::size_t>(i)] +=
        (absolute ? std::abs(number) : number) * x[static_cast<std::size_t>(j)];
  });
  add_up(comm, y);
  return y;
}

/// The whole matrix on every rank.
std::vector<double> whole(MPI_Comm comm, const Spread& matrix) {
  std::vector<double> all(static_cast<std::size_t>(matrix.rows * matrix.columns), 0.0);
  for_each(matrix, [&](std::int64_t i, std::int64_t j, double number) {
    all[static_cast<std::size_t>(i * matrix.columns + j)] = number;
  });
  add_up(comm, all);
  return all;
}

bool all_integers(MPI_Comm comm, const Spread& matrix) {
  bool integers = true;
  for_each(matrix,
           [&](auto, auto, double number) { integers = integers && number == std::floor(number); });
  return mpi::all_of(comm, integers);
}

std::vector<double> absolute(std::vector<double> numbers) {
  for (double& number : numbers) number = std::abs(number);
  return numbers;
}

/// Below this sums of integers are exact.
constexpr double exact = 0x1p53;
constexpr double unit = std::numeric_limits<double>::epsilon();

Verdict check_plainly(MPI_Comm comm, const Spread& a, const Spread& b, const Spread& c,
                      bool integers) {
  const Shape shape{a.rows, b.columns, a.columns};
  const std::vector<double> all_a = whole(comm, a), all_b = whole(comm, b);
  const std::vector<double> right = plain_product(shape, all_a, all_b);
  const std::vector<double> most = plain_product(shape, absolute(all_a), absolute(all_b));
  const double share = 2 * unit * static_cast<double>(shape.k);
  bool equal = true, exactly = true;
  for_each(c, [&](std::int64_t i, std::int64_t j, double number) {
    const auto at = static_cast<std::size_t>(i * shape.n + j);
    const bool whole_number = integers && most[at] < exact;
    exactly = exactly && whole_number;
    const double apart = std::abs(number - right[at]);
    equal = equal && (whole_number ? apart == 0 : apart <= share * most[at]);
  });
  return {mpi::all_of(comm, equal),
          std::string("compared with the plain product, ") +
              (mpi::all_of(comm, exactly) ? "bit by bit" : "up to rounding")};
}

Verdict check_by_vectors(MPI_Comm comm, const Spread& a, const Spread& b, const Spread& c,
                         bool integers, std::uint64_t seed) {
  // Each number of x has 2^10 values, of which at most one hides a wrong number of C.
  constexpr int vectors = 4, bits = 10;
  const double share = 2 * unit * static_cast<double>(a.columns + 2 * b.columns);
  bool equal = true, exactly = integers;
  for (int v = 0; v < vectors; ++v) {
    std::vector<double> x(static_cast<std::size_t>(b.columns));
    for (std::size_t j = 0; j < x.size(); ++j)
      x[j] = static_cast<double>(
          numerics::mix(numerics::mix(seed + 1) + j * vectors + static_cast<std::uint64_t>(v)) >>
          (64 - bits));
    const std::vector<double> left = times(comm, c, x, false);
    const std::vector<double> right = times(comm, a, times(comm, b, x, false), false);
    const std::vector<double> most = times(comm, a, times(comm, b, x, true), true);
    for (std::size_t i = 0; i < left.size(); ++i) {
      const bool whole_number = integers && most[i] < exact;
      exactly = exactly && whole_number;
      // So that what is no number is not equal.
      const double apart = std::abs(left[i] - right[i]);
      equal = equal && (whole_number ? apart == 0 : apart <= share * most[i]);
    }
  }
  return {equal, "Freivalds' test with 4 vectors, " +
                     std::string(exactly ? "bit by bit" : "up to rounding") +
                     "; a wrong product passes with a probability below 2^-40"};
}

}  // namespace

double generated(std::uint64_t seed, std::int64_t i, std::int64_t j) noexcept {
  const std::uint64_t row = numerics::mix(seed + static_cast<std::uint64_t>(i));
  return static_cast<double>(numerics::mix(row + static_cast<std::uint64_t>(j)) % 17) - 8;
}

void generate(const Spread& matrix, std::uint64_t seed) {
  const std::uint64_t mixed = numerics::mix(seed + 0x9e3779b97f4a7c15ULL);
  for_each(matrix, [&](std::int64_t i, std::int64_t j, double& number) {
    number = generated(mixed, i, j);
  });
}

std::vector<double> plain_product(const Shape& shape, std::span<const double> a,
                                  std::span<const double> b) {
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
             k = static_cast<std::size_t>(shape.k);
  std::vector<double> c(m * n, 0.0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}

Verdict check(MPI_Comm comm, const Spread& a, const Spread& b, const Spread& c,
              std::uint64_t seed) {
  constexpr double plain = 1 << 25;  // multiplications
  const bool integers = all_integers(comm, a) && all_integers(comm, b);
  const Shape shape{a.rows, b.columns, a.columns};
  return shape.multiplications() <= plain ? check_plainly(comm, a, b, c, integers)
                                          : check_by_vectors(comm, a, b, c, integers, seed);
}

}  // namespace matmul
