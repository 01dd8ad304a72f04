#pragma once
// What the examples share: words of their command lines, turns of one exchange after the other, and
// the table.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace turns {

/// Calls `set` with each option of the command line and its value. Throws std::invalid_argument at
/// one that is not among these, or has no value.
void each_option(int argc, char** argv, std::initializer_list<std::string_view> options,
                 const std::function<void(std::string_view option, std::string_view value)>& set);
/// The value of an option that takes a number; throws std::invalid_argument if it is none.
int number(std::string_view option, std::string_view value);
/// What stands between commas.
std::vector<std::string> parts(std::string_view list);

/// What the command line of `compare` says: `[--size N] [--steps N] [--rounds N] [--exchange
/// NAME,...]`.
struct Options {
  int size;        ///< of a rank's part, in an example's own unit
  int steps;       ///< that are timed
  int rounds = 5;  ///< in each, every exchange takes its turn
  /// `plain`, or a scheme of Halocline; `all`: plain and every scheme that this MPI has.
  std::vector<std::string> exchanges{"plain", "p2p:nonblocking", "shm:signal"};
};

/// Measures calls, step by step.
class Stopwatch {
 public:
  template <class Call>
  void operator()(Call&& call) {
    const double begin = MPI_Wtime();
    call();
    calls.push_back(MPI_Wtime() - begin);
  }
  void end_step() { step_ends.push_back(calls.size()); }

  std::vector<double> calls;           ///< seconds
  std::vector<std::size_t> step_ends;  ///< how many calls there had been
};

/// What a rank has computed by way of one exchange.
struct Outcome {
  double result = 0;           ///< what the physics says, the same on all ranks
  std::uint64_t checksum = 0;  ///< of the bits of all that this rank has computed
  Stopwatch exchange;
  double seconds = 0;  ///< of the whole
};

/// A number made of a number and the bits of a value. Sums of them do not depend on the order.
std::uint64_t hash(std::uint64_t number, double value) noexcept;

/// Solves by each exchange in turn, `rounds` times, and prints one line for each, with the medians
/// of the steps' times, their 95 % intervals, and how they compare with those of the first
/// exchange. Twice: of the slowest rank, whose time is also that of waiting for others to come, and
/// with each call taking as long as on the rank that waited least, which is what the exchange adds.
/// Returns main's result: 1, after one line, if something is wrong, and if two exchanges do not
/// lead to the same bits.
int compare(const char* program, const char* unit, Options defaults, int argc, char** argv,
            const std::function<Outcome(const Options&, const std::string& exchange)>& solve);

}  // namespace turns
