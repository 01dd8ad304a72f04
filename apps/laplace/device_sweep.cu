// The sweep, for every device.

#include "device_sweep.hpp"

#include "stencil.hpp"

#include <halocline/device_each.hpp>

namespace laplace {

namespace {

/// A number as the host's sweeps have it: what is too small to be normal counts as 0.
struct Flushed {
  double value;
};
constexpr Flushed flushed(double value) {
  constexpr double least = 2.2250738585072014e-308;
  return {value > -least && value < least ? 0 * value : value};
}
constexpr Flushed operator+(Flushed a, Flushed b) {
  return flushed(a.value + b.value);
}

}  // namespace

}  // namespace laplace

extern "C" void laplace_sweep(const laplace::DeviceBox& given, halocline::DeviceStream stream) {
  using namespace laplace;
  const DeviceBox box = given;
  halocline::each(
      stream, box.planes * box.rows * box.points, [=] HALOCLINE_ON_DEVICE(std::int64_t index) {
        const std::int64_t i = index % box.points, rest = index / box.points;
        const std::int64_t at = rest / box.rows * box.plane + rest % box.rows * box.row + i;
        const double* const in = box.in + at;
        const Flushed sum =
            sum_of_six(flushed(in[-1]), flushed(in[1]), flushed(in[-box.row]), flushed(in[box.row]),
                       flushed(in[-box.plane]), flushed(in[box.plane]));
        box.out[at] = flushed(sum.value * sixth).value;
      });
}
