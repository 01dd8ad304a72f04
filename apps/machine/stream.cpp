#include "stream.hpp"

#include <algorithm>

namespace machine {

namespace {

// Not inlined: passes that repeat each other must not become one.

[[gnu::noinline]] void copy_part(double* __restrict c, const double* __restrict a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i];
}

[[gnu::noinline]] void triad_part(double* __restrict a, const double* __restrict b,
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

StreamArrays::StreamArrays(std::size_t elements, int threads)
    : elements_(elements), threads_(threads) {
  a_ = std::make_unique_for_overwrite<double[]>(elements);
  b_ = std::make_unique_for_overwrite<double[]>(elements);
  c_ = std::make_unique_for_overwrite<double[]>(elements);
  share(elements, threads, [&](std::size_t begin, std::size_t count) {
    std::fill_n(a_.get() + begin, count, 1.0);
    std::fill_n(b_.get() + begin, count, 2.0);
    std::fill_n(c_.get() + begin, count, 0.0);
  });
}

void StreamArrays::copy() {
  share(elements_, threads_, [&](std::size_t begin, std::size_t count) {
    copy_part(c_.get() + begin, a_.get() + begin, count);
  });
}

void StreamArrays::triad() {
  share(elements_, threads_, [&](std::size_t begin, std::size_t count) {
    triad_part(a_.get() + begin, b_.get() + begin, c_.get() + begin, count);
  });
}

}  // namespace machine
