#pragma once
// How long something takes.

#include <halocline/more/trace.hpp>

#include <chrono>

namespace machine {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// When something has begun that has taken so many seconds by now.
inline Clock::time_point begun_before(double seconds) {
  return Clock::now() -
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Adds the seconds of a scope.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += seconds_since(begin_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  Clock::time_point begin_ = Clock::now();
};

/// The same of a scope that a trace shows as computing of this name.
class ComputingStopwatch {
 public:
  ComputingStopwatch(double& sum, const char* name)
      : region_(name, halocline::Activity::compute), stopwatch_(sum) {}

 private:
  halocline::trace::Region region_;
  Stopwatch stopwatch_;
};

}  // namespace machine
