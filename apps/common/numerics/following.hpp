#pragma once
// Threads that follow each other through a sweep.

#include <sched.h>

#include <atomic>
#include <cstddef>

#include <omp.h>

namespace numerics {

/// How far a thread is: the one that follows may do the steps before this one.
struct alignas(64) Progress {
  std::atomic<std::ptrdiff_t> steps{0};
};

/// CPUs of this process, counted at its start: a thread that is pinned later sees only its own.
inline const int cpus = omp_get_num_procs();

/// Waiting threads yield where they outnumber the CPUs.
inline void wait_for(const Progress& progress, std::ptrdiff_t steps, bool crowded) {
  for (unsigned polls = 0; progress.steps.load(std::memory_order_acquire) < steps; ++polls)
    if (crowded || polls > 10'000) sched_yield();
}

}  // namespace numerics
