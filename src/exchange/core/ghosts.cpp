#include "ghosts.hpp"

#include "consensus.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace halocline::detail {

RowsOfRank rows_of_rank(MPI_Comm comm, std::int64_t rows) {
  const std::int64_t before = mpi::sum_before(comm, rows);
  return {{before, before + rows}, mpi::reduced(comm, rows, MPI_SUM)};
}

namespace {

/// Who has each of the rows that this rank keeps account of.
class Owners {
 public:
  /// `pieces`: begin and end of the rows of each rank that has some of them. Higher ranks have
  /// higher rows.
  explicit Owners(const Lists& pieces) {
    for (const auto& [rank, rows] : pieces) ranks_.push_back(rank), ends_.push_back(rows[1]);
  }
  int of(std::int64_t row) const {
    return ranks_[static_cast<std::size_t>(std::ranges::upper_bound(ends_, row) - ends_.begin())];
  }

 private:
  std::vector<int> ranks_;
  std::vector<std::int64_t> ends_;
};

}  // namespace

Pattern ghost_pattern(MPI_Comm comm, std::int64_t rows, std::span<const std::int64_t> ghosts) {
  const auto [mine, all] = rows_of_rank(comm, rows);
  std::string complaint;
  if (!ghosts.empty() && (ghosts.front() < 0 || ghosts.back() >= all))
    complaint = "column " + std::to_string(ghosts.front() < 0 ? ghosts.front() : ghosts.back()) +
                " of a matrix of " + std::to_string(all) +
                " rows on all ranks together; columns are numbered as rows are";
  mpi::agree(comm, complaint);
  const std::int64_t ranks = mpi::size(comm);
  const std::int64_t each = std::max<std::int64_t>(1, (all + ranks - 1) / ranks);
  const auto keeper = [each](std::int64_t row) { return static_cast<int>(row / each); };

  // A channel for each round: who is ahead is not taken to be in the one before.
  const Channel pieces = Channel::on(comm), questions = pieces.another(),
                answers = pieces.another(), orders = pieces.another();
  Lists told, asked, answered, ordered;
  for (int rank = keeper(mine.begin); rows > 0 && rank <= keeper(mine.end - 1); ++rank)
    told[rank] = {mine.begin, mine.end};
  const Owners owners(sparse_exchange(pieces, told));
  for (const std::int64_t ghost : ghosts) asked[keeper(ghost)].push_back(ghost);
  for (const auto& [rank, some] : sparse_exchange(questions, asked))
    for (const std::int64_t row : some) answered[rank].push_back(owners.of(row));

  Lists places;           // of ghosts, by owner
  std::size_t ghost = 0;  // keepers ascend as ghosts do
  for (const auto& [rank, of] : sparse_exchange(answers, answered))
    for (const std::int64_t owner : of) {
      places[static_cast<int>(owner)].push_back(rows + static_cast<std::int64_t>(ghost));
      ordered[static_cast<int>(owner)].push_back(ghosts[ghost++]);
    }
  Pattern pattern;
  for (auto& [rank, some] : sparse_exchange(orders, ordered)) {
    for (std::int64_t& row : some) row -= mine.begin;
    pattern.send(rank, some);
  }
  for (const auto& [owner, some] : places) pattern.receive(owner, some);
  return pattern;
}

}  // namespace halocline::detail
