#pragma once
// One solution of one system, by whatever means: what programs and tests need to know of it.

#include "async_loop.hpp"
#include "part.hpp"
#include "problem.hpp"

#include <frame/record.hpp>
#include <machine/device_arrays.hpp>

#include <halocline/more/reduction.hpp>
#include <halocline/more/section.hpp>
#include <halocline/more/style.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace frame {
class Checkpoints;
}

namespace laplace {

enum class Model { mpi, shmem, threads };
enum class Mode { sync, async, racy };

struct Config {
  Problem problem;
  std::vector<int> dims{};  ///< the ranks' grid (z, y, x); empty: as halocline::Grid chooses
  Model model = Model::mpi;
  Mode mode = Mode::sync;
  halocline::Scheme scheme{"p2p:nonblocking"};
  double tolerance = 1e-4;
  std::int64_t max_iterations = 10'000'000;
  int threads = 1;
  std::optional<halocline::Style> style{};
  int slow_worker = -1;
  double slow_factor = 1;
  double timeout = 60;
  bool measure = false;
  std::function<void(std::int64_t iteration, double residual)> progress{};  ///< on rank 0
  frame::Checkpoints* checkpoints = nullptr;  ///< sync, of ranks: null where there are none

  std::string matrix{};      ///< a Matrix Market file instead of the problem
  std::string right_side{};  ///< the file of b; empty: b = A (1, 1, ...)
  bool force = false;        ///< even if it need not converge

  std::int64_t check_every = 100;               ///< sync: iterations between looks at the residual
  std::optional<machine::DeviceStep> device{};  ///< sync: sweeps are made on a device
  int depth = 0;                                ///< sync: sweeps between exchanges; 0: chosen

  int buffers = 1;      ///< of a link
  int halo_period = 8;  ///< iterations between sends; 0: chosen by measurement
  halocline::AsyncSumKind check = halocline::AsyncSumKind::tree;
  bool confirm = true;

  bool racy() const noexcept { return mode == Mode::racy; }
  double slow(int worker) const noexcept { return worker == slow_worker ? slow_factor : 1; }
  AsyncSettings asynchronous(int worker) const;
};

/// What a worker (a rank, or a thread of one process) did.
struct Worker {
  std::int64_t iterations = 0;
  halocline::AsyncCounts counts{};
  HaloAge age{};
};

struct Report {
  bool converged = false;
  double residual = 0;  ///< relative, of the solution
  double seconds = 0;
  std::vector<Worker> workers;  ///< of this process
  std::vector<ConvergencePoint> convergence;
  std::int64_t synchronous = 0;  ///< iterations that confirmed
  int phases = 1, halo_period = 1;
  frame::Phases times;
  std::optional<machine::DeviceUse> device{};
};

/// What the outcome of a process's first worker says of all; `workers` is empty.
Report report_of(AsyncOutcome&& first);

class Run {
 public:
  virtual ~Run() = default;
  /// From the initial state. Collective.
  virtual Report solve() = 0;
  /// The parts of the solution that this process holds.
  virtual std::vector<Part> parts() const = 0;
  virtual Extent extent() const = 0;
  virtual std::string scheme() const = 0;           ///< as it became
  virtual std::string style() const { return {}; }  ///< as it became; empty without one
  /// Where the scheme is chosen in steps: by what.
  virtual std::optional<halocline::Section::Findings> findings() const { return {}; }
  virtual std::vector<int> dims() const = 0;       ///< the workers' grid (z, y, x)
  virtual std::string note() const { return {}; }  ///< what the user should hear of
};

/// What the configuration asks for. Throws the same Error on all ranks when something does not fit.
/// Collective.
std::unique_ptr<Run> make_run(MPI_Comm comm, const Config&);

}  // namespace laplace
