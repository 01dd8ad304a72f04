#pragma once
// Sweeps and their checkpoints: the values of all points, after a sweep that was not the last, or
// with the residuum of the last.

#include "solver.hpp"

#include <frame/checkpoints.hpp>

#include <optional>

namespace partdiff {

class KeptState {
 public:
  KeptState(const Settings& settings, const Domain& domain)
      : settings_(settings), domain_(domain), checkpoints_(settings.checkpoints) {}

  /// Fills all that an array holds of the grid from the checkpoint, if there is one, halos
  /// included; returns how many sweeps that has behind it, or 0. Collective over the grid; throws
  /// Error on all ranks where it has too many.
  std::int64_t load(double* array) const;
  /// The outcome, where the checkpoint is of the end already.
  std::optional<Outcome> end() const;

  /// These ranks sweep from here on, and ask as often as each other. `apart`: as in
  /// Checkpoints::begin. Collective.
  void begin(MPI_Comm comm, std::int64_t sweeps, std::int64_t apart = 1) const {
    if (checkpoints_ != nullptr) checkpoints_->begin(comm, sweeps, apart);
  }
  bool due(std::int64_t sweeps) const {
    return checkpoints_ != nullptr && checkpoints_->due(sweeps);
  }
  /// False: the run ends here. Collective, as is the next.
  [[nodiscard]] bool save(std::int64_t sweeps, double* array) const;
  void finish(const Outcome& outcome, double* array) const;
  /// Whether the run has ended early.
  bool ended() const { return checkpoints_ != nullptr && !checkpoints_->ended().empty(); }

 private:
  /// The points that this rank answers for, or all that its array holds.
  frame::Share share(double* array, bool halos) const;

  const Settings& settings_;
  const Domain& domain_;
  frame::Checkpoints* checkpoints_;
};

}  // namespace partdiff
