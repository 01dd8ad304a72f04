// Kernels of tests: one ends when the host says so.

#include <halocline/more/device_each.hpp>

/// Adds 1 to `ended`, both in the host's pinned memory, once `go` is not 0.
extern "C" void test_held(const volatile int* go, volatile int* ended,
                          halocline::DeviceStream stream) {
  halocline::each_on_device(stream, 1, [=] HALOCLINE_ON_DEVICE(std::int64_t) {
    while (*go == 0) {
    }
    *ended = *ended + 1;
  });
}

extern "C" void test_doubled(const double* x, double* y, std::int64_t count,
                             halocline::DeviceStream stream) {
  halocline::each_on_device(stream, count,
                            [=] HALOCLINE_ON_DEVICE(std::int64_t i) { y[i] = 2 * x[i]; });
}
