#pragma once
// Loops over vectors that are shared among threads, and exact sums over all elements of all ranks.

#include <halocline/more/mpi.hpp>
#include <halocline/more/waiting.hpp>
#include <numerics/exact_sum.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace spmv {

constexpr std::ptrdiff_t block = 2048;  ///< elements: several vectors of them fit into a cache

/// So many sums over all ranks at once: what they have so far, and the reduction under way.
template <std::size_t Count>
class Sums {
 public:
  explicit Sums(MPI_Comm comm) : comm_(comm) {}
  Sums(const Sums&) = delete;
  Sums& operator=(const Sums&) = delete;

  /// Calls `work(i, end, terms)` for blocks of the elements: it may change vectors from `i` to
  /// before `end`, and leaves in `terms[s][0 ... end - i - 1]` what sum s adds up.
  template <class Work>
  void add(std::ptrdiff_t elements, int threads, const Work& work) {
    sums_ = {};
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      std::array<numerics::ExactSum, Count> mine;
      std::array<std::array<double, block>, Count> terms;
#pragma omp for schedule(static)
      for (std::ptrdiff_t i = 0; i < elements; i += block) {
        const std::ptrdiff_t end = std::min(elements, i + block);
        work(i, end, terms);
        for (std::size_t s = 0; s < Count; ++s) mine[s].add(terms[s].data(), end - i);
      }
#pragma omp critical
      for (std::size_t s = 0; s < Count; ++s) sums_[s] += mine[s];
    }
  }

  /// Adds up over all ranks; `finish` waits for it. Collective.
  void start() {
    constexpr std::size_t limbs = numerics::ExactSum::limbs;
    for (std::size_t s = 0; s < Count; ++s) {
      sums_[s].settle();
      std::ranges::copy(sums_[s].integers(), integers_.begin() + s * limbs);
    }
    HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, integers_.data(), static_cast<int>(Count * limbs),
                  MPI_INT64_T, MPI_SUM, comm_, &request_);
  }
  std::array<double, Count> finish() {
    constexpr std::size_t limbs = numerics::ExactSum::limbs;
    halocline::wait_one("spmv: a sum over all ranks", request_);
    std::array<double, Count> values{};
    for (std::size_t s = 0; s < Count; ++s) {
      std::copy_n(integers_.begin() + s * limbs, limbs, sums_[s].integers().begin());
      values[s] = sums_[s].value();
    }
    return values;
  }
  std::array<double, Count> over_ranks() {
    start();
    return finish();
  }

 private:
  MPI_Comm comm_;
  std::array<numerics::ExactSum, Count> sums_{};
  std::array<std::int64_t, Count * numerics::ExactSum::limbs> integers_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace spmv
