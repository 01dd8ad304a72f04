#pragma once
// A worker that computes more slowly than the others.

#include <ctime>

namespace laplace {

/// Makes what is done in a scope take `factor` times the CPU time it takes, by computing nothing.
class Slowness {
 public:
  explicit Slowness(double factor) : factor_(factor), begin_(factor > 1 ? cpu_seconds() : 0) {}
  ~Slowness() {
    if (factor_ <= 1) return;
    const double end = begin_ + factor_ * (cpu_seconds() - begin_);
    while (cpu_seconds() < end) continue;
  }
  Slowness(const Slowness&) = delete;
  Slowness& operator=(const Slowness&) = delete;

 private:
  static double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  double factor_, begin_;
};

}  // namespace laplace
