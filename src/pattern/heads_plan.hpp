#pragma once
// What each rank gathers, forwards and scatters where one message between two islands goes by way
// of their heads (heads=). Pure data, no MPI: ranks tell each other lists of integers, which an
// exchange sends and the simulator hands on.

#include <halocline/pattern.hpp>

#include <cstdint>
#include <vector>

namespace halocline::by_heads {

/// The head of each rank's island.
class HeadsOfRanks {
 public:
  explicit HeadsOfRanks(std::vector<int> of);
  int head_of(int rank) const { return of_[static_cast<std::size_t>(rank)]; }
  const std::vector<int>& heads() const noexcept { return heads_; }  ///< ascending

 private:
  std::vector<int> of_, heads_;
};

/// The three exchanges of one rank.
struct HeadsPlan {
  Pattern gather;                      ///< from fields into what leaves the island
  Pattern forward;                     ///< from that into what has come to it
  Pattern scatter;                     ///< from that into fields
  std::int64_t leaves = 0, comes = 0;  ///< elements, on the head
};

/// Makes one rank's plan. Each rank tells its head how much it has for each island, and which of it
/// each rank there wants; the head tells the heads of those islands.
class HeadsPlanner {
 public:
  using Told = std::vector<std::int64_t>;

  /// `outside`: the links of `rank` to other islands. `heads` must outlive the planner.
  HeadsPlanner(int rank, Pattern outside, const HeadsOfRanks& heads);

  bool is_head() const { return head_ == rank_; }
  /// For the head of this rank's island.
  const Told& told() const noexcept { return told_; }
  /// On a head: what it tells each head, in the order of `HeadsOfRanks::heads()`, when all ranks of
  /// its island, itself included, have told it this, in the order of ranks.
  std::vector<Told> pass_on(const std::vector<Told>& of_island);
  /// On a head, after that: takes what each head has told it, in the same order.
  void take(const std::vector<Told>& of_heads);
  /// Complete at once on other ranks, and on a head in the end.
  const HeadsPlan& plan() const noexcept { return plan_; }

 private:
  int rank_, head_;
  const HeadsOfRanks& heads_;
  Pattern outside_;
  std::vector<Block> given_;  // what this rank has for other islands, island by island
  Told told_;
  HeadsPlan plan_;
};

}  // namespace halocline::by_heads
