#pragma once
// What the examples share: their command line, turns of one exchange after the other, and the table.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace turns {

/// What the command line says: `[--size N] [--steps N] [--rounds N] [--exchange NAME,...]`.
struct Options {
  int size;        ///< of a rank's part, in an example's own unit
  int steps;       ///< that are timed
  int rounds = 5;  ///< in each, every exchange takes its turn
  /// `plain`, or a scheme of Halocline; `all`: plain and every scheme that this MPI has.
  std::vector<std::string> exchanges{"plain", "p2p:nonblocking", "shm:signal"};
};

/// What a rank has computed by way of one exchange.
struct Outcome {
  double result = 0;           ///< what the physics says, the same on all ranks
  std::uint64_t checksum = 0;  ///< of the bits of all that this rank has computed
  std::vector<double> exchange;  ///< seconds this rank spent exchanging, step by step
  double seconds = 0;            ///< of the whole
};

/// A number made of a number and the bits of a value. Sums of them do not depend on the order.
std::uint64_t hash(std::uint64_t number, double value) noexcept;

/// Adds up the time that calls take.
class Stopwatch {
 public:
  template <class Call>
  void operator()(Call&& call) {
    const double begin = MPI_Wtime();
    call();
    sum_ += MPI_Wtime() - begin;
  }
  /// Seconds since the last reading.
  double read() noexcept { return std::exchange(sum_, 0.0); }

 private:
  double sum_ = 0;
};

/// Solves by each exchange in turn, `rounds` times, and prints one line for each: the median of the
/// steps' times with its 95 % interval, and how that compares with the first exchange. A step takes
/// as long as it does on the slowest rank. Returns main's result: 1, after one line, if something is
/// wrong, and if two exchanges do not lead to the same bits.
int compare(const char* program, const char* unit, Options defaults, int argc, char** argv,
            const std::function<Outcome(const Options&, const std::string& exchange)>& solve);

}  // namespace turns
