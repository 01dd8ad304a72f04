#include "stream.hpp"

#include "seconds.hpp"

#include <algorithm>
#include <memory>

namespace plain_sweeps {

namespace {

// Not inlined: passes that repeat each other must not become one.

[[gnu::noinline]] void copy(double* __restrict c, const double* __restrict a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i];
}

[[gnu::noinline]] void triad(double* __restrict a, const double* __restrict b,
                             const double* __restrict c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + 3 * c[i];
}

/// Gives each thread its part of the elements: `work(begin, count)`.
template <class Work>
void share(std::size_t elements, int threads, const Work& work) {
  if (threads == 1) return work(0, elements);
  const auto parts = static_cast<std::size_t>(threads);
  const std::size_t each = (elements + parts - 1) / parts;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = std::min(part * each, elements);
    work(begin, std::min(each, elements - begin));
  }
}

}  // namespace

Streams stream(std::size_t elements, std::int64_t passes, int threads, int repetitions) {
  const auto make = [&] { return std::make_unique_for_overwrite<double[]>(elements); };
  const auto a = make(), b = make(), c = make();
  share(elements, threads, [&](std::size_t begin, std::size_t count) {
    std::fill_n(a.get() + begin, count, 1.0);
    std::fill_n(b.get() + begin, count, 2.0);
    std::fill_n(c.get() + begin, count, 0.0);
  });
  const auto timed = [&](const auto& work) {
    return seconds_of([&] {
      for (std::int64_t pass = 0; pass < passes; ++pass) share(elements, threads, work);
    });
  };
  Streams streams;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    streams.copy.push_back(timed([&](std::size_t begin, std::size_t count) {
      copy(c.get() + begin, a.get() + begin, count);
    }));
    streams.triad.push_back(timed([&](std::size_t begin, std::size_t count) {
      triad(a.get() + begin, b.get() + begin, c.get() + begin, count);
    }));
  }
  return streams;
}

}  // namespace plain_sweeps
