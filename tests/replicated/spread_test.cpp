// The rounds in which heads pass an array on, played without MPI.

#include "replicated/spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace halocline;
using namespace halocline::detail;

namespace {

/// Which elements each head has; patterns of all heads are carried out round by round.
class Heads {
 public:
  Heads(int heads, std::int64_t elements)
      : has_(static_cast<std::size_t>(heads),
             std::vector<bool>(static_cast<std::size_t>(elements), false)) {}

  void give(int head, Range range) {
    std::fill(has_[static_cast<std::size_t>(head)].begin() + range.begin,
              has_[static_cast<std::size_t>(head)].begin() + range.end, true);
  }

  template <class RoundsOf>
  void play(RoundsOf&& rounds_of) {
    const int heads = static_cast<int>(has_.size());
    std::vector<std::vector<Pattern>> all;
    for (int me = 0; me < heads; ++me) all.push_back(rounds_of(me));
    rounds_ = all.front().size();
    for (std::size_t round = 0; round < rounds_; ++round) {
      const auto before = has_;
      for (int me = 0; me < heads; ++me) {
        const auto& mine = all[static_cast<std::size_t>(me)];
        ASSERT_EQ(mine.size(), rounds_);
        ASSERT_EQ(mine[round].sends().size() <= 1 && mine[round].receives().size() <= 1, true);
        for (const Link& link : mine[round].sends()) {
          const Pattern& theirs = all[static_cast<std::size_t>(link.peer)][round];
          ASSERT_EQ(theirs.receives().size(), 1u);
          EXPECT_EQ(theirs.receives()[0].peer, me);
          EXPECT_EQ(theirs.receives()[0].blocks, link.blocks);
          for (const Block& block : link.blocks)
            for (std::size_t i = 0; i < block.count[2]; ++i) {
              const std::size_t at = static_cast<std::size_t>(block.offset) + i;
              EXPECT_TRUE(before[static_cast<std::size_t>(me)][at]) << "sent before it was there";
              has_[static_cast<std::size_t>(link.peer)][at] = true;
              ++moved_[link.peer];
            }
        }
        for (const Link& link : mine[round].receives())
          EXPECT_EQ(all[static_cast<std::size_t>(link.peer)][round].sends().size(), 1u);
      }
    }
    for (int me = 0; me < heads; ++me)
      EXPECT_TRUE(
          std::ranges::all_of(has_[static_cast<std::size_t>(me)], [](bool here) { return here; }))
          << "head " << me;
  }

  std::size_t rounds() const { return rounds_; }
  std::int64_t received(int head) { return moved_[head]; }

 private:
  std::vector<std::vector<bool>> has_;
  std::map<int, std::int64_t> moved_;
  std::size_t rounds_ = 0;
};

std::size_t bits(int heads) {
  std::size_t bits = 0;
  while ((1 << bits) < heads) ++bits;
  return bits;
}

TEST(Spread, ReachesEverybodyInAsManyRoundsAsThereAreBits) {
  for (int heads = 1; heads <= 17; ++heads)
    for (int root = 0; root < heads; root += 3) {
      Heads tree(heads, 5);
      tree.give(root, {0, 5});
      tree.play([&](int me) { return broadcast(heads, me, root, 5); });
      EXPECT_EQ(tree.rounds(), bits(heads));
    }
}

TEST(Spread, LargeArraysAreReceivedOneAndAHalfTimesAtMost) {
  for (int heads = 1; heads <= 17; ++heads)
    for (int root = 0; root < heads; root += 3)
      for (std::int64_t elements : {0, 1, 7, 170}) {
        Heads all(heads, elements);
        all.give(root, {0, elements});
        all.play([&](int me) { return scatter_and_gather(heads, me, root, elements); });
        EXPECT_EQ(all.rounds(), 2 * bits(heads));
        EXPECT_EQ(all.received(root), 0);
        // What came down the tree comes again at most: of a head half-way up that is half of all.
        for (int head = 0; head < heads; ++head)
          EXPECT_LE(all.received(head), elements + elements / 2 + heads) << heads;
      }
}

TEST(Spread, ScatteredSharesMeetEverywhere) {
  for (int heads = 1; heads <= 17; ++heads) {
    // Head h owns every heads-th pair of elements: as with ranks dealt out in turns.
    const std::int64_t pairs = 40;
    const Shares shares = [&](int head) {
      std::vector<Range> mine;
      for (std::int64_t pair = head; pair < pairs; pair += heads)
        mine.push_back({2 * pair, 2 * pair + 2});
      return mine;
    };
    Heads all(heads, 2 * pairs);
    for (int head = 0; head < heads; ++head)
      for (const Range& share : shares(head)) all.give(head, share);
    all.play([&](int me) { return gather_everywhere(heads, me, shares); });
    EXPECT_EQ(all.rounds(), bits(heads));
  }
}

}  // namespace
