#include "traffic.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace haloreplay {

using halocline::Block;
using halocline::Error;

namespace {

constexpr std::size_t apart = 128;  // processors fetch cache lines in pairs

/// The smallest and the largest byte of blocks, and one more.
std::pair<std::ptrdiff_t, std::ptrdiff_t> range_of(const Blocks& blocks) {
  std::ptrdiff_t begin = 0, end = 0;
  bool any = false;
  each_row(blocks, [&](std::ptrdiff_t offset, std::size_t bytes) {
    const std::ptrdiff_t past = offset + static_cast<std::ptrdiff_t>(bytes);
    begin = any ? std::min(begin, offset) : offset;
    end = any ? std::max(end, past) : past;
    any = true;
  });
  return {begin, end};
}

/// Gives the blocks a place behind what is there.
void place(Blocks& blocks, std::size_t& memory) {
  const auto [begin, end] = range_of(blocks);
  // What lies before the link's beginning keeps its distance from cache lines.
  const auto unit = static_cast<std::ptrdiff_t>(apart);
  const std::ptrdiff_t before = begin < 0 ? (-begin + unit - 1) / unit * unit : 0;
  const std::ptrdiff_t origin = static_cast<std::ptrdiff_t>(memory) + before;
  for (Block& block : blocks) block.offset += origin;
  memory = (static_cast<std::size_t>(std::max<std::ptrdiff_t>(origin + end, 0)) + apart - 1) /
           apart * apart;
}

std::size_t unit_of(const std::vector<Message>& messages) {
  std::size_t bits = 8;
  const auto add = [&](auto number) { bits |= static_cast<std::size_t>(number); };
  for (const Message& message : messages) {
    add(message.least), add(message.most);
    for (const Blocks* blocks : {&message.at_sender, &message.at_receiver})
      for (const Block& block : *blocks) {
        add(block.offset), add(block.count[2]);
        if (block.count[0] > 1) add(block.stride[0]);
        if (block.count[1] > 1) add(block.stride[1]);
      }
  }
  return bits & (~bits + 1);
}

}  // namespace

std::size_t Traffic::bytes(std::size_t message, std::size_t step) const {
  const Message& one = messages[message];
  if (!one.varies()) return one.most;
  const std::size_t choices = (one.most - one.least) / unit + 1;
  return one.least + unit * (mixed(seed + mixed(message * 0x9e3779b9 + step)) % choices);
}

bool Traffic::varies() const noexcept {
  return std::ranges::any_of(messages, [](const Message& one) { return one.varies(); });
}

bool Traffic::contiguous() const {
  return std::ranges::all_of(messages, [](const Message& one) {
    return haloreplay::contiguous(one.at_sender) && haloreplay::contiguous(one.at_receiver);
  });
}

std::vector<int> Traffic::groups() const {
  std::vector<int> lowest(memory.size());
  std::iota(lowest.begin(), lowest.end(), 0);
  const auto root = [&](int rank) {
    while (lowest[static_cast<std::size_t>(rank)] != rank) {
      int& next = lowest[static_cast<std::size_t>(rank)];
      next = lowest[static_cast<std::size_t>(next)];
      rank = next;
    }
    return rank;
  };
  for (const Message& message : messages) {
    const int one = root(message.from), other = root(message.to);
    lowest[static_cast<std::size_t>(std::max(one, other))] = std::min(one, other);
  }
  std::vector<int> group(memory.size());
  for (std::size_t rank = 0; rank < group.size(); ++rank)
    group[rank] = sent[rank].empty() && received[rank].empty() ? -1 : root(static_cast<int>(rank));
  return group;
}

std::size_t Traffic::busiest_bytes() const {
  std::size_t most = 0;
  for (const auto& of_rank : sent) {
    std::size_t bytes = 0;
    for (const std::size_t message : of_rank) bytes += messages[message].most;
    most = std::max(most, bytes);
  }
  return most;
}

Traffic traffic_of(const PlannedPattern& pattern, std::uint64_t seed, const std::string& where) {
  Traffic traffic;
  traffic.seed = seed;
  const std::size_t ranks = pattern.ranks.size();
  traffic.memory.assign(ranks, 0);
  traffic.of_link.resize(ranks), traffic.sent.resize(ranks), traffic.received.resize(ranks);

  // Tags of a communicator may be larger than MPI's largest.
  std::map<int, int> small;
  for (const PlannedRank& rank : pattern.ranks)
    for (const PlannedLink& link : rank.links) small.emplace(link.tag, 0);
  int next_tag = 0;
  for (auto& [tag, number] : small) number = next_tag++;

  // What is received, by sender, receiver and tag in its order.
  struct End {
    std::size_t rank, link;
  };
  std::map<std::tuple<int, int, int>, std::vector<End>> waiting;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto& links = pattern.ranks[rank].links;
    traffic.of_link[rank].resize(links.size());
    for (std::size_t i = 0; i < links.size(); ++i)
      if (links[i].kind == Kind::receive)
        waiting[{links[i].peer, static_cast<int>(rank), links[i].tag}].push_back({rank, i});
  }
  std::map<std::tuple<int, int, int>, std::size_t> met;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto& links = pattern.ranks[rank].links;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const PlannedLink& link = links[i];
      if (link.kind == Kind::receive) continue;
      const int me = static_cast<int>(rank);
      Message message{.from = link.kind == Kind::get ? link.peer : me,
                      .to = link.kind == Kind::get ? me : link.peer,
                      .tag = small[link.tag],
                      .least = link.least,
                      .most = link.most,
                      .at_sender = link.kind == Kind::get ? link.remote : link.blocks,
                      .at_receiver = link.kind == Kind::get ? link.blocks : link.remote,
                      .synchronous = link.synchronous};
      const std::size_t number = traffic.messages.size();
      traffic.of_link[rank][i] = number;
      if (link.kind == Kind::send) {
        const std::tuple key{me, link.peer, link.tag};
        const auto& ends = waiting[key];
        const std::size_t turn = met[key]++;
        const std::string which = where + ": message " + std::to_string(turn + 1) + " of tag " +
                                  std::to_string(link.tag) + " from rank " + std::to_string(me) +
                                  " to rank " + std::to_string(link.peer);
        if (turn >= ends.size()) throw Error(which + " is not received: both ends must be there");
        const PlannedLink& other = pattern.ranks[ends[turn].rank].links[ends[turn].link];
        if (other.least != link.least || other.most != link.most)
          throw Error(which + " has " + std::to_string(link.most) + " bytes where it is sent and " +
                      std::to_string(other.most) + " where it is received: must be the same");
        message.at_receiver = other.blocks;
        traffic.of_link[ends[turn].rank][ends[turn].link] = number;
      }
      traffic.sent[static_cast<std::size_t>(message.from)].push_back(number);
      traffic.received[static_cast<std::size_t>(message.to)].push_back(number);
      traffic.messages.push_back(std::move(message));
    }
  }
  for (const auto& [key, ends] : waiting)
    if (met[key] < ends.size())
      throw Error(where + ": rank " + std::to_string(std::get<1>(key)) + " receives " +
                  std::to_string(ends.size()) + " messages of tag " +
                  std::to_string(std::get<2>(key)) + " from rank " +
                  std::to_string(std::get<0>(key)) + ", which sends " + std::to_string(met[key]) +
                  ": must be as many");

  if (pattern.family == Family::alltoall) {
    std::set<std::pair<int, int>> pairs;
    for (const Message& message : traffic.messages)
      if (!pairs.emplace(message.from, message.to).second)
        throw Error(where + ": several messages from rank " + std::to_string(message.from) +
                    " to rank " + std::to_string(message.to) + ": must be one for way alltoall");
  }

  // In the order of a rank's own links, then what others put there or get from there.
  std::vector<std::vector<bool>> placed(2, std::vector<bool>(traffic.messages.size(), false));
  const auto place_end = [&](std::size_t rank, std::size_t number, bool sending) {
    if (placed[sending ? 0 : 1][number]) return;
    placed[sending ? 0 : 1][number] = true;
    Message& message = traffic.messages[number];
    place(sending ? message.at_sender : message.at_receiver, traffic.memory[rank]);
  };
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto& links = pattern.ranks[rank].links;
    for (std::size_t i = 0; i < links.size(); ++i)
      place_end(rank, traffic.of_link[rank][i],
                links[i].kind == Kind::send || links[i].kind == Kind::put);
    for (const std::size_t number : traffic.sent[rank]) place_end(rank, number, true);
    for (const std::size_t number : traffic.received[rank]) place_end(rank, number, false);
  }
  traffic.unit = unit_of(traffic.messages);
  return traffic;
}

}  // namespace haloreplay
