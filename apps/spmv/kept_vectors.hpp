#pragma once
// A solution's vectors and their checkpoints: rows have the numbers there that they had at first,
// so that a run goes on with the rows numbered and shared out in any way.

#include "matrix.hpp"

#include <frame/checkpoints.hpp>

#include <span>
#include <utility>
#include <vector>

namespace spmv {

class KeptVectors {
 public:
  /// For a matrix whose row i was row `place[i]` at first (none: the same).
  /// `checkpoints` may be null: then nothing is loaded or kept.
  KeptVectors(MPI_Comm comm, frame::Checkpoints* checkpoints, const Matrix& matrix,
              const std::vector<std::int64_t>& place);
  KeptVectors() = default;

  using Vectors = std::vector<std::pair<const char*, std::span<double>>>;

  /// Fills these vectors from the checkpoint, and returns it; null: there is none. Collective;
  /// throws Error on all ranks.
  const frame::StateFile* load(const Vectors& vectors);
  bool due(int iteration) { return checkpoints_ != nullptr && checkpoints_->due(iteration); }
  /// False: the run ends here. Collective, as is the next.
  [[nodiscard]] bool save(int iteration, nlohmann::ordered_json progress, const Vectors& vectors);
  void finish(int iteration, nlohmann::ordered_json progress, const Vectors& vectors);

 private:
  /// Vectors as a file has them.
  struct InFile {
    std::vector<std::vector<double>> numbers{};
    std::vector<frame::Share> shares{};
  };
  InFile in_file(const Vectors& vectors) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  frame::Checkpoints* checkpoints_ = nullptr;
  std::int64_t all_ = 0;
  Range rows_{}, even_{};  ///< of this rank, by the numbers now and at first
  std::vector<std::int64_t> place_{};
};

}  // namespace spmv
