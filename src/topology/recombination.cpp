// Parts of a graph combined into groups of given sizes, and the ranks that take them.

#include <halocline/error.hpp>
#include <halocline/more/partition.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>

namespace halocline {

namespace {

using Groups = std::vector<int>;  // of each part, the group it is in; -1: none yet

/// Words between two parts, in both directions together.
class WordsBetween {
 public:
  struct Edge {
    int other;
    std::int64_t words;
  };

  explicit WordsBetween(const Graph& parts) : edges_(static_cast<std::size_t>(parts.vertices())) {
    for (int part = 0; part < parts.vertices(); ++part) {
      const auto first = parts.begin[static_cast<std::size_t>(part)];
      for (std::size_t i = 0; i < parts.of(part).size(); ++i) {
        const int other = parts.of(part)[i];
        const std::int64_t words = parts.edge_weights.empty()
                                       ? 1
                                       : parts.edge_weights[static_cast<std::size_t>(first) + i];
        add(part, other, words);
        add(other, part, words);
      }
    }
  }
  /// Words between groups, from those between their members.
  WordsBetween(const WordsBetween& parts, const Groups& group, std::size_t groups)
      : edges_(groups) {
    for (std::size_t part = 0; part < group.size(); ++part)
      for (const Edge& edge : parts.of(static_cast<int>(part)))
        if (const int other = group[static_cast<std::size_t>(edge.other)]; other != group[part])
          add(group[part], other, edge.words);
  }
  /// Words among some parts alone, numbered as they are listed.
  WordsBetween(const WordsBetween& parts, const std::vector<int>& some) : edges_(some.size()) {
    for (std::size_t i = 0; i < some.size(); ++i)
      for (const Edge& edge : parts.of(some[i]))
        if (const auto found = std::ranges::find(some, edge.other); found != some.end())
          add(static_cast<int>(i), static_cast<int>(found - some.begin()), edge.words);
  }

  int size() const { return static_cast<int>(edges_.size()); }
  const std::vector<Edge>& of(int part) const { return edges_[static_cast<std::size_t>(part)]; }
  std::int64_t between(int part, int other) const {
    for (const Edge& edge : of(part))
      if (edge.other == other) return edge.words;
    return 0;
  }
  std::int64_t to(int part, const Groups& group, int which) const {
    std::int64_t sum = 0;
    for (const Edge& edge : of(part))
      if (group[static_cast<std::size_t>(edge.other)] == which) sum += edge.words;
    return sum;
  }
  std::int64_t crossing(const Groups& group) const {
    std::int64_t sum = 0;
    for (int part = 0; part < size(); ++part)
      for (const Edge& edge : of(part))
        if (group[static_cast<std::size_t>(edge.other)] != group[static_cast<std::size_t>(part)])
          sum += edge.words;
    return sum / 2;
  }

 private:
  void add(int part, int other, std::int64_t words) {
    auto& edges = edges_[static_cast<std::size_t>(part)];
    const auto known = std::ranges::find(edges, other, &Edge::other);
    if (known == edges.end())
      edges.push_back({other, words});
    else
      known->words += words;
  }

  std::vector<std::vector<Edge>> edges_;
};

/// Fills one group after the other: with the part that has most in common with it, and among equals
/// the one that loses least with those that are still free.
Groups grown(const WordsBetween& words, const std::vector<int>& sizes, int start) {
  Groups group(static_cast<std::size_t>(words.size()), -1);
  const auto free = [&](int part) { return group[static_cast<std::size_t>(part)] < 0; };
  for (std::size_t which = 0; which < sizes.size(); ++which) {
    std::set<int> beside;
    for (int left = sizes[which]; left > 0; --left) {
      int best = -1;
      std::int64_t most = 0, loses = 0;
      const auto consider = [&](int part) {
        const std::int64_t inside = words.to(part, group, static_cast<int>(which)),
                           outside = words.to(part, group, -1);
        if (best < 0 || inside > most || (inside == most && outside < loses))
          best = part, most = inside, loses = outside;
      };
      if (which == 0 && left == sizes[0]) {
        best = start;
      } else if (!beside.empty()) {
        std::ranges::for_each(beside, consider);
      } else {
        for (int part = 0; part < words.size(); ++part)
          if (free(part)) consider(part);
      }
      group[static_cast<std::size_t>(best)] = static_cast<int>(which);
      beside.erase(best);
      for (const WordsBetween::Edge& edge : words.of(best))
        if (free(edge.other)) beside.insert(edge.other);
    }
  }
  return group;
}

/// Swaps parts of two groups, the best pair first, also where that costs words for a while, and
/// keeps what was best. Whether anything was.
bool swapped(const WordsBetween& words, Groups& group, int a, int b, std::vector<int> ours,
             std::vector<int> theirs) {
  constexpr std::size_t looked_at = 12;  // of each group, those that would rather change
  const auto gain = [&](int part, int from, int to) {
    return words.to(part, group, to) - words.to(part, group, from);
  };
  std::vector<std::pair<int, int>> swaps;
  std::int64_t sum = 0, best = 0;
  std::size_t kept = 0;
  while (!ours.empty() && !theirs.empty() && swaps.size() < kept + 2 * looked_at) {
    const auto wish = [&](std::vector<int>& some, int from, int to) {
      const std::size_t count = std::min(looked_at, some.size());
      std::vector<std::pair<std::int64_t, int>> wishes;
      for (const int part : some) wishes.emplace_back(-gain(part, from, to), part);
      std::ranges::partial_sort(wishes, wishes.begin() + static_cast<std::ptrdiff_t>(count));
      wishes.resize(count);
      return wishes;
    };
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    std::pair<int, int> pair;
    const auto others = wish(theirs, b, a);
    for (const auto& [loss, mine] : wish(ours, a, b))
      for (const auto& [other_loss, other] : others)
        if (const std::int64_t gained = -loss - other_loss - 2 * words.between(mine, other);
            gained > most)
          most = gained, pair = {mine, other};
    group[static_cast<std::size_t>(pair.first)] = b;
    group[static_cast<std::size_t>(pair.second)] = a;
    std::erase(ours, pair.first);
    std::erase(theirs, pair.second);
    swaps.push_back(pair);
    sum += most;
    if (sum > best) best = sum, kept = swaps.size();
  }
  for (std::size_t i = swaps.size(); i-- > kept;) {
    group[static_cast<std::size_t>(swaps[i].first)] = a;
    group[static_cast<std::size_t>(swaps[i].second)] = b;
  }
  return best > 0;
}

/// All pairs of groups that have words for each other, until no swap helps.
void refine(const WordsBetween& words, Groups& group, int groups) {
  constexpr int rounds = 10;
  std::vector<bool> changed(static_cast<std::size_t>(groups), true);
  for (int round = 0; round < rounds; ++round) {
    std::set<std::pair<int, int>> pairs;
    for (int part = 0; part < words.size(); ++part)
      for (const WordsBetween::Edge& edge : words.of(part)) {
        const int a = group[static_cast<std::size_t>(part)],
                  b = group[static_cast<std::size_t>(edge.other)];
        if (a < b && (changed[static_cast<std::size_t>(a)] || changed[static_cast<std::size_t>(b)]))
          pairs.emplace(a, b);
      }
    if (pairs.empty()) return;
    std::fill(changed.begin(), changed.end(), false);
    for (const auto& [a, b] : pairs) {
      std::vector<int> ours, theirs;
      for (int part = 0; part < words.size(); ++part) {
        if (group[static_cast<std::size_t>(part)] == a) ours.push_back(part);
        if (group[static_cast<std::size_t>(part)] == b) theirs.push_back(part);
      }
      if (swapped(words, group, a, b, std::move(ours), std::move(theirs)))
        changed[static_cast<std::size_t>(a)] = changed[static_cast<std::size_t>(b)] = true;
    }
  }
}

Groups in_sequence(const std::vector<int>& sizes) {
  Groups group;
  for (std::size_t which = 0; which < sizes.size(); ++which)
    group.insert(group.end(), static_cast<std::size_t>(sizes[which]), static_cast<int>(which));
  return group;
}

Groups best_groups(const WordsBetween& words, const std::vector<int>& sizes) {
  // More where they cost little.
  const int starts = std::clamp(4000 / words.size(), 8, 64);
  Groups best = in_sequence(sizes);
  if (sizes.size() == 1 || words.size() == static_cast<int>(sizes.size())) return best;
  const int groups = static_cast<int>(sizes.size());
  refine(words, best, groups);
  std::int64_t least = words.crossing(best);
  for (int i = 0; i < std::min(starts, words.size()); ++i) {
    Groups group = grown(words, sizes, static_cast<int>(std::int64_t{i} * words.size() / starts));
    refine(words, group, groups);
    if (const std::int64_t crossing = words.crossing(group); crossing < least)
      least = crossing, best = std::move(group);
  }
  return best;
}

/// How many ranks each node and each of its sockets has, in the machine's order.
struct Rooms {
  explicit Rooms(const Machine& machine) {
    const Machine::Place* before = nullptr;
    for (const int rank : machine.in_order()) {
      const Machine::Place& here = machine.place(rank);
      if (before == nullptr || before->node != here.node)
        nodes.push_back(0), sockets.emplace_back();
      if (before == nullptr || *before != here) sockets.back().push_back(0);
      ++nodes.back(), ++sockets.back().back();
      before = &here;
    }
  }
  std::vector<int> nodes;
  std::vector<std::vector<int>> sockets;
};

std::vector<int> members(const Groups& group, int which) {
  std::vector<int> some;
  for (std::size_t part = 0; part < group.size(); ++part)
    if (group[part] == which) some.push_back(static_cast<int>(part));
  return some;
}

/// The parts in the order of the machine's ranks: sockets of exactly so many cores, then nodes of
/// exactly so many sockets.
std::vector<int> bottom_up(const WordsBetween& words, const std::vector<int>& counts) {
  const auto nodes = static_cast<std::size_t>(counts[0]),
             sockets = nodes * static_cast<std::size_t>(counts[1]);
  const Groups socket = best_groups(words, std::vector<int>(sockets, counts[2]));
  const Groups node =
      best_groups(WordsBetween(words, socket, sockets), std::vector<int>(nodes, counts[1]));
  std::vector<int> order;
  for (int n = 0; n < counts[0]; ++n)
    for (const int s : members(node, n)) {
      const std::vector<int> parts = members(socket, s);
      order.insert(order.end(), parts.begin(), parts.end());
    }
  return order;
}

/// The same where nodes are filled first.
std::vector<int> top_down(const WordsBetween& words, const Rooms& rooms) {
  const Groups node = best_groups(words, rooms.nodes);
  std::vector<int> order;
  for (std::size_t n = 0; n < rooms.nodes.size(); ++n) {
    const std::vector<int> parts = members(node, static_cast<int>(n));
    const Groups socket = best_groups(WordsBetween(words, parts), rooms.sockets[n]);
    for (std::size_t s = 0; s < rooms.sockets[n].size(); ++s)
      for (const int i : members(socket, static_cast<int>(s)))
        order.push_back(parts[static_cast<std::size_t>(i)]);
  }
  return order;
}

/// Words between nodes, then between the sockets of a node.
std::array<std::int64_t, 2> crossing(const WordsBetween& words, const Machine& machine,
                                     const std::vector<int>& order) {
  std::vector<Machine::Place> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[static_cast<std::size_t>(order[i])] = machine.place(machine.in_order()[i]);
  std::array<std::int64_t, 2> sum{};
  for (int part = 0; part < words.size(); ++part)
    for (const WordsBetween::Edge& edge : words.of(part)) {
      const auto &here = place[static_cast<std::size_t>(part)],
                 &there = place[static_cast<std::size_t>(edge.other)];
      if (here != there) sum[here.node == there.node ? 1 : 0] += edge.words;
    }
  return sum;
}

}  // namespace

std::vector<int> group_parts(const Graph& parts, const std::vector<int>& sizes) {
  const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  for (const int size : sizes)
    if (size < 1) throw Error("groups: one has " + std::to_string(size) + " parts; must be >= 1");
  if (all != parts.vertices())
    throw Error("groups: they have room for " + std::to_string(all) + " parts, but there are " +
                std::to_string(parts.vertices()));
  return best_groups(WordsBetween(parts), sizes);
}

std::vector<int> best_ranks(const Graph& parts, const Machine& machine) {
  if (parts.vertices() > machine.ranks())
    throw Error("placement: " + std::to_string(parts.vertices()) + " parts for a machine of " +
                std::to_string(machine.ranks()) + " ranks");
  // Ranks that stay idle have parts without neighbours.
  Graph all = parts;
  all.begin.resize(static_cast<std::size_t>(machine.ranks()) + 1, parts.begin.back());
  const WordsBetween words(all);
  const auto ranks = static_cast<std::size_t>(machine.ranks());
  std::vector<int> best(ranks);
  for (std::size_t i = 0; i < ranks; ++i) best[i] = machine.in_order()[i];
  auto least = crossing(words, machine, best);
  std::vector<std::vector<int>> orders{top_down(words, Rooms(machine))};
  if (!machine.counts().empty()) orders.push_back(bottom_up(words, machine.counts()));
  for (std::vector<int>& order : orders)
    if (const auto sum = crossing(words, machine, order); sum < least)
      least = sum, best = std::move(order);
  std::vector<int> rank(ranks);
  for (std::size_t i = 0; i < ranks; ++i)
    rank[static_cast<std::size_t>(best[i])] = machine.in_order()[i];
  rank.resize(static_cast<std::size_t>(parts.vertices()));
  return rank;
}

Traffic traffic_of(const Graph& parts, const Machine& machine, std::span<const int> rank) {
  if (rank.size() != static_cast<std::size_t>(parts.vertices()))
    throw Error("placement: " + std::to_string(rank.size()) + " ranks for " +
                std::to_string(parts.vertices()) + " parts");
  Traffic all;
  for (int part = 0; part < parts.vertices(); ++part) {
    const auto first = static_cast<std::size_t>(parts.begin[static_cast<std::size_t>(part)]);
    for (std::size_t i = 0; i < parts.of(part).size(); ++i) {
      const int other = parts.of(part)[i];
      const Machine::Place& here = machine.place(rank[static_cast<std::size_t>(part)]);
      const Machine::Place& there = machine.place(rank[static_cast<std::size_t>(other)]);
      const std::int64_t words = parts.edge_weights.empty() ? 1 : parts.edge_weights[first + i];
      all.add(here, there, words, part < other ? 1 : 0);
    }
  }
  return all;
}

}  // namespace halocline
