#include "product.hpp"

#include <halocline/grid.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>

namespace matmul {

namespace {

/// Part `index` of `parts` of the rows of C, or of its columns.
Factors part_of_rows(const Factors& all, halocline::Range rows) {
  Factors part = all;
  part.m = rows.size();
  part.a.data += rows.begin * all.a.stride;
  return part;
}
Factors part_of_columns(const Factors& all, halocline::Range columns) {
  Factors part = all;
  part.n = columns.size();
  part.b.data += columns.begin;
  return part;
}

void multiply_in_threads(const Factors& all, double* c, std::int64_t stride, int threads) {
  if (threads == 1) return detail::multiply_alone(all, c, stride);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) {
    if (all.m >= all.n) {
      const halocline::Range rows = halocline::part_of(all.m, threads, t);
      detail::multiply_alone(part_of_rows(all, rows), c + rows.begin * stride, stride);
    } else {
      const halocline::Range columns = halocline::part_of(all.n, threads, t);
      detail::multiply_alone(part_of_columns(all, columns), c + columns.begin, stride);
    }
  }
}

void prepare_once() {
  static const bool prepared = (detail::prepare(), true);
  static_cast<void>(prepared);
}

}  // namespace

void multiply(const Factors& factors, double* c, std::int64_t stride, int threads,
              const std::function<void()>& between) {
  prepare_once();
  // Long enough for a product to reach its speed, some milliseconds.
  constexpr double multiplications = 5e7;
  constexpr std::int64_t least_rows = 128;
  const double a_row = static_cast<double>(factors.n) * static_cast<double>(factors.k);
  const std::int64_t rows =
      !between
          ? factors.m
          : std::max(least_rows * threads,
                     static_cast<std::int64_t>(multiplications * threads / std::max(1.0, a_row)));
  for (std::int64_t begin = 0; begin < factors.m; begin += rows) {
    const halocline::Range now{begin, std::min(factors.m, begin + rows)};
    multiply_in_threads(part_of_rows(factors, now), c + begin * stride, stride, threads);
    if (between && now.end < factors.m) between();
  }
}

double multiply_in_tasks(const Factors& factors, double* c, std::int64_t stride, int threads,
                         const std::function<void()>& meanwhile) {
  prepare_once();
  using Clock = std::chrono::steady_clock;
  // A task of this size takes far longer than to hand it out, and is short beside the product.
  constexpr std::int64_t multiplications = 1 << 17, least_rows = 4;
  const std::int64_t rows =
      std::max(least_rows, multiplications / std::max<std::int64_t>(1, factors.n * factors.k));
  std::atomic<std::int64_t> left = (factors.m + rows - 1) / rows;
  Clock::time_point multiplied = Clock::now(), done;
  std::exception_ptr problem;
#pragma omp parallel num_threads(threads)
#pragma omp master
  {
    for (std::int64_t begin = 0; begin < factors.m; begin += rows) {
#pragma omp task
      {
        const halocline::Range now{begin, std::min(factors.m, begin + rows)};
        detail::multiply_alone(part_of_rows(factors, now), c + begin * stride, stride);
        if (--left == 0) multiplied = Clock::now();
      }
    }
    try {
      meanwhile();
    } catch (...) {
      problem = std::current_exception();
    }
    done = Clock::now();
  }
  if (problem) std::rethrow_exception(problem);
  return std::max(0.0, std::chrono::duration<double>(done - multiplied).count());
}

}  // namespace matmul
