#include "busy.hpp"

#include <halocline/more/global_clock.hpp>
#include <halocline/more/mpi.hpp>

#include <algorithm>

namespace halometer {

namespace {

/// Each round needs the one before.
[[gnu::noinline]] double compute(std::uint64_t rounds, double x) {
  for (std::uint64_t i = 0; i < rounds; ++i) x = x * 0.999999 + 1e-6;
  return x;
}

}  // namespace

Busy::Busy(MPI_Comm comm, double seconds) {
  constexpr std::uint64_t trial = 20'000;
  if (halocline::mpi::rank(comm) == 0) {
    double shortest = 1e30;
    volatile double sink = 1;
    for (int i = 0; i < 20; ++i) {
      const double begin = halocline::steady_seconds();
      sink = compute(trial, sink);
      shortest = std::min(shortest, halocline::steady_seconds() - begin);
    }
    rounds_ = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(seconds / shortest * static_cast<double>(trial)));
  }
  HALOCLINE_MPI(MPI_Bcast, &rounds_, 1, MPI_UINT64_T, 0, comm);
}

void Busy::run() const {
  volatile double sink = 1;
  sink = compute(rounds_, sink);
}

}  // namespace halometer
