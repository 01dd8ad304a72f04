#include "heads_plan.hpp"

#include <algorithm>
#include <map>

namespace halocline::by_heads {

namespace {

using Integers = HeadsPlanner::Told;

/// Consecutive elements.
struct Run {
  std::int64_t begin, size;
};
using Runs = std::vector<Run>;

void append(Runs& runs, const Run& run) {
  if (!runs.empty() && runs.back().begin + runs.back().size == run.begin)
    runs.back().size += run.size;
  else if (run.size > 0)
    runs.push_back(run);
}

/// In the order of the message.
Runs runs_of(const Link& link) {
  Runs runs;
  for (const Block& block : link.blocks)
    for (std::size_t plane = 0; plane < block.count[0]; ++plane)
      for (std::size_t row = 0; row < block.count[1]; ++row)
        append(runs, {block.offset + static_cast<std::ptrdiff_t>(plane) * block.stride[0] +
                          static_cast<std::ptrdiff_t>(row) * block.stride[1],
                      static_cast<std::int64_t>(block.count[2])});
  return runs;
}

Block block_of(std::int64_t begin, std::int64_t size) {
  return {.offset = static_cast<std::ptrdiff_t>(begin),
          .count = {1, 1, static_cast<std::size_t>(size)}};
}

/// Elements each once, ascending.
class Union {
 public:
  explicit Union(Runs some) {
    std::ranges::sort(some, {}, &Run::begin);
    for (const Run& run : some) {
      const std::int64_t end = runs_.empty() ? run.begin : runs_.back().begin + runs_.back().size;
      if (runs_.empty() || run.begin > end) {
        before_.push_back(size_);
        runs_.push_back(run);
        size_ += run.size;
      } else if (run.begin + run.size > end) {
        runs_.back().size += run.begin + run.size - end;
        size_ += run.begin + run.size - end;
      }
    }
  }
  const Runs& runs() const noexcept { return runs_; }
  std::int64_t size() const noexcept { return size_; }
  /// Where a run of elements that are in it begins in it.
  std::int64_t place(std::int64_t element) const {
    const auto after = std::ranges::upper_bound(runs_, element, {}, &Run::begin);
    const auto at = static_cast<std::size_t>(after - runs_.begin() - 1);
    return before_[at] + element - runs_[at].begin;
  }

 private:
  Runs runs_;
  Integers before_;
  std::int64_t size_ = 0;
};

/// Reads what has been told, number by number.
class Reader {
 public:
  explicit Reader(const Integers& words) : words_(words) {}
  bool more() const noexcept { return at_ < words_.size(); }
  std::int64_t next() { return words_.at(at_++); }
  Integers next(std::int64_t count) {
    const auto from = words_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += static_cast<std::size_t>(count);
    return {from, from + count};
  }

 private:
  const Integers& words_;
  std::size_t at_ = 0;
};

/// One link for each peer that sends, in the order of ranks.
std::map<int, const Link*> by_owner(const Pattern& pattern) {
  std::map<int, const Link*> links;
  for (const Link& link : pattern.receives()) links[link.peer] = &link;
  return links;
}

}  // namespace

HeadsPlanner::HeadsPlanner(int rank, Pattern outside, int head, const std::map<int, int>& heads)
    : rank_(rank), head_(head), outside_(std::move(outside)) {
  // What this rank has for each island: every element once.
  std::map<int, std::vector<std::pair<int, Runs>>> wanted;  // by head
  for (const Link& link : outside_.sends())
    if (link.size() > 0) wanted[heads.at(link.peer)].emplace_back(link.peer, runs_of(link));
  for (const auto& [target, links] : wanted) {
    Runs all;
    for (const auto& [peer, runs] : links) all.insert(all.end(), runs.begin(), runs.end());
    const Union elements(std::move(all));
    for (const Run& run : elements.runs()) given_.push_back(block_of(run.begin, run.size));
    Integers told{rank, elements.size(), std::ssize(links)};
    for (const auto& [peer, runs] : links) {
      Runs places;
      for (const Run& run : runs) append(places, {elements.place(run.begin), run.size});
      told.insert(told.end(), {peer, std::ssize(places)});
      for (const Run& run : places) told.insert(told.end(), {run.begin, run.size});
    }
    told_.insert(told_.end(), {target, std::ssize(told)});
    told_.insert(told_.end(), told.begin(), told.end());
  }
  if (is_head()) return;
  for (const Block& block : given_) plan_.gather.send(head_, block);
  for (const auto& [owner, link] : by_owner(outside_))
    for (const Block& block : link->blocks) plan_.scatter.receive(head_, block);
}

HeadsPlanner::ByHead HeadsPlanner::pass_on(const std::vector<Integers>& of_island) {
  ByHead for_heads;
  std::map<std::pair<int, int>, std::int64_t> sizes;  // of island and owner
  for (const Integers& words : of_island)
    for (Reader reader(words); reader.more();) {
      const int target = static_cast<int>(reader.next());
      const Integers told = reader.next(reader.next());
      for_heads[target].insert(for_heads[target].end(), told.begin(), told.end());
      sizes[{target, static_cast<int>(told[0])}] = told[1];
    }
  // What leaves: island by island, and for each, rank by rank.
  std::map<int, std::vector<Block>> landing;  // of each owner
  std::map<int, std::int64_t> begins, all;    // of each island
  for (const auto& [key, size] : sizes) {
    begins.try_emplace(key.first, plan_.leaves);
    landing[key.second].push_back(block_of(plan_.leaves, size));
    all[key.first] += size;
    plan_.leaves += size;
  }
  for (const auto& [owner, blocks] : landing)
    if (owner != rank_)
      for (const Block& block : blocks) plan_.gather.receive(owner, block);
  if (const auto own = landing.find(rank_); own != landing.end()) {
    // Blocks of both sides, cut alike.
    auto from = given_.begin();
    for (const Block& to : own->second)
      for (std::size_t done = 0; done < to.size(); done += from++->size())
        plan_.gather.copy(*from, block_of(to.offset + static_cast<std::ptrdiff_t>(done),
                                          static_cast<std::int64_t>(from->size())));
  }
  for (const auto& [target, size] : all) plan_.forward.send(target, block_of(begins[target], size));
  return for_heads;
}

void HeadsPlanner::take(const ByHead& of_heads) {
  // What comes: from island by island, in the same order; and who wants which of it.
  std::map<int, std::map<int, Runs>> of_ranks;  // of each rank of this island, by owner
  for (const auto& [head, words] : of_heads) {
    const std::int64_t begin = plan_.comes;
    for (Reader reader(words); reader.more();) {
      const int owner = static_cast<int>(reader.next());
      const std::int64_t size = reader.next();
      for (std::int64_t peers = reader.next(); peers > 0; --peers) {
        Runs& runs = of_ranks[static_cast<int>(reader.next())][owner];
        for (std::int64_t count = reader.next(); count > 0; --count) {
          const std::int64_t place = reader.next();
          runs.push_back({plan_.comes + place, reader.next()});
        }
      }
      plan_.comes += size;
    }
    plan_.forward.receive(head, block_of(begin, plan_.comes - begin));
  }
  for (const auto& [rank, owners] : of_ranks)
    if (rank != rank_)
      for (const auto& [owner, runs] : owners)
        for (const Run& run : runs) plan_.scatter.send(rank, block_of(run.begin, run.size));
  for (const auto& [owner, link] : by_owner(outside_)) {
    // The order of both is that of the message.
    const Runs from = of_ranks[rank_][owner], to = runs_of(*link);
    std::int64_t skipped = 0, filled = 0;  // of the runs at hand
    for (std::size_t i = 0, j = 0; i < from.size() && j < to.size();) {
      const std::int64_t some = std::min(from[i].size - skipped, to[j].size - filled);
      plan_.scatter.copy(block_of(from[i].begin + skipped, some),
                         block_of(to[j].begin + filled, some));
      if ((skipped += some) == from[i].size) skipped = 0, ++i;
      if ((filled += some) == to[j].size) filled = 0, ++j;
    }
  }
}

}  // namespace halocline::by_heads
