#include "spread.hpp"

#include <algorithm>
#include <bit>

namespace halocline::detail {

namespace {

Block block(Range range) {
  return {.offset = static_cast<std::ptrdiff_t>(range.begin),
          .count = {1, 1, static_cast<std::size_t>(range.size())}};
}

/// Heads counted from the root on.
struct FromRoot {
  int heads, root;
  int place(int head) const { return (head - root + heads) % heads; }
  int head(int place) const { return (place + root) % heads; }
};

}  // namespace

std::vector<Pattern> broadcast(int heads, int me, int root, std::int64_t elements) {
  const FromRoot tree{heads, root};
  const int place = tree.place(me);
  const Block all = block({0, elements});
  std::vector<Pattern> rounds;
  for (int have = 1; have < heads; have *= 2) {
    Pattern& round = rounds.emplace_back();
    if (place < have && place + have < heads) round.send(tree.head(place + have), all);
    if (place >= have && place < 2 * have) round.receive(tree.head(place - have), all);
  }
  return rounds;
}

std::vector<Pattern> gather_everywhere(int heads, int me, const Shares& shares, int complete) {
  const auto next = [&](int distance) { return (me + distance) % heads; };
  std::vector<Pattern> rounds;
  for (int have = 1; have < heads; have *= 2) {
    Pattern& round = rounds.emplace_back();
    const int more = std::min(have, heads - have), to = next(heads - have), from = next(have);
    for (int i = 0; i < more; ++i) {
      if (to != complete)
        for (const Range& share : shares(next(i))) round.send(to, block(share));
      if (me != complete)
        for (const Range& share : shares(next(have + i))) round.receive(from, block(share));
    }
  }
  return rounds;
}

std::vector<Pattern> scatter_and_gather(int heads, int me, int root, std::int64_t elements) {
  const FromRoot tree{heads, root};
  const int place = tree.place(me);
  const auto share = [&](int at) { return part_of(elements, heads, at); };
  const auto shares_of = [&](int begin, int end) {
    return block({share(begin).begin, share(std::min(end, heads) - 1).end});
  };
  std::vector<Pattern> rounds;
  // A head that has the shares of 2 * `half` places keeps the first half and sends the second.
  for (int half = static_cast<int>(std::bit_ceil(static_cast<unsigned>(heads))) / 2; half > 0;
       half /= 2) {
    Pattern& round = rounds.emplace_back();
    if (place % (2 * half) == 0 && place + half < heads)
      round.send(tree.head(place + half), shares_of(place + half, place + 2 * half));
    if (place % (2 * half) == half)
      round.receive(tree.head(place - half), shares_of(place, place + half));
  }
  const auto shares = [&](int head) { return std::vector{share(tree.place(head))}; };
  std::ranges::move(gather_everywhere(heads, me, shares, root), std::back_inserter(rounds));
  return rounds;
}

}  // namespace halocline::detail
