#include "logarithm.hpp"

#include <cmath>

namespace halocline::base {

/// By the series of the inverse hyperbolic tangent, whose argument is at most 0.18.
double logarithm(double value) {
  constexpr double ln_2 = 0x1.62e42fefa39efp-1, half_root_of_2 = 0x1.6a09e667f3bcdp-1;
  constexpr int last = 23;  // power
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);
  if (mantissa < half_root_of_2) mantissa *= 2, --exponent;
  const double s = (mantissa - 1) / (mantissa + 1);
  double sum = 0;
  for (int k = last; k > 1; k -= 2) sum = (sum + 1.0 / k) * (s * s);
  return exponent * ln_2 + 2 * (s + s * sum);
}

}  // namespace halocline::base
