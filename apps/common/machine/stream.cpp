#include "stream.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

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

[[gnu::noinline]] std::uint64_t read_part(const std::byte* memory, std::size_t words) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word;
    std::memcpy(&word, memory + i * sizeof word, sizeof word);
    sum += word;
  }
  return sum;
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

void read(std::span<const std::byte> memory, int threads) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  std::atomic<std::uint64_t> sum{0};  // somebody might want to know
  share(memory.size() / word, threads, [&](std::size_t begin, std::size_t count) {
    sum += read_part(memory.data() + begin * word, count);
  });
}

StreamArrays::StreamArrays(std::size_t elements, int threads)
    : elements_(elements), threads_(threads) {
  constexpr std::size_t page = 512, apart = 37 * 8;  // doubles; why: src/memory/memory.cpp
  const std::size_t stride = (elements + page - 1) / page * page + apart;
  memory_ = Untouched<double>(3 * stride);
  a_ = memory_.data();
  b_ = a_ + stride;
  c_ = b_ + stride;
  share(elements, threads, [&](std::size_t begin, std::size_t count) {
    std::fill_n(a_ + begin, count, 1.0);
    std::fill_n(b_ + begin, count, 2.0);
    std::fill_n(c_ + begin, count, 0.0);
  });
}

void StreamArrays::copy() {
  share(elements_, threads_,
        [&](std::size_t begin, std::size_t count) { copy_part(c_ + begin, a_ + begin, count); });
}

void StreamArrays::triad() {
  share(elements_, threads_, [&](std::size_t begin, std::size_t count) {
    triad_part(a_ + begin, b_ + begin, c_ + begin, count);
  });
}

}  // namespace machine
