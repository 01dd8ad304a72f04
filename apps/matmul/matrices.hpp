#pragma once
// What is in the matrices, and whether their product is right.

#include "part.hpp"

#include <halocline/more/mpi.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace matmul {

/// A matrix that is spread over the ranks in tiles.
struct Spread {
  std::int64_t rows, columns;
  std::span<const Tile> tiles;  ///< this rank's
  double* data;
};

/// Number (i, j) of a generated matrix: an integer from -8 to 8, drawn by its place alone, so that
/// it does not depend on the ranks. Sums of products are exact in any order up to 2^47 of them.
double generated(std::uint64_t seed, std::int64_t i, std::int64_t j) noexcept;
void generate(const Spread& matrix, std::uint64_t seed);

/// What --check has found.
struct Verdict {
  bool right;
  std::string how;  ///< in words, with the probability that a wrong product passes
};

/// Compares C with A B: small ones with the plain product, number by number; larger ones by
/// R. Freivalds' test (Probabilistic machines can use less running time, 1977), C x = A (B x) for
/// vectors x of random integers. Where all numbers are integers, and small enough for sums to be
/// exact, both sides must be equal, else equal up to what rounding may do. Collective.
Verdict check(MPI_Comm comm, const Spread& a, const Spread& b, const Spread& c, std::uint64_t seed);

/// The same in one go for tests and small matrices: C row by row, of dense A and B.
std::vector<double> plain_product(const Shape& shape, std::span<const double> a,
                                  std::span<const double> b);

}  // namespace matmul
