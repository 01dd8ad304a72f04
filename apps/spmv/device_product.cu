// Rows times x, for every device: a row's products are added one by one, as everywhere.

#include "device_rows.hpp"

#include <halocline/more/device_each.hpp>

extern "C" void spmv_multiply(const spmv::DeviceRows& given, const double* x, double* y,
                              halocline::DeviceStream stream) {
  const spmv::DeviceRows part = given;
  halocline::each_on_device(stream, part.count, [=] HALOCLINE_ON_DEVICE(std::int64_t i) {
    const std::int64_t slice = i / part.height;
    const std::int64_t end = part.ends[slice];
    double sum = 0;
    for (std::int64_t e = (slice == 0 ? 0 : part.ends[slice - 1]) + i % part.height; e < end;
         e += part.height)
      sum += part.values[e] * x[part.columns[e]];
    y[part.rows[i]] = sum;
  });
}
