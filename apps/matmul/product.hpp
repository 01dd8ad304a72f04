#pragma once
// The product of blocks on one rank: by a CBLAS where the build has one, else by loops. No MPI.

#include <cstdint>
#include <functional>
#include <string>

namespace matmul {

/// Row after row, `stride` numbers apart.
struct Rows {
  const double* data;
  std::int64_t stride;
};

/// C += A B, or C = A B, for C of m x n numbers.
struct Factors {
  std::int64_t m, n, k;
  Rows a, b;
  bool add;
};

/// Multiplies with so many OpenMP threads, each its own rows or columns of C. Calls `between`, if
/// there is one, on the calling thread now and then meanwhile.
void multiply(const Factors& factors, double* c, std::int64_t stride, int threads,
              const std::function<void()>& between = {});

/// The same as tasks of some rows each, for the other threads while the calling one does
/// `meanwhile`, and for all of them afterwards. Returns by how many seconds `meanwhile` took longer
/// than the product; what it throws is thrown on when the product is there.
double multiply_in_tasks(const Factors& factors, double* c, std::int64_t stride, int threads,
                         const std::function<void()>& meanwhile);

/// What multiplies: "OpenBLAS 0.3.21 ...".
std::string product_name();

namespace detail {
/// The same on one thread.
void multiply_alone(const Factors& factors, double* c, std::int64_t stride);
/// To be called once before the first: a library's own threads would be in the way of ours.
void prepare();
}  // namespace detail

}  // namespace matmul
