#pragma once
// What each rank gathers, forwards and scatters where one message between two islands goes by way
// of their heads (heads=). Pure data, no MPI: ranks tell each other lists of integers, which an
// exchange sends and the simulator hands on.

#include <halocline/pattern.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace halocline::by_heads {

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
  using ByHead = std::map<int, Told>;

  /// `outside`: the links of `rank` to other islands. `head`: of the rank's own island; `heads`: of
  /// each rank's that it sends anything to, and perhaps of others.
  HeadsPlanner(int rank, Pattern outside, int head, const std::map<int, int>& heads);

  bool is_head() const { return head_ == rank_; }
  /// For the head of this rank's island.
  const Told& told() const noexcept { return told_; }
  /// On a head: what it tells other heads, when all ranks of its island, itself included, have told
  /// it this, in the order of ranks.
  ByHead pass_on(const std::vector<Told>& of_island);
  /// On a head, after that: takes what other heads have told it.
  void take(const ByHead& of_heads);
  /// Complete at once on other ranks, and on a head in the end.
  const HeadsPlan& plan() const noexcept { return plan_; }

 private:
  int rank_, head_;
  Pattern outside_;
  std::vector<Block> given_;  // what this rank has for other islands, island by island
  Told told_;
  HeadsPlan plan_;
};

}  // namespace halocline::by_heads
