// Jacobi with an exchange in every sweep: two grids in turn. Each sweep reads one and writes the
// other; when and by whom the one read is exchanged is for a style to say.

#include "jacobi_in_turn.hpp"
#include "jacobi_kernel.hpp"
#include "sweeps.hpp"

#include <machine/lap.hpp>
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
    for (Array<double>& array : grids_) array = Array<double>(grid, settings.scheme);
    const Patch patch = domain_.patch(grids_[0].data());
    // Unless it is told how many, no more than have work.
    if (!settings.style) settings_.threads = patch.worthwhile(settings.threads);
    const Pattern halo = grid.halo();
    for (const Link& link : halo.receives()) peers_.push_back(link.peer);
    styled_.emplace(grid.comm(), halo, std::vector<Field>{grids_[0], grids_[1]}, settings.scheme,
                    settings.style.value_or("naive"), settings_.threads, Halos::in_place);
    styled_->measure(settings.measure);
    if (machine::chooses_in_laps(settings.scheme)) {
      section_.emplace(grid.comm(), std::initializer_list<Exchange*>{});
      styled_->join(*section_);
    }
    parts_ = split_cells({1, domain_.rows(), domain_.columns()}, {{{}, towards(0), towards(1)}},
                         settings_.threads);
    std::vector<Touched> border;
    for (const Cells& cells : parts_.border)
      border.push_back(touched(cells, patch.data - grids_[0].data(), {0, patch.stride}));
    styled_->touch(border);
    largest_.resize(static_cast<std::size_t>(settings_.threads));
  }

  Outcome solve() override;
  const Domain& domain() const override { return domain_; }
  const double* solution() const override { return grids_[newest_].data(); }
  std::vector<std::string> schemes() const override {
    return {machine::scheme_of(section_, styled_->scheme())};
  }
  std::optional<Section::Findings> findings() const override { return machine::findings(section_); }
  std::string style() const override { return styled_->style().str(); }
  int halo_depth() const override { return 1; }
  int grids() const override { return 2; }
  std::string note() const override { return grids_[0].memory().note(); }

 private:
  double sweep(std::int64_t k, bool residuum);
  double first(bool residuum);
  /// The sides along an axis beyond which other ranks' points follow.
  std::array<bool, 2> towards(int axis) const {
    return {(axis == 0 ? domain_.up() : domain_.left()) != MPI_PROC_NULL,
            (axis == 0 ? domain_.down() : domain_.right()) != MPI_PROC_NULL};
  }
  Patch patch_of(int grid) const;

  Settings settings_;
  Domain domain_;
  std::array<Array<double>, 2> grids_;
  std::optional<StyledExchange> styled_;
  std::optional<Section> section_;  ///< where the scheme is chosen in sweeps
  struct alignas(64) Largest {
    double change = 0;
  };
  Split parts_;
  std::vector<int> peers_;        ///< whose cells the halos are, link by link
  std::vector<Largest> largest_;  ///< by threads
  int newest_ = 0;
  Phases phases_;
};

/// The points of a grid, with halos where the exchange says they are.
Patch ShallowJacobiSolver::patch_of(int grid) const {
  Patch patch = domain_.patch(grids_[grid].data());
  if (!styled_->direct()) return patch;
  for (std::size_t link = 0; link < peers_.size(); ++link) {
    const HaloView view = styled_->view(link, 0, static_cast<std::size_t>(grid));
    const auto* data = reinterpret_cast<const double*>(view.data);
    const Side column{data, view.stride[1] / static_cast<std::ptrdiff_t>(sizeof(double))};
    const int peer = peers_[link];
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

/// The first sweep: the initial halos are right without an exchange.
double ShallowJacobiSolver::first(bool residuum) {
  const Patch in = domain_.patch(grids_[0].data());
  if (in.empty()) return 0;
  const ComputingStopwatch stopwatch(phases_.compute, "sweeps");
  return jacobi(in, grids_[1].data() + (in.data - grids_[0].data()), residuum,
                in.worthwhile(settings_.threads));
}

/// Sweep k = 1, 2, ... from grid (k-1) % 2 to grid k % 2.
double ShallowJacobiSolver::sweep(std::int64_t k, bool residuum) {
  if (k == 1) return first(residuum);
  const machine::Lap lap(section_);
  const int from = static_cast<int>((k - 1) % 2), to = 1 - from;
  const Patch own = domain_.patch(grids_[from].data()), all = patch_of(from);
  for (Largest& of_thread : largest_) of_thread = {};
  const auto sweep = [&](const Patch& in, const Range& rows, const Range& columns, int thread) {
    const Patch part = in.part(rows.begin, rows.end, columns.begin, columns.end);
    double& largest = largest_[static_cast<std::size_t>(thread)].change;
    largest = std::max(
        largest, jacobi(part, grids_[to].data() + (part.data - grids_[from].data()), residuum, 1));
  };
  const Cells& inner = parts_.inner;
  styled_->step({.inner = inner.empty() ? 0 : inner.axes[1].size(),
                 .border = std::ssize(parts_.border),
                 .sweep_inner =
                     [&](std::int64_t begin, std::int64_t end, int thread) {
                       const std::int64_t first = inner.axes[1].begin;
                       sweep(own, {first + begin, first + end}, inner.axes[2], thread);
                     },
                 .sweep_border =
                     [&](std::int64_t begin, std::int64_t end, int thread) {
                       for (std::int64_t i = begin; i < end; ++i) {
                         const Cells& piece = parts_.border[static_cast<std::size_t>(i)];
                         sweep(all, piece.axes[1], piece.axes[2], thread);
                       }
                     },
                 .writes = static_cast<std::size_t>(to)},
                static_cast<std::size_t>(from));
  double largest = 0;
  for (const Largest& of_thread : largest_) largest = std::max(largest, of_thread.change);
  return largest;
}

Outcome ShallowJacobiSolver::solve() {
  const MPI_Comm comm = domain_.grid().comm();
  // In direct access a neighbour may still be reading what the last solution left.
  assemble(comm);
  for (Array<double>& grid : grids_) domain_.initialise(grid.data(), settings_.threads);
  const KeptState kept(settings_, domain_);
  const auto array = [this](std::int64_t k) { return grids_[k % 2 == 0 ? 0 : 1].data(); };
  const std::int64_t before = kept.load(grids_[0].data());
  if (before % 2 != 0) std::copy_n(grids_[0].data(), domain_.grid().elements(), array(before));
  styled_->reset_times();
  phases_ = {};

  Outcome outcome = sweep_in_turn(comm, settings_, kept, before, phases_.reduce, array,
                                  [this](std::int64_t k, bool wanted) { return sweep(k, wanted); });
  styled_->finish();
  newest_ = static_cast<int>(outcome.iterations % 2);
  phases_.compute += styled_->times().sweep;
  phases_.exchange += styled_->phases();
  outcome.phases = phases_;
  return outcome;
}

}  // namespace

std::unique_ptr<Solver> make_shallow_jacobi_solver(MPI_Comm comm, const Problem& problem,
                                                   const Settings& settings) {
  return std::make_unique<ShallowJacobiSolver>(comm, problem, settings);
}

}  // namespace partdiff
