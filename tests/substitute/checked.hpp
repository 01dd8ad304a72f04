#pragma once
// What the programs under the substitute have in common: numbers that anybody can compute, random
// pauses, and a count of what was wrong.

#include <mpi.h>

#include <time.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace checked {

inline int me = 0, ranks = 1;
inline long wrong = 0;

/// The same on all ranks.
struct Stream {
  std::uint64_t state;
  explicit Stream(std::uint64_t seed) : state(seed * 2654435761U + 88172645463325252U) {}
  std::uint64_t next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  }
  int below(int limit) { return static_cast<int>(next() % static_cast<std::uint64_t>(limit)); }
};

/// Number `i` of message `edge` from a rank to another in a step.
inline double value(int from, int to, int edge, int step, int i) {
  return from * 1e9 + to * 1e7 + edge * 1e6 + step * 1e3 + i;
}

inline void expect(double found, double right, const char* what, int step) {
  if (found == right) return;
  if (++wrong < 5)
    std::fprintf(stderr, "rank %d, step %d: %s: %.1f in place of %.1f\n", me, step, what, found,
                 right);
}

/// Sometimes, if the environment says for how long at most.
inline void pause_at_random() {
  static const char* const longest = std::getenv("TEST_PAUSES_US");
  static Stream stream(static_cast<std::uint64_t>(me) + 17);
  if (longest == nullptr || stream.below(4) != 0) return;
  const timespec time{0, stream.below(std::atoi(longest)) * 1000L};
  nanosleep(&time, nullptr);
}

/// A rank ends the job. MPICH may come back from that before the job has been killed.
[[noreturn]] inline void end_job() {
  MPI_Abort(MPI_COMM_WORLD, 3);
  const timespec second{1, 0};
  while (true) nanosleep(&second, nullptr);
}

inline void begin(int argc, char** argv, int threads = MPI_THREAD_SINGLE) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads, &provided);
  if (provided < threads) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

inline int end() {
  long all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}

}  // namespace checked
