#include "problem.hpp"

#include <cmath>
#include <cstddef>

namespace laplace {

double Problem::surface(std::int64_t k, std::int64_t j, std::int64_t i) const noexcept {
  if (k != 0) return offset;
  const double dx = 0.5 - static_cast<double>(i) / static_cast<double>(x + 1);
  const double dy = 0.5 - static_cast<double>(j) / static_cast<double>(y + 1);
  const double square = dx * dx + dy * dy;
  const bool source = !circle || square <= *circle * *circle;
  return offset + (source ? std::exp(-square) : 0);
}

std::vector<int> growing_dims(int ranks) {
  std::vector<int> dims(3, 1);
  std::size_t axis = 2;
  for (int factor = 2; ranks > 1;) {
    if (ranks % factor != 0) {
      ++factor;
      continue;
    }
    ranks /= factor;
    dims[axis] *= factor;
    axis = (axis + 2) % 3;
  }
  return dims;
}

}  // namespace laplace
