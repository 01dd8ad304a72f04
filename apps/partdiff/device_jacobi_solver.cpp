// Jacobi on a device, with an exchange in every sweep: the values, sweeps and residuum of the
// host's, bit for bit.

#include "device_jacobi.hpp"
#include "jacobi_in_turn.hpp"

#include <machine/device_arrays.hpp>

#include <algorithm>

namespace partdiff {

using namespace halocline;

namespace {

Grid shallow_grid(MPI_Comm comm, const Problem& problem, const Settings& settings) {
  if (settings.halo_depth > 1)
    throw Error("--halo-depth " + std::to_string(settings.halo_depth) +
                ": on a device there is an exchange in every sweep; use --halo-depth 1");
  return jacobi_grid(comm, problem, settings);
}

class DeviceJacobiSolver final : public Solver {
 public:
  DeviceJacobiSolver(MPI_Comm comm, const Problem& problem, const Settings& settings)
      : settings_(settings),
        domain_(problem, shallow_grid(comm, problem, settings)),
        arrays_(comm, domain_.grid().halo(), domain_.grid().elements(), settings.scheme,
                *settings.device, settings.measure),
        sweep_(kernel<DeviceJacobi>("partdiff_jacobi")),
        change_(kernel<DeviceChange>("partdiff_change")) {
    if (domain_.idle()) return;
    const Patch patch = domain_.patch(arrays_.host(0));
    if (patch.row_source == nullptr) return;
    const auto rows = static_cast<std::size_t>(patch.rows);
    const auto columns = static_cast<std::size_t>(patch.columns);
    sources_ = Array<double>(MPI_COMM_SELF, rows + columns, MemoryKind::device);
    const auto put = [&](double* to, const double* from, std::size_t count) {
      arrays_.device().copy(to, from, count * sizeof(double), DeviceCopy::to_device,
                            arrays_.stream());
    };
    put(sources_.data(), patch.row_source, rows);
    put(sources_.data() + rows, patch.column_source, columns);
    arrays_.device().wait(arrays_.stream());
  }

  Outcome solve() override;
  const Domain& domain() const override { return domain_; }
  const double* solution() const override { return arrays_.host(newest_); }
  std::vector<std::string> schemes() const override { return {arrays_.scheme()}; }
  int halo_depth() const override { return 1; }
  int grids() const override { return 2; }
  std::string note() const override { return {}; }
  std::optional<machine::DeviceUse> device() const override { return arrays_.use(); }

 private:
  template <class Kernel>
  Kernel kernel(const char* name) const {
    return reinterpret_cast<Kernel>(arrays_.device().kernel("partdiff", name));
  }
  /// Rows [r0, r1), columns [c0, c1) of my points, from one array to the other.
  DevicePatch part(std::size_t from, std::ptrdiff_t r0, std::ptrdiff_t r1, std::ptrdiff_t c0,
                   std::ptrdiff_t c1) const;
  double sweep(std::int64_t k, bool residuum);

  Settings settings_;
  Domain domain_;
  machine::DeviceArrays arrays_;
  DeviceJacobi sweep_;
  DeviceChange change_;
  Array<double> sources_;  // of rows, then of columns
  std::size_t newest_ = 0;
  Phases phases_;
};

DevicePatch DeviceJacobiSolver::part(std::size_t from, std::ptrdiff_t r0, std::ptrdiff_t r1,
                                     std::ptrdiff_t c0, std::ptrdiff_t c1) const {
  const Patch all = domain_.patch(arrays_.host(from));
  const std::ptrdiff_t first = all.data - arrays_.host(from) + r0 * all.stride + c0;
  DevicePatch patch{.in = arrays_.there(from) + first,
                    .out = arrays_.there(1 - from) + first,
                    .stride = all.stride,
                    .rows = std::max<std::ptrdiff_t>(r1 - r0, 0),
                    .columns = std::max<std::ptrdiff_t>(c1 - c0, 0)};
  if (all.row_source != nullptr) {
    patch.row_source = sources_.data() + r0;
    patch.column_source = sources_.data() + all.rows + c0;
  }
  return patch;
}

/// Sweep k = 1, 2, ... from array (k-1) % 2 to array k % 2.
double DeviceJacobiSolver::sweep(std::int64_t k, bool residuum) {
  const auto from = static_cast<std::size_t>((k - 1) % 2);
  if (domain_.idle()) {
    if (k > 1) arrays_.exchange(from);
    return 0;
  }
  const std::ptrdiff_t rows = domain_.rows(), columns = domain_.columns();
  const auto towards = [](int peer) -> std::ptrdiff_t { return peer == MPI_PROC_NULL ? 0 : 1; };
  // The initial halos are right without an exchange.
  const bool beside = arrays_.overlaps() && k > 1;
  const std::ptrdiff_t r0 = beside ? towards(domain_.up()) : 0,
                       r1 = std::max(r0, rows - (beside ? towards(domain_.down()) : 0)),
                       c0 = beside ? towards(domain_.left()) : 0,
                       c1 = std::max(c0, columns - (beside ? towards(domain_.right()) : 0));
  if (beside)
    arrays_.start(from);
  else if (k > 1)
    arrays_.exchange(from);
  {
    const ComputingStopwatch stopwatch(phases_.compute, "sweeps");
    arrays_.before_sweep();
    sweep_(part(from, r0, r1, c0, c1), arrays_.stream());
  }
  if (beside) arrays_.finish(from);
  const ComputingStopwatch stopwatch(phases_.compute, "sweeps");
  if (beside) {
    for (const DevicePatch& border :
         {part(from, 0, r0, 0, columns), part(from, r1, rows, 0, columns),
          part(from, r0, r1, 0, c0), part(from, r0, r1, c1, columns)})
      sweep_(border, arrays_.stream());
  }
  const double largest = residuum ? change_(part(from, 0, rows, 0, columns), arrays_.stream()) : 0;
  arrays_.after_sweep();
  return largest;
}

Outcome DeviceJacobiSolver::solve() {
  const MPI_Comm comm = domain_.grid().comm();
  assemble(comm);
  for (const std::size_t array : {0, 1}) domain_.initialise(arrays_.host(array), settings_.threads);
  const KeptState kept(settings_, domain_);
  const std::int64_t before = kept.load(arrays_.host(0));
  if (before % 2 != 0) std::copy_n(arrays_.host(0), domain_.grid().elements(), arrays_.host(1));
  arrays_.upload();
  phases_ = {};
  const auto array = [this](std::int64_t k) {
    const auto which = static_cast<std::size_t>(k % 2);
    arrays_.download(which);
    return arrays_.host(which);
  };
  Outcome outcome = sweep_in_turn(comm, settings_, kept, before, phases_.reduce, array,
                                  [this](std::int64_t k, bool wanted) { return sweep(k, wanted); });
  newest_ = static_cast<std::size_t>(outcome.iterations % 2);
  arrays_.download(newest_);
  phases_.exchange = arrays_.use().times;
  outcome.phases = phases_;
  return outcome;
}

}  // namespace

std::unique_ptr<Solver> make_device_jacobi_solver(MPI_Comm comm, const Problem& problem,
                                                  const Settings& settings) {
  return std::make_unique<DeviceJacobiSolver>(comm, problem, settings);
}

}  // namespace partdiff
