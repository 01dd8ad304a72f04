// The sweep, for every device.

#include "device_jacobi.hpp"

#include "stencil.hpp"

#include <halocline/more/device_each.hpp>

extern "C" void partdiff_jacobi(const partdiff::DevicePatch& given,
                                halocline::DeviceStream stream) {
  const partdiff::DevicePatch patch = given;
  halocline::each_on_device(stream, 1, patch.rows, patch.columns, [=] HALOCLINE_ON_DEVICE(
      std::int64_t, std::int64_t r, std::int64_t c) {
    const std::int64_t at = r * patch.stride + c;
    const double* const in = patch.in + at;
    double value = partdiff::star(in[-patch.stride], in[-1], in[1], in[patch.stride]);
    if (patch.row_source != nullptr) value += patch.row_source[r] * patch.column_source[c];
    patch.out[at] = value;
  });
}

extern "C" double partdiff_change(const partdiff::DevicePatch& given,
                                  halocline::DeviceStream stream) {
  const partdiff::DevicePatch patch = given;
  return halocline::largest_on_device(
      stream, patch.rows * patch.columns, [=] HALOCLINE_ON_DEVICE(std::int64_t index) {
        const std::int64_t at = index / patch.columns * patch.stride + index % patch.columns;
        const double change = patch.in[at] - patch.out[at];
        return change < 0 ? -change : change;
      });
}
