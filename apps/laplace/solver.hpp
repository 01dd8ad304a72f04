#pragma once
// The synchronous solver: all ranks sweep in step, and the result is that of the serial loops, bit
// for bit, whatever the ranks, their threads, the scheme and the sweeps between exchanges.

#include "domain.hpp"

#include <halocline/exchange.hpp>
#include <halocline/more/section.hpp>
#include <halocline/more/style.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace frame {
class Checkpoints;
}

namespace laplace {

struct Settings {
  halocline::Scheme scheme{"p2p:nonblocking"};
  std::vector<int> dims{};         ///< the process grid (z, y, x), if chosen by hand
  int depth = 0;                   ///< sweeps between exchanges; 0: what suits scheme and size
  std::int64_t check_every = 100;  ///< iterations between looks at the residual, 0 included
  double tolerance = 1e-4;         ///< of the relative residual, |b - A u| / |b|
  std::int64_t max_iterations = 10'000'000;
  int threads = 1;
  std::optional<halocline::Style> style{};  ///< then with an exchange before every sweep
  double slow = 1;                          ///< factor on the CPU time that this rank's sweeps take
  bool measure = false;                     ///< keep the times of the exchanges' parts
  /// Called on rank 0 after every check.
  std::function<void(std::int64_t iteration, double residual)> progress{};
  frame::Checkpoints* checkpoints = nullptr;  ///< null: there are none
};

/// Seconds of one rank in one solution.
struct Phases {
  double compute = 0, residual = 0;  ///< sweeping; the residual and its sum over the ranks
  halocline::ExchangeTimes exchange;
};

/// One look at the residual.
struct Check {
  std::int64_t iteration;
  double seconds;  ///< since the start of the solution, on this rank
  double residual;
};

struct Outcome {
  std::int64_t iterations = 0;
  double residual = 0;     ///< of the last check, which is that of the solution
  bool converged = false;  ///< else the iterations came to an end first
  std::vector<Check> history;
  double seconds = 0;
  Phases phases;
};

/// How the problem is cut for so many ranks. Arithmetic.
struct DeepCut {
  halocline::GridOptions options;  ///< with halos for `depth` sweeps
  int depth;                       ///< sweeps between exchanges
};
/// Throws Error where a chosen depth does not go with scheme or style.
DeepCut deep_cut(int ranks, const Problem&, const Settings&);

class SyncSolver {
 public:
  /// Throws the same Error on all ranks when the settings do not fit or memory is short.
  /// Collective.
  SyncSolver(MPI_Comm comm, const Problem&, const Settings&);
  ~SyncSolver();
  SyncSolver(SyncSolver&&) noexcept;

  /// From the start, or the checkpoint. Collective.
  Outcome solve();

  const Domain& domain() const;
  /// The local array that holds the solution; see Domain::offset.
  const double* solution() const;
  /// The scheme of the exchanges: what `auto` has become.
  std::string scheme() const;
  std::string style() const;  ///< what `auto` has become; empty without styles
  /// Where the scheme is chosen in its steps: by what.
  std::optional<halocline::Section::Findings> findings() const;
  int depth() const;         ///< sweeps between exchanges
  std::string note() const;  ///< why the memory is not what the scheme asked for; else empty

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace laplace
