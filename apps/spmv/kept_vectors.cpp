#include "kept_vectors.hpp"

#include "reorder.hpp"

#include <algorithm>

namespace spmv {

using namespace halocline;

KeptVectors::KeptVectors(MPI_Comm comm, frame::Checkpoints* checkpoints, const Matrix& matrix,
                         const std::vector<std::int64_t>& place)
    : comm_(comm),
      checkpoints_(checkpoints),
      all_(matrix.all_rows),
      rows_(matrix.rows),
      even_(part_of(matrix.all_rows, mpi::size(comm), mpi::rank(comm))),
      place_(place) {}

KeptVectors::InFile KeptVectors::in_file(const Vectors& vectors) const {
  InFile file;
  file.numbers.reserve(vectors.size());
  for (const auto& [name, vector] : vectors) {
    Range mine = rows_;
    double* data = vector.data();
    if (!place_.empty()) {
      file.numbers.push_back(moved(comm_, rows_, vector, inverse(place_), even_));
      mine = even_;
      data = file.numbers.back().data();
    }
    file.shares.push_back(frame::Share::of_vector(name, all_, mine, data));
  }
  return file;
}

const frame::StateFile* KeptVectors::load(const Vectors& vectors) {
  if (checkpoints_ == nullptr) return nullptr;
  const frame::StateFile* const state = checkpoints_->restart();
  if (state != nullptr) {
    const InFile file = in_file(vectors);
    state->read(comm_, file.shares);
    for (std::size_t i = 0; i < file.numbers.size(); ++i)
      std::ranges::copy(moved(comm_, even_, file.numbers[i], place_, rows_),
                        vectors[i].second.begin());
  }
  checkpoints_->begin(comm_, state != nullptr ? state->progress<std::int64_t>("iteration") : 0);
  return state;
}

bool KeptVectors::save(int iteration, nlohmann::ordered_json progress, const Vectors& vectors) {
  return checkpoints_->save(iteration, std::move(progress), in_file(vectors).shares);
}

void KeptVectors::finish(int iteration, nlohmann::ordered_json progress, const Vectors& vectors) {
  if (checkpoints_ != nullptr && checkpoints_->wanted())
    checkpoints_->finish(iteration, std::move(progress), in_file(vectors).shares);
}

}  // namespace spmv
