#include "device_solver.hpp"

#include <halocline/error.hpp>

#include "box_parts.hpp"
#include "kept_state.hpp"

#include <machine/stopwatch.hpp>

#include <algorithm>
#include <cmath>

namespace laplace {

using namespace halocline;
using machine::ComputingStopwatch;
using machine::Stopwatch;

namespace {

Grid grid_of(MPI_Comm comm, const Problem& problem, Settings settings) {
  if (settings.depth > 1)
    throw Error("--depth " + std::to_string(settings.depth) +
                ": on a device there is an exchange before every sweep; use --depth 1");
  settings.depth = 1;
  return Grid(comm, problem.cells(), deep_cut(mpi::size(comm), problem, settings).options);
}

/// Arrays on devices hold no number too small to be normal, which the host's sweeps read as 0. Only
/// the offset can bring one in.
Problem normal(Problem problem) {
  if (std::fpclassify(problem.offset) == FP_SUBNORMAL) problem.offset = 0;
  return problem;
}

std::int64_t points(const Box& box) {
  return box.empty() ? 0 : box.size[0] * box.size[1] * box.size[2];
}

}  // namespace

DeviceSolver::DeviceSolver(MPI_Comm comm, const Problem& problem, const Settings& settings,
                           machine::DeviceStep step)
    : settings_(settings),
      domain_(normal(problem), grid_of(comm, problem, settings)),
      arrays_(comm, domain_.halo(), domain_.elements(), settings.scheme, step, settings.measure),
      sweep_(reinterpret_cast<DeviceSweep>(arrays_.device().kernel("laplace", "laplace_sweep"))),
      residual_(
          reinterpret_cast<DeviceResidual>(arrays_.device().kernel("laplace", "laplace_residual"))),
      sum_(arrays_.device(), arrays_.stays() ? points(domain_.own(arrays_.host(0))) : 0),
      source_(over_ranks(comm, squared_source(problem, domain_.grid()))) {}

DeviceBox DeviceSolver::on_device(const Box& part) const {
  const std::ptrdiff_t first = part.data - arrays_.host(newest_);
  return {.in = arrays_.there(newest_) + first,
          .out = arrays_.there(1 - newest_) + first,
          .plane = part.plane,
          .row = part.row,
          .planes = part.size[0],
          .rows = part.size[1],
          .points = part.size[2]};
}

void DeviceSolver::sweep(const Box& part) {
  if (!part.empty()) sweep_(on_device(part), arrays_.stream());
}

numerics::ExactSum DeviceSolver::squares() const {
  const Box own = domain_.own(arrays_.host(newest_));
  if (!arrays_.stays()) return squared_residual(own, worthwhile(own, settings_.threads));
  if (own.empty()) return {};
  residual_(on_device(own), sum_.there(), arrays_.stream());
  return sum_.collect(arrays_.stream());
}

/// From the newest array, whose halo is made right meanwhile, or is.
void DeviceSolver::sweep(bool exchanging) {
  const Box own = domain_.own(arrays_.host(newest_));
  const Split parts = split(own, exchanging ? domain_.continues() : Continues{}, 1);
  if (exchanging) arrays_.start(newest_);
  {
    const ComputingStopwatch stopwatch(phases_.compute, "sweeps");
    arrays_.before_sweep();
    sweep(part(own, parts.inner));
  }
  if (exchanging) arrays_.finish(newest_);
  const ComputingStopwatch stopwatch(phases_.compute, "sweeps");
  for (const Cells& border : parts.border) sweep(part(own, border));
  arrays_.after_sweep();
  newest_ = 1 - newest_;
}

Outcome DeviceSolver::solve() {
  const MPI_Comm comm = domain_.grid().comm();
  const bool root = mpi::rank(comm) == 0;
  for (const std::size_t array : {0, 1}) domain_.initialise(arrays_.host(array), settings_.threads);
  newest_ = 0;
  KeptState kept(comm, settings_.checkpoints, domain_.extent());
  const auto parts = [&] { return domain_.parts(solution()); };
  KeptState::Past past = kept.load(parts());
  arrays_.upload();
  phases_ = {};

  Outcome outcome;
  outcome.history = std::move(past.history);
  const auto begin = machine::begun_before(past.seconds);
  const auto now = [&](std::int64_t done) {
    return KeptState::Past{done, machine::seconds_since(begin), outcome.history};
  };
  for (std::int64_t done = past.iterations;; ++done) {
    if (kept.due(done)) {
      arrays_.download(newest_);
      if (!kept.save(now(done), parts())) break;
    }
    const bool last = done >= settings_.max_iterations;
    const bool look = last || done % settings_.check_every == 0;
    const bool beside = arrays_.overlaps() && !look && done > 0;
    // The initial halos are right without an exchange.
    if (done > 0 && !beside) arrays_.exchange(newest_);
    if (look) {
      const Stopwatch stopwatch(phases_.residual);
      outcome.residual = residual(over_ranks(comm, squares()), source_);
      outcome.history.push_back({done, machine::seconds_since(begin), outcome.residual});
      if (root && settings_.progress) settings_.progress(done, outcome.residual);
      outcome.converged = outcome.residual < settings_.tolerance;
      outcome.iterations = done;
      if (last || outcome.converged || !std::isfinite(outcome.residual)) break;
    }
    sweep(beside);
  }
  arrays_.download(newest_);
  if (!outcome.history.empty()) {
    KeptState::Past end = now(outcome.iterations);
    end.history.pop_back();  // who goes on looks again
    kept.finish(end, parts());
  }
  outcome.seconds = machine::seconds_since(begin);
  phases_.exchange = arrays_.use().times;
  outcome.phases = phases_;
  return outcome;
}

}  // namespace laplace
