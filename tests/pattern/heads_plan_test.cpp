// What goes by way of heads comes to where it would have come directly.

#include "pattern/heads_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace halocline::by_heads {
namespace {

using Arrays = std::vector<std::vector<int>>;  // of each rank

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

template <class Visit>
void each_element(const Link& link, Visit&& visit) {
  for (const Block& block : link.blocks)
    for (std::size_t k = 0; k < block.count[0]; ++k)
      for (std::size_t j = 0; j < block.count[1]; ++j)
        for (std::size_t i = 0; i < block.count[2]; ++i)
          visit(
              at(static_cast<int>(block.offset + static_cast<std::ptrdiff_t>(k) * block.stride[0] +
                                  static_cast<std::ptrdiff_t>(j) * block.stride[1])) +
              i);
}

/// One exchange of all ranks; whether each message is as long as its receiver expects.
void carry_out(const std::vector<Pattern>& patterns, const Arrays& from, Arrays& to) {
  std::map<std::pair<int, int>, std::vector<int>> messages;
  for (int rank = 0; rank < static_cast<int>(patterns.size()); ++rank) {
    const auto read = [&](std::vector<int>& message, const Link& link) {
      each_element(link, [&](std::size_t i) { message.push_back(from[at(rank)].at(i)); });
    };
    for (const Link& link : patterns[at(rank)].sends()) read(messages[{rank, link.peer}], link);
    read(messages[{rank, rank}], patterns[at(rank)].copies_from());
  }
  for (int rank = 0; rank < static_cast<int>(patterns.size()); ++rank) {
    const auto write = [&](const std::vector<int>& message, const Link& link) {
      ASSERT_EQ(message.size(), link.size());
      auto next = message.begin();
      each_element(link, [&](std::size_t i) { to[at(rank)].at(i) = *next++; });
    };
    for (const Link& link : patterns[at(rank)].receives()) write(messages[{link.peer, rank}], link);
    write(messages[{rank, rank}], patterns[at(rank)].copies_to());
  }
}

/// `of`: the head of each rank. A rank is told those of its targets alone.
std::vector<HeadsPlan> plans_of(const std::vector<Pattern>& outside, const std::vector<int>& of) {
  std::vector<HeadsPlanner> planners;
  std::map<int, std::vector<HeadsPlanner::Told>> of_island;
  for (int rank = 0; rank < static_cast<int>(outside.size()); ++rank) {
    std::map<int, int> heads;
    for (const Link& link : outside[at(rank)].sends()) heads[link.peer] = of[at(link.peer)];
    planners.emplace_back(rank, outside[at(rank)], of[at(rank)], heads);
    of_island[of[at(rank)]].push_back(planners.back().told());
  }
  std::map<int, HeadsPlanner::ByHead> passed;
  for (const auto& [head, told] : of_island)
    for (const auto& [target, words] : planners[at(head)].pass_on(told))
      passed[target][head] = words;
  for (const auto& [head, words] : passed) planners[at(head)].take(words);
  std::vector<HeadsPlan> plans;
  for (const HeadsPlanner& one : planners) plans.push_back(one.plan());
  return plans;
}

TEST(HeadsPlan, BringsEveryElementToWhereALinkWould) {
  constexpr int elements = 24;
  std::mt19937 draw(5);
  const auto below = [&](int end) { return std::uniform_int_distribution(0, end - 1)(draw); };
  for (int round = 0; round < 200; ++round) {
    const int ranks = 2 + below(6), islands = 1 + below(3);
    std::map<int, int> heads_of_islands;
    std::vector<int> of;
    for (int rank = 0; rank < ranks; ++rank)
      of.push_back(heads_of_islands.emplace(below(islands), rank).first->second);

    std::vector<Pattern> outside(at(ranks));
    std::vector<int> filled(at(ranks), 0);
    for (int links = below(3 * ranks); links > 0; --links) {
      const int from = below(ranks), to = below(ranks);
      if (of[at(from)] == of[at(to)]) continue;
      for (int blocks = 1 + below(2); blocks > 0; --blocks) {
        const int size = 1 + below(3);
        if (filled[at(to)] + size > elements) continue;
        const std::size_t row = at(size);
        outside[at(from)].send(to, {.offset = below(elements - size), .count = {1, 1, row}});
        outside[at(to)].receive(from, {.offset = filled[at(to)], .count = {1, 1, row}});
        filled[at(to)] += size + below(2);
      }
    }

    Arrays fields(at(ranks)), direct(at(ranks), std::vector<int>(elements, -1)), by_heads = direct;
    for (int rank = 0; rank < ranks; ++rank)
      for (int i = 0; i < elements; ++i) fields[at(rank)].push_back(1000 * rank + i);
    carry_out(outside, fields, direct);

    const std::vector<HeadsPlan> plans = plans_of(outside, of);
    std::vector<Pattern> gather, forward, scatter;
    Arrays leaves, comes;
    for (const HeadsPlan& plan : plans) {
      gather.push_back(plan.gather), forward.push_back(plan.forward);
      scatter.push_back(plan.scatter);
      leaves.emplace_back(plan.leaves, -2), comes.emplace_back(plan.comes, -3);
    }
    carry_out(gather, fields, leaves);
    carry_out(forward, leaves, comes);
    carry_out(scatter, comes, by_heads);
    ASSERT_EQ(by_heads, direct) << "round " << round;

    // Between islands heads alone speak, and nothing goes there twice.
    for (int rank = 0; rank < ranks; ++rank) {
      ASSERT_TRUE(of[at(rank)] == rank || forward[at(rank)].empty());
      for (const Pattern* const part : {&gather[at(rank)], &scatter[at(rank)]})
        for (const auto* const side : {&part->sends(), &part->receives()})
          for (const Link& link : *side) ASSERT_EQ(of[at(link.peer)], of[at(rank)]);
      std::map<int, std::set<std::size_t>> wanted;  // of each island
      for (const Link& link : outside[at(rank)].sends())
        each_element(link, [&](std::size_t i) { wanted[of[at(link.peer)]].insert(i); });
      std::size_t needed = 0, given = gather[at(rank)].copies_from().size();
      for (const auto& [head, some] : wanted) needed += some.size();
      for (const Link& link : gather[at(rank)].sends()) given += link.size();
      ASSERT_EQ(given, needed);
    }
  }
}

}  // namespace
}  // namespace halocline::by_heads
