// The product of blocks on one thread, by the build's CBLAS.

#ifdef HALOCLINE_HAVE_CBLAS

#include "product.hpp"

#include <cblas.h>

#include <algorithm>

namespace matmul {

void detail::multiply_alone(const Factors& f, double* c, std::int64_t stride) {
  if (f.m == 0 || f.n == 0) return;
  const auto size = [](std::int64_t value) { return static_cast<int>(value); };
  const double beta = f.add ? 1 : 0;
  if (f.n == 1)  // matrix times vector
    cblas_dgemv(CblasRowMajor, CblasNoTrans, size(f.m), size(f.k), 1, f.a.data, size(f.a.stride),
                f.b.data, size(f.b.stride), beta, c, size(stride));
  else
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size(f.m), size(f.n), size(f.k), 1,
                f.a.data, size(f.a.stride), f.b.data, size(f.b.stride), beta, c, size(stride));
}

#ifdef HALOCLINE_HAVE_OPENBLAS

void detail::prepare() {
  openblas_set_num_threads(1);
}

std::string product_name() {
  const std::string text = openblas_get_config();
  return text.substr(0, text.find(' ', text.find(' ') + 1)) + " (" + openblas_get_corename() + ")";
}

#else

void detail::prepare() {}

std::string product_name() {
  return "CBLAS";
}

#endif

}  // namespace matmul

#endif
