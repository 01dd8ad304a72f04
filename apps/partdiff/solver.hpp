#pragma once
// Solvers: how the ranks sweep together. The result is that of the serial algorithm, bit for bit.

#include "domain.hpp"

#include <machine/device_arrays.hpp>
#include <machine/stopwatch.hpp>

#include <halocline/exchange.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/more/section.hpp>
#include <halocline/more/style.hpp>
#include <halocline/more/waiting.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace frame {
class Checkpoints;
}

namespace partdiff {

using machine::ComputingStopwatch;
using machine::Stopwatch;

enum class Method { gauss_seidel = 1, jacobi = 2 };
enum class Termination { accuracy = 1, iterations = 2 };

struct Settings {
  halocline::Scheme scheme{"p2p:nonblocking"};
  halocline::Decomposition decomposition = halocline::Decomposition::rows;
  halocline::ReductionKind reduction = halocline::ReductionKind::allreduce;
  Termination termination = Termination::iterations;
  double accuracy = 0;
  std::int64_t iterations = 0;
  bool exact = true;   ///< end on the serial sweep (Gauss-Seidel); else all catch up with rank 0
  int halo_depth = 0;  ///< sweeps per exchange; 0: as many as are in flight together, if possible
  std::optional<machine::DeviceStep> device{};  ///< Jacobi's sweeps are made on a device
  int threads = 1;
  std::optional<halocline::Style> style{};  ///< of Jacobi with an exchange in every sweep
  bool measure = false;                     ///< keep the times of the exchanges' parts
  /// Called on rank 0 after a sweep; the residuum is the newest known, if any.
  std::function<void(std::int64_t sweep, std::optional<double> residuum)> progress{};
  frame::Checkpoints* checkpoints = nullptr;  ///< null: there are none

  bool to_accuracy() const noexcept { return termination == Termination::accuracy; }
};

/// Seconds of one rank in one solution.
struct Phases {
  double compute = 0, reduce = 0;
  halocline::ExchangeTimes exchange;
};

struct Outcome {
  std::int64_t iterations = 0;
  double residuum = 0;
  std::vector<double> steps;  ///< seconds of every sweep on this rank
  Phases phases;
};

class Solver {
 public:
  virtual ~Solver() = default;
  /// From the initial state, or the checkpoint. Collective.
  virtual Outcome solve() = 0;
  virtual const Domain& domain() const = 0;
  /// The local array that holds the solution.
  virtual const double* solution() const = 0;
  /// The schemes of this rank's exchanges, each once: what `auto` has become.
  virtual std::vector<std::string> schemes() const = 0;
  /// The style in which its threads share the work: what `auto` has become. Empty without styles.
  virtual std::string style() const { return {}; }
  /// Where the scheme is chosen in its sweeps: by what.
  virtual std::optional<halocline::Section::Findings> findings() const { return {}; }
  /// Sweeps per exchange.
  virtual int halo_depth() const = 0;
  /// Arrays of the size of the grid that a sweep works on.
  virtual int grids() const { return 1; }
  /// Why the memory is not what the scheme asked for; else empty.
  virtual std::string note() const = 0;
  /// What a device had to do with it.
  virtual std::optional<machine::DeviceUse> device() const { return {}; }
};

/// Throw the same Error on all ranks when the settings do not fit or memory is short. Collective.
std::unique_ptr<Solver> make_jacobi_solver(MPI_Comm comm, const Problem&, const Settings&);
std::unique_ptr<Solver> make_gauss_seidel_solver(MPI_Comm comm, const Problem&, const Settings&);

// What these choose from.
std::unique_ptr<Solver> make_shallow_jacobi_solver(MPI_Comm comm, const Problem&, const Settings&);
std::unique_ptr<Solver> make_device_jacobi_solver(MPI_Comm comm, const Problem&, const Settings&);
std::unique_ptr<Solver> make_deep_jacobi_solver(MPI_Comm comm, const Problem&, const Settings&);
std::unique_ptr<Solver> make_pipelined_gauss_seidel_solver(MPI_Comm comm, const Problem&,
                                                           const Settings&);
/// Rows that every rank needs for several Gauss-Seidel sweeps in flight.
std::int64_t least_rows_in_flight();

/// A barrier that lets others work where ranks share a core.
inline void assemble(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Ibarrier, comm, &request);
  halocline::wait_one("partdiff: the other ranks", request);
}

/// The time of every sweep, from lap to lap. Sweeps that are in flight together share theirs
/// evenly.
class Laps {
 public:
  void lap(int sweeps = 1) {
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    seconds_.insert(seconds_.end(), static_cast<std::size_t>(sweeps), seconds / sweeps);
    last_ = now;
  }
  std::vector<double> take() { return std::move(seconds_); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::vector<double> seconds_;
};

}  // namespace partdiff
