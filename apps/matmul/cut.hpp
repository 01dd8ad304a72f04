#pragma once
// How a product C = A B is cut for so many ranks, and what they then have to send. Arithmetic only.

#include <cstdint>
#include <vector>

namespace matmul {

/// C has m rows and n columns; k is summed over.
struct Shape {
  std::int64_t m = 1, n = 1, k = 1;

  double multiplications() const noexcept {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  bool operator==(const Shape&) const = default;
};

/// A grid of ranks: so many parts of M, of N and of K, even to one row. The rank at (i, j, l) makes
/// block (i, j) of C from part l of K; the ranks of its row own equal parts of its block of A,
/// those of its column of its block of B, and those with the same (i, j) of the sum.
struct Cut {
  int m = 1, n = 1, k = 1;

  int ranks() const noexcept { return m * n * k; }
  bool operator==(const Cut&) const = default;
};

/// Numbers that the rank with most to send sends, if every rank is sent what it needs and has not,
/// once: panels of A and B, and its part of the sum to those who own the rest.
std::int64_t words(const Shape& shape, const Cut& cut);

/// Multiplications of the rank with most of them.
double most_multiplications(const Shape& shape, const Cut& cut);

/// Numbers that some rank must send or receive, whatever the algorithm, if the multiplications are
/// spread evenly and every number is on one rank at first and at the end: H. Al Daas, G. Ballard,
/// L. Grigori, S. Kumar, K. Rouse, Tight memory-independent parallel matrix multiplication
/// communication lower bounds, 2022 (https://arxiv.org/abs/2205.13407), theorem 4.1.
double least_words(const Shape& shape, int ranks);

/// All cuts for at most so many ranks in which no part is empty; without layers K is in one part.
std::vector<Cut> cuts(const Shape& shape, int ranks, bool layers = true);

/// The cut with the least words among those that give no rank over a tenth more to multiply than
/// the most even of them: where ranks beyond a rounder number would only add words, they stay idle.
/// Among equals the most even wins, then the one with fewer layers, then the one with more parts of
/// M.
Cut best_cut(const Shape& shape, const std::vector<Cut>& among);

}  // namespace matmul
