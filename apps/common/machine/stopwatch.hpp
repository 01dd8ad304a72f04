#pragma once
// How long something takes.

#include <halocline/more/trace.hpp>

#include <chrono>
#include <optional>

namespace machine {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Adds the seconds of a scope.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  /// A trace shows it as computing of this name.
  Stopwatch(double& sum, const char* name)
      : region_(std::in_place, name, halocline::Activity::compute), sum_(sum) {}
  ~Stopwatch() { sum_ += seconds_since(begin_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::optional<halocline::trace::Region> region_{};
  double& sum_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace machine
