#pragma once
// How long something takes.

#include <chrono>

namespace plain_sweeps {

template <class Work>
double seconds_of(const Work& work) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace plain_sweeps
