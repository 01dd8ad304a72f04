// Jacobi with an exchange in every sweep: two grids in turn. Each sweep reads one and writes the
// other; the exchange of the one read runs while the points that need no halo are computed, or, in
// a style, when and by whom that says.

#include "jacobi_in_turn.hpp"
#include "jacobi_kernel.hpp"
#include "sweeps.hpp"

#include <machine/memory.hpp>

#include <algorithm>
#include <array>

namespace partdiff {

using namespace halocline;

namespace {

class ShallowJacobiSolver final : public Solver {
 public:
  ShallowJacobiSolver(MPI_Comm comm, const Problem& problem, const Settings& settings)
      : settings_(settings), domain_(problem, jacobi_grid(comm, problem, settings)) {
    const Grid& grid = domain_.grid();
    machine::check_memory(comm, 2.0 * sizeof(double) * static_cast<double>(grid.elements()),
                          "partdiff");
    const Pattern halo = grid.halo();
    for (Array<double>& array : grids_) array = Array<double>(grid, settings.scheme);
    if (settings.style) {
      styled_.emplace(grid.comm(), halo, std::vector<Field>{grids_[0], grids_[1]}, settings.scheme,
                      *settings.style, settings.threads);
      styled_->measure(settings.measure);
      parts_ = split({1, domain_.rows(), domain_.columns()}, {{{}, towards(0), towards(1)}},
                     settings.threads);
      largest_.resize(static_cast<std::size_t>(settings.threads));
      return;
    }
    for (int g = 0; g < 2; ++g) {
      // What `auto` chose for one grid serves the other.
      exchanges_.emplace_back(grid.comm(), halo, grids_[g],
                              g == 0 ? settings.scheme : exchanges_[0].scheme());
      exchanges_.back().measure(settings.measure);
    }
  }

  Outcome solve() override;
  const Domain& domain() const override { return domain_; }
  const double* solution() const override { return grids_[newest_].data(); }
  std::vector<std::string> schemes() const override {
    return {(styled_ ? styled_->scheme() : exchanges_[0].scheme()).str()};
  }
  int halo_depth() const override { return 1; }
  int grids() const override { return 2; }
  std::string note() const override { return grids_[0].memory().note(); }

 private:
  double sweep(std::int64_t k, bool residuum);
  double compute(const Patch& in, int out, const Region& region, bool residuum);
  double step(const Patch& in, int out, bool residuum);
  /// Beyond which sides along an axis other ranks' points follow.
  std::array<bool, 2> towards(int axis) const {
    return {(axis == 0 ? domain_.up() : domain_.left()) != MPI_PROC_NULL,
            (axis == 0 ? domain_.down() : domain_.right()) != MPI_PROC_NULL};
  }
  Region inner() const;
  Patch patch_of(int grid) const;

  Settings settings_;
  Domain domain_;
  std::array<Array<double>, 2> grids_;
  std::vector<Exchange> exchanges_;
  // Of a style, in place of these.
  struct alignas(64) Largest {
    double change = 0;
  };
  std::optional<StyledExchange> styled_;
  Split parts_;
  std::vector<Largest> largest_;  ///< by threads
  int newest_ = 0;
  Phases phases_;
};

/// The points that need no halo.
Region ShallowJacobiSolver::inner() const {
  const auto towards = [](int peer) { return peer == MPI_PROC_NULL ? 0 : 1; };
  Region inner{towards(domain_.up()), domain_.rows() - towards(domain_.down()),
               towards(domain_.left()), domain_.columns() - towards(domain_.right())};
  inner.r1 = std::max(inner.r0, inner.r1);
  inner.c1 = std::max(inner.c0, inner.c1);
  return inner;
}

/// The points of a grid, with halos where the exchange says they are.
Patch ShallowJacobiSolver::patch_of(int grid) const {
  Patch patch = domain_.patch(grids_[grid].data());
  const Exchange& exchange = exchanges_[grid];
  if (!exchange.direct()) return patch;
  const auto receives = domain_.grid().halo().receives();
  for (std::size_t link = 0; link < receives.size(); ++link) {
    const View view = exchange.view(link, 0);
    const auto* data = reinterpret_cast<const double*>(view.data);
    const Side column{data, view.stride[1] / static_cast<std::ptrdiff_t>(sizeof(double))};
    const int peer = receives[link].peer;
    if (peer == domain_.up())
      patch.up = data;
    else if (peer == domain_.down())
      patch.down = data;
    else if (peer == domain_.left())
      patch.left = column;
    else
      patch.right = column;
  }
  return patch;
}

double ShallowJacobiSolver::compute(const Patch& in, int out, const Region& region, bool residuum) {
  if (region.r0 >= region.r1 || region.c0 >= region.c1) return 0;
  const Stopwatch stopwatch(phases_.compute, "sweeps");
  const Patch part = in.part(region.r0, region.r1, region.c0, region.c1);
  return jacobi(part, grids_[out].data() + (part.data - grids_[1 - out].data()), residuum,
                part.worthwhile(settings_.threads));
}

/// Exchange and sweep in a style.
double ShallowJacobiSolver::step(const Patch& in, int out, bool residuum) {
  for (Largest& of_thread : largest_) of_thread = {};
  const auto sweep = [&](const Range& rows, const Range& columns, int thread) {
    const Patch part = in.part(rows.begin, rows.end, columns.begin, columns.end);
    double& largest = largest_[static_cast<std::size_t>(thread)].change;
    largest = std::max(
        largest,
        jacobi(part, grids_[out].data() + (part.data - grids_[1 - out].data()), residuum, 1));
  };
  const Cells& inner = parts_.inner;
  styled_->step({.inner = inner.empty() ? 0 : inner.axes[1].size(),
                 .border = std::ssize(parts_.border),
                 .sweep_inner =
                     [&](std::int64_t begin, std::int64_t end, int thread) {
                       const std::int64_t first = inner.axes[1].begin;
                       sweep({first + begin, first + end}, inner.axes[2], thread);
                     },
                 .sweep_border =
                     [&](std::int64_t begin, std::int64_t end, int thread) {
                       for (std::int64_t i = begin; i < end; ++i) {
                         const Cells& piece = parts_.border[static_cast<std::size_t>(i)];
                         sweep(piece.axes[1], piece.axes[2], thread);
                       }
                     }},
                static_cast<std::size_t>(1 - out));
  double largest = 0;
  for (const Largest& of_thread : largest_) largest = std::max(largest, of_thread.change);
  return largest;
}

/// Sweep k = 1, 2, ... from grid (k-1) % 2 to grid k % 2.
double ShallowJacobiSolver::sweep(std::int64_t k, bool residuum) {
  const int from = static_cast<int>((k - 1) % 2), to = 1 - from;
  if (domain_.idle()) {
    if (k > 1 && styled_)
      styled_->run(static_cast<std::size_t>(from));
    else if (k > 1)
      exchanges_[from].run();
    return 0;
  }
  const Region all{0, domain_.rows(), 0, domain_.columns()}, inner = this->inner();
  const Patch in = domain_.patch(grids_[from].data());
  // The initial halos are right without an exchange.
  if (k == 1) return compute(in, to, all, residuum);

  if (styled_) return step(in, to, residuum);
  exchanges_[from].start();
  double largest = compute(in, to, inner, residuum);
  exchanges_[from].finish();
  const Patch fresh = patch_of(from);
  for (const Region& border :
       {Region{all.r0, inner.r0, all.c0, all.c1}, Region{inner.r1, all.r1, all.c0, all.c1},
        Region{inner.r0, inner.r1, all.c0, inner.c0}, Region{inner.r0, inner.r1, inner.c1, all.c1}})
    largest = std::max(largest, compute(fresh, to, border, residuum));
  return largest;
}

Outcome ShallowJacobiSolver::solve() {
  const MPI_Comm comm = domain_.grid().comm();
  // In direct access a neighbour may still be reading what the last solution left.
  assemble(comm);
  for (Array<double>& grid : grids_) domain_.initialise(grid.data(), settings_.threads);
  for (Exchange& exchange : exchanges_) exchange.reset_times();
  if (styled_) styled_->reset_times();
  phases_ = {};

  Outcome outcome = sweep_in_turn(comm, settings_, phases_.reduce,
                                  [this](std::int64_t k, bool wanted) { return sweep(k, wanted); });
  newest_ = static_cast<int>(outcome.iterations % 2);
  for (const Exchange& exchange : exchanges_) phases_.exchange += exchange.times();
  if (styled_) {
    phases_.compute += styled_->times().sweep;
    phases_.exchange += styled_->phases();
  }
  outcome.phases = phases_;
  return outcome;
}

}  // namespace

std::unique_ptr<Solver> make_shallow_jacobi_solver(MPI_Comm comm, const Problem& problem,
                                                   const Settings& settings) {
  return std::make_unique<ShallowJacobiSolver>(comm, problem, settings);
}

}  // namespace partdiff
