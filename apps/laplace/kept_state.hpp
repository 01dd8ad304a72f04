#pragma once
// Iterations in step and their checkpoints: the values of all points, and how the residual has
// fallen.

#include "part.hpp"
#include "solver.hpp"

#include <frame/checkpoints.hpp>

#include <vector>

namespace laplace {

class KeptState {
 public:
  /// `checkpoints` may be null: then nothing is loaded or kept.
  KeptState(MPI_Comm comm, frame::Checkpoints* checkpoints, const Extent& extent)
      : comm_(comm), checkpoints_(checkpoints), extent_(extent) {}

  /// What a run goes on from: the iterations that are done; 0 without a checkpoint.
  struct Past {
    std::int64_t iterations = 0;
    double seconds = 0;
    std::vector<Check> history{};
  };
  /// Fills these parts from the checkpoint, if there is one. Collective; throws Error on all ranks.
  Past load(const std::vector<Part>& parts);

  /// Whether to keep the state now; all ranks ask equally often.
  bool due(std::int64_t iterations) {
    return checkpoints_ != nullptr && checkpoints_->due(iterations);
  }
  /// False: the run ends here. What is looked at again when the run goes on is no `history`.
  /// Collective, as is the next.
  [[nodiscard]] bool save(const Past& now, const std::vector<Part>& parts) {
    return checkpoints_->save(now.iterations, progress(now), shares(parts));
  }
  void finish(const Past& now, const std::vector<Part>& parts) {
    if (checkpoints_ != nullptr && checkpoints_->wanted())
      checkpoints_->finish(now.iterations, progress(now), shares(parts));
  }
  bool wanted() const { return checkpoints_ != nullptr && checkpoints_->wanted(); }

 private:
  std::vector<frame::Share> shares(const std::vector<Part>& parts) const;
  static nlohmann::ordered_json progress(const Past& now);

  MPI_Comm comm_;
  frame::Checkpoints* checkpoints_;
  Extent extent_;
};

}  // namespace laplace
