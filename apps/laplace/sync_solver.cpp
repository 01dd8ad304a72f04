// Jacobi with several sweeps between exchanges: the halos are as deep, and what of the neighbours'
// points a sweep still needs is swept here as well. (Ghost cells in time; C. Ding and Y. He, SC
// 2001.) Two arrays in turn; the exchange belongs to the one that holds the newest iteration.

#include "box_parts.hpp"
#include "kept_state.hpp"
#include "residual.hpp"
#include "slowness.hpp"
#include "solver.hpp"
#include "sweeps.hpp"

#include <machine/lap.hpp>
#include <machine/memory.hpp>
#include <machine/stopwatch.hpp>

#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <cmath>

namespace laplace {

using namespace halocline;
using machine::ComputingStopwatch;
using machine::Stopwatch;

namespace {

/// Points of the thinnest rank along the axes that are cut.
std::int64_t thinnest(const Problem& problem, const std::vector<int>& dims) {
  const std::vector<std::int64_t> cells = problem.cells();
  std::int64_t least = *std::max_element(cells.begin(), cells.end());
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis] > 1) least = std::min(least, cells[axis] / dims[axis]);
  return least;
}

int choose_depth(int ranks, const Problem& problem, const Settings& settings,
                 const std::vector<int>& dims) {
  if (settings.style && settings.depth > 1)
    throw Error("--depth " + std::to_string(settings.depth) + ": with --style " +
                settings.style->str() + " there is an exchange before every sweep; use --depth 1");
  if (settings.style) return 1;
  if (settings.scheme.reads_in_place()) {
    if (settings.depth > 1)
      throw Error("--depth " + std::to_string(settings.depth) + ": with scheme '" +
                  settings.scheme.str() +
                  "' there is an exchange before every sweep, because neighbours read the points "
                  "in place; use --depth 1, or access=slots");
    return 1;
  }
  if (settings.depth > 0 || ranks == 1) return std::max(settings.depth, 1);
  // What is swept twice should be a small part.
  constexpr std::int64_t deepest = 8, part = 6;
  return static_cast<int>(std::clamp<std::int64_t>(thinnest(problem, dims) / part, 1, deepest));
}

void assemble(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Ibarrier, comm, &request);
  wait_one("laplace: the other ranks", request);
}

}  // namespace

DeepCut deep_cut(int ranks, const Problem& problem, const Settings& settings) {
  DeepCut cut;
  GridOptions& options = cut.options;
  options.dims = !settings.dims.empty() ? settings.dims
                                        : choose_dims(ranks, problem.cells(), Decomposition::blocks,
                                                      std::vector<HaloWidth>(3, HaloWidth(1)),
                                                      std::vector<bool>(3, false));
  cut.depth = choose_depth(ranks, problem, settings, options.dims);
  // The surface takes one point beyond the sides that are not cut.
  for (const int parts : options.dims) options.halos.emplace_back(parts > 1 ? cut.depth : 1);
  options.corners = cut.depth > 1;
  return cut;
}

struct SyncSolver::State {
  State(MPI_Comm comm, const Problem& problem, const Settings& settings_, const DeepCut& cut)
      : settings(settings_),
        depth(cut.depth),
        domain(problem, Grid(comm, problem.cells(), cut.options)),
        halo(domain.halo()) {
    machine::check_memory(comm, 2.0 * sizeof(double) * static_cast<double>(domain.elements()),
                          "laplace");
    for (Array<double>& array : arrays)
      array = Array<double>(comm, domain.elements(), settings.scheme);
    if (settings.style) {
      styled.emplace(comm, halo, std::vector<Field>{arrays[0], arrays[1]}, settings.scheme,
                     *settings.style, settings.threads);
      styled->measure(settings.measure);
      const Box own = domain.own(arrays[0].data());
      parts = split(own, domain.continues(), settings.threads);
      std::vector<Touched> border;
      for (const Cells& cells : parts.border)
        border.push_back(touched(cells, own.data - arrays[0].data(), {own.plane, own.row}));
      styled->touch(border);
      workspaces.resize(static_cast<std::size_t>(settings.threads));
    }
    for (std::size_t a = 0; a < 2 && !styled; ++a) {
      // What `auto` chose for one array serves the other.
      // With one sweep an exchange, `land` takes what the neighbour still has.
      exchanges.emplace_back(
          comm, halo, arrays[a],
          a == 0 || machine::chooses_in_laps(settings.scheme) ? settings.scheme
                                                              : exchanges[0].scheme(),
          ExchangeOptions{.halos = depth == 1 ? Halos::in_place : Halos::filled});
      exchanges[a].measure(settings.measure);
    }
    if (machine::chooses_in_laps(settings.scheme)) {
      std::vector<Exchange*> all;
      for (Exchange& exchange : exchanges) all.push_back(&exchange);
      section.emplace(comm, all);
      if (styled) styled->join(*section);
    }
    source = over_ranks(comm, squared_source(problem, domain.grid()));
  }

  MPI_Comm comm() const { return domain.grid().comm(); }
  bool alone() const { return mpi::size(comm()) == 1; }
  /// Makes the newest array's halos right.
  void exchange();
  /// From the newest array, whose halos are right.
  void sweeps(int count);
  /// Makes the newest array's halos right and sweeps once, in a style.
  void step();
  double residual();

  Settings settings;
  int depth;
  Domain domain;
  Pattern halo;
  std::array<Array<double>, 2> arrays;
  std::vector<Exchange> exchanges;
  // With a style, instead of these.
  std::optional<StyledExchange> styled;
  Split parts;
  std::vector<Workspace> workspaces;  ///< of threads
  std::optional<Section> section;     ///< where the scheme is chosen in the solver's steps
  std::size_t newest = 0;
  numerics::ExactSum source;
  Workspace workspace;
  Phases phases;
};

void SyncSolver::State::step() {
  const Box from = domain.own(arrays[newest].data()), to = domain.own(arrays[1 - newest].data());
  const auto sweep_cells = [&](const Cells& cells, int thread) {
    Sweeps sweeps;
    sweeps.from = part(from, cells), sweeps.to = part(to, cells);
    sweep(sweeps, 1, workspaces[static_cast<std::size_t>(thread)]);
  };
  styled->step(
      {.inner = parts.inner.empty() ? 0 : parts.inner.axes[0].size(),
       .border = std::ssize(parts.border),
       .sweep_inner =
           [&](std::int64_t begin, std::int64_t end, int thread) {
             Cells planes = parts.inner;
             planes.axes[0] = {parts.inner.axes[0].begin + begin, parts.inner.axes[0].begin + end};
             sweep_cells(planes, thread);
           },
       .sweep_border =
           [&](std::int64_t begin, std::int64_t end, int thread) {
             for (std::int64_t i = begin; i < end; ++i)
               sweep_cells(parts.border[static_cast<std::size_t>(i)], thread);
           },
       .writes = 1 - newest},
      newest);
  newest = 1 - newest;
}

void SyncSolver::State::exchange() {
  if (styled) return styled->run(newest);
  exchanges[newest].run();
  exchanges[newest].fill_halos();  // the kernels read halos beside the points
}

void SyncSolver::State::sweeps(int count) {
  const ComputingStopwatch stopwatch(phases.compute, "sweeps");
  const Slowness slowness(settings.slow);
  Sweeps sweeps;
  sweeps.from = domain.own(arrays[newest].data());
  sweeps.to = domain.own(arrays[1 - newest].data());
  sweeps.count = count;
  sweeps.continues = domain.continues();
  sweep(sweeps, worthwhile(sweeps.from, settings.threads), workspace);
  if (count % 2 != 0) newest = 1 - newest;
}

double SyncSolver::State::residual() {
  const Stopwatch stopwatch(phases.residual);
  const Box own = domain.own(arrays[newest].data());
  return laplace::residual(
      over_ranks(comm(), squared_residual(own, worthwhile(own, settings.threads))), source);
}

SyncSolver::SyncSolver(MPI_Comm comm, const Problem& problem, const Settings& settings) {
  state_ = std::make_unique<State>(comm, problem, settings,
                                   deep_cut(mpi::size(comm), problem, settings));
}
SyncSolver::~SyncSolver() = default;
SyncSolver::SyncSolver(SyncSolver&&) noexcept = default;

Outcome SyncSolver::solve() {
  State& state = *state_;
  const Settings& settings = state.settings;
  const bool root = mpi::rank(state.comm()) == 0;
  // In direct access a neighbour may still be reading what the last solution left.
  assemble(state.comm());
  for (Array<double>& array : state.arrays) state.domain.initialise(array.data(), settings.threads);
  for (Exchange& exchange : state.exchanges) exchange.reset_times();
  if (state.styled) state.styled->reset_times();
  state.newest = 0;
  state.phases = {};

  KeptState kept(state.comm(), settings.checkpoints, state.domain.extent());
  const auto parts = [&] { return state.domain.parts(solution()); };
  KeptState::Past past = kept.load(parts());
  Outcome outcome;
  outcome.history = std::move(past.history);
  const auto begin = machine::begun_before(past.seconds);
  const auto now = [&](std::int64_t done) {
    return KeptState::Past{done, machine::seconds_since(begin), outcome.history};
  };
  // The initial halos are right without an exchange.
  bool halos_are_right = past.iterations == 0;
  for (std::int64_t done = past.iterations;;) {
    if (kept.due(done) && !kept.save(now(done), parts())) break;
    const bool last = done >= settings.max_iterations;
    const bool looks = last || done % settings.check_every == 0;
    if (state.styled && !looks) {
      const machine::Lap lap(state.section);
      state.step();
      ++done;
      halos_are_right = false;
      continue;
    }
    const auto together = [&] {
      const std::int64_t to_check = settings.check_every - done % settings.check_every;
      const std::int64_t count = std::min(to_check, settings.max_iterations - done);
      return std::min<std::int64_t>(
          state.alone() && !state.styled ? count : first_part(count, state.depth),
          kept.wanted() ? 64 : 1 << 20);
    };
    // Where it looks at the residual it takes longer.
    std::optional<machine::Lap> lap;
    if (!looks && !halos_are_right) lap.emplace(state.section, static_cast<double>(together()));
    if (!halos_are_right) state.exchange();
    halos_are_right = true;
    if (looks) {
      outcome.residual = state.residual();
      outcome.history.push_back({done, machine::seconds_since(begin), outcome.residual});
      if (root && settings.progress) settings.progress(done, outcome.residual);
      outcome.converged = outcome.residual < settings.tolerance;
      outcome.iterations = done;
      if (last || outcome.converged || !std::isfinite(outcome.residual)) {
        KeptState::Past end = now(done);
        end.history.pop_back();  // who goes on looks again
        kept.finish(end, parts());
        break;
      }
    }
    const std::int64_t count = together();
    state.sweeps(static_cast<int>(count));
    done += count;
    halos_are_right = state.alone() && !state.styled;
  }
  outcome.seconds = machine::seconds_since(begin);
  for (const Exchange& exchange : state.exchanges) state.phases.exchange += exchange.times();
  if (state.styled) {
    state.phases.compute += state.styled->times().sweep;
    state.phases.exchange += state.styled->phases();
  }
  outcome.phases = state.phases;
  return outcome;
}

const Domain& SyncSolver::domain() const {
  return state_->domain;
}
const double* SyncSolver::solution() const {
  return state_->arrays[state_->newest].data();
}
std::string SyncSolver::scheme() const {
  return machine::scheme_of(
      state_->section, state_->styled ? state_->styled->scheme() : state_->exchanges[0].scheme());
}
std::string SyncSolver::style() const {
  return state_->styled ? state_->styled->style().str() : "";
}
std::optional<Section::Findings> SyncSolver::findings() const {
  return machine::findings(state_->section);
}
int SyncSolver::depth() const {
  return state_->depth;
}
std::string SyncSolver::note() const {
  return state_->arrays[0].memory().note();
}

}  // namespace laplace
