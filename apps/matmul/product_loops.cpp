// The product of blocks on one thread, by loops over what fits into the caches.

#ifndef HALOCLINE_HAVE_CBLAS

#include "product.hpp"

#include <algorithm>

namespace matmul {

namespace {

/// Four rows of C at a time, so that each row of B is read for four.
template <int rows>
void multiply_rows(const Factors& f, const double* a, const double* b, double* c,
                   std::int64_t stride, std::int64_t depth, std::int64_t columns) {
  for (std::int64_t k = 0; k < depth; ++k) {
    double factor[rows];
    for (int r = 0; r < rows; ++r) factor[r] = a[r * f.a.stride + k];
    const double* const row = b + k * f.b.stride;
    for (int r = 0; r < rows; ++r) {
      double* const to = c + r * stride;
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) to[j] += factor[r] * row[j];
    }
  }
}

}  // namespace

void detail::multiply_alone(const Factors& f, double* c, std::int64_t stride) {
  if (!f.add)
    for (std::int64_t i = 0; i < f.m; ++i) std::fill_n(c + i * stride, f.n, 0.0);
  constexpr std::int64_t depth = 128, columns = 512;  // of B: half a megabyte
  for (std::int64_t k = 0; k < f.k; k += depth)
    for (std::int64_t j = 0; j < f.n; j += columns) {
      const std::int64_t ks = std::min(depth, f.k - k), js = std::min(columns, f.n - j);
      const double* const b = f.b.data + k * f.b.stride + j;
      std::int64_t i = 0;
      for (; i + 4 <= f.m; i += 4)
        multiply_rows<4>(f, f.a.data + i * f.a.stride + k, b, c + i * stride + j, stride, ks, js);
      for (; i < f.m; ++i)
        multiply_rows<1>(f, f.a.data + i * f.a.stride + k, b, c + i * stride + j, stride, ks, js);
    }
}

void detail::prepare() {}

std::string product_name() {
  return "loops of its own, since the build found no CBLAS (Debian, Ubuntu: libopenblas-dev)";
}

}  // namespace matmul

#endif
