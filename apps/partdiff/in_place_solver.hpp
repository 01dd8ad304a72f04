#pragma once
// What the solvers share that keep one array and sweep over it in place, several sweeps between
// exchanges: the way to a number of sweeps, and the way back to a sweep that was good enough.

#include "kept_state.hpp"
#include "snapshots.hpp"
#include "solver.hpp"
#include "sweeps.hpp"

#include <optional>
#include <string>
#include <vector>

namespace partdiff {

class InPlaceSolver : public Solver {
 public:
  Outcome solve() final;
  const Domain& domain() const final { return domain_; }
  const double* solution() const final { return array_.data(); }
  int halo_depth() const final { return settings_.halo_depth; }
  std::string note() const final { return array_.memory().note(); }

 protected:
  /// Copies for returning to a sweep that up to `reach` sweeps have followed; 0 for none. Throws on
  /// all ranks where memory is short. Collective over the grid.
  InPlaceSolver(const Problem&, const Settings&, halocline::Grid, int reach);

  /// The ranks that sweep; MPI_COMM_NULL on the others.
  virtual MPI_Comm comm() const = 0;
  /// How many sweeps are done together if `most` are left.
  virtual int together(std::int64_t most) const = 0;
  /// After `done` sweeps `count` more; returns the largest changes of this rank, if wanted.
  virtual std::vector<double> sweeps(std::int64_t done, int count, bool residuum) = 0;
  /// From `before_` sweeps on. It may end early, with its state kept.
  virtual void to_accuracy(Outcome&) = 0;
  /// How many blocks of sweeps the first rank may be ahead of the last, and one.
  virtual std::int64_t apart() const { return 1; }
  virtual void reset_times() = 0;
  virtual halocline::ExchangeTimes times() const = 0;

  /// Back to the state after so many sweeps.
  void return_to(std::int64_t sweep);
  bool root() const { return halocline::mpi::rank(comm()) == 0; }

  const Settings settings_;
  const Domain domain_;
  halocline::Array<double> array_;
  std::optional<Snapshots> snapshots_;
  Workspace workspace_;
  Phases phases_;
  Laps laps_;
  const KeptState kept_;
  std::int64_t before_ = 0;  ///< sweeps that the checkpoint has behind it, from which it goes on

 private:
  void to_iterations(Outcome&);
};

}  // namespace partdiff
