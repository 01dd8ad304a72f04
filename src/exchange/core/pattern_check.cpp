#include "pattern_check.hpp"

#include "consensus.hpp"
#include "exchange/core/trade.hpp"
#include "exchange/routes/combine.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace halocline::detail {

namespace {

/// Why this rank's links cannot be; empty if they can.
std::string impossible(MPI_Comm comm, const Pattern& pattern) {
  const int ranks = mpi::size(comm);
  const std::string me = "exchange: rank " + std::to_string(mpi::rank(comm)) + ": ";
  for (const auto* links : {&pattern.sends(), &pattern.receives()})
    for (const Link& link : *links) {
      if (link.peer >= ranks)
        return me + "a link's peer is rank " + std::to_string(link.peer) + ", but there are only " +
               std::to_string(ranks) + " ranks";
      if (link.peer == mpi::rank(comm)) return me + "a link to itself; use Pattern::copy";
    }
  return {};
}

/// Consecutive elements, and whose they are.
struct Run {
  std::ptrdiff_t begin, end;
  bool received;
  int peer;
};

Clash clash(const Run& one, const Run& other) {
  const Run& arriving = one.received ? one : other;
  const Run& rest = one.received ? other : one;
  return {std::max(one.begin, other.begin), arriving.peer, !rest.received, rest.peer};
}

/// A block of the pattern.
struct Part {
  const Block* block;
  bool received;
  int peer;
};

std::optional<Clash> find_clash_of_rows(const std::vector<Part>& parts, bool combines) {
  std::vector<Run> runs;
  for (const auto& [block, received, peer] : parts)
    for (std::size_t k = 0; k < block->count[0]; ++k)
      for (std::size_t j = 0; j < block->count[1]; ++j) {
        const std::ptrdiff_t begin = block->offset +
                                     static_cast<std::ptrdiff_t>(k) * block->stride[0] +
                                     static_cast<std::ptrdiff_t>(j) * block->stride[1];
        runs.push_back(
            {begin, begin + static_cast<std::ptrdiff_t>(block->count[2]), received, peer});
      }
  const auto before = [](const Run& a, const Run& b) { return a.begin < b.begin; };
  if (!std::is_sorted(runs.begin(), runs.end(), before))
    std::sort(runs.begin(), runs.end(), before);
  const Run *receiving = nullptr, *sending = nullptr;  // those that end last so far
  for (const Run& run : runs) {
    const bool may_meet = run.received && combines;
    if (receiving != nullptr && run.begin < receiving->end && !may_meet)
      return clash(*receiving, run);
    if (run.received && sending != nullptr && run.begin < sending->end) return clash(*sending, run);
    const Run*& farthest = run.received ? receiving : sending;
    if (farthest == nullptr || run.end > farthest->end) farthest = &run;
  }
  return std::nullopt;
}

/// The ranges of a box along planes, rows and elements, where they can be derived.
struct Box {
  std::array<std::ptrdiff_t, 3> begin, end;
};
std::optional<Box> box_of(const Block& block, std::ptrdiff_t plane, std::ptrdiff_t row) {
  const bool one_row = block.count[0] == 1 && block.count[1] == 1;
  if (row <= 0 || plane < row) return std::nullopt;
  if (!one_row && (block.stride[0] != plane || block.stride[1] != row)) return std::nullopt;
  Box box{{block.offset / plane, block.offset % plane / row, block.offset % plane % row}, {}};
  for (std::size_t axis = 0; axis < 3; ++axis)
    box.end[axis] = box.begin[axis] + static_cast<std::ptrdiff_t>(block.count[axis]);
  if (box.end[2] > row || box.end[1] * row > plane) return std::nullopt;
  return box;
}

/// Whether all parts are boxes of one array, of which none meets another that it must not meet.
bool are_boxes_apart(const std::vector<Part>& parts, bool combines) {
  std::ptrdiff_t plane = 0, row = 0;
  for (const Part& part : parts)
    if (part.block->count[0] > 1 || part.block->count[1] > 1)
      plane = part.block->stride[0], row = part.block->stride[1];
  std::vector<Box> boxes;
  for (const Part& part : parts) {
    const auto box = box_of(*part.block, plane, row);
    if (!box) return false;
    boxes.push_back(*box);
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      bool meet = combines ? parts[i].received != parts[k].received
                           : parts[i].received || parts[k].received;
      for (std::size_t axis = 0; axis < 3; ++axis)
        meet = meet && boxes[i].begin[axis] < boxes[k].end[axis] &&
               boxes[k].begin[axis] < boxes[i].end[axis];
      if (meet) return false;
    }
  return true;
}

}  // namespace

std::string Clash::text() const {
  const auto rank = [](int peer) {
    return peer < 0 ? std::string("a local copy") : "rank " + std::to_string(peer);
  };
  return "element " + std::to_string(element) +
         (sent ? " is sent to " + rank(other) + " and received from "
               : " is received from " + rank(other) + " and from ") +
         rank(from) +
         "; in one step a cell is received once and not sent (or combine what arrives: "
         "ExchangeOptions::combine)";
}

std::optional<Clash> find_clash(const Pattern& pattern, bool apart, bool combines) {
  std::vector<Part> parts;
  const auto add = [&](const Link& link, bool received) {
    for (const Block& block : link.blocks) parts.push_back({&block, received, link.peer});
  };
  if (!apart) {
    for (const Link& link : pattern.sends()) add(link, false);
    add(pattern.copies_from(), false);
  }
  for (const Link& link : pattern.receives()) add(link, true);
  add(pattern.copies_to(), true);
  // Boxes are few, and rows may be many; of index lists it is the other way round.
  constexpr std::size_t few = 256;
  if (parts.size() <= few && are_boxes_apart(parts, combines)) return std::nullopt;
  return find_clash_of_rows(parts, combines);
}

bool check_pattern(const Channel& comm, const Pattern& pattern, std::size_t element_bytes,
                   std::string complaint) {
  const auto bytes_by_peer = [&](const std::vector<Link>& links) {
    Numbers bytes;
    for (const Link& link : links)
      bytes[link.peer] = static_cast<std::int64_t>(link.size() * element_bytes);
    return bytes;
  };
  if (complaint.empty()) complaint = impossible(comm, pattern);
  // A rank that complains sends nothing: then only the complaint counts.
  const Numbers sent = complaint.empty() ? bytes_by_peer(pattern.sends()) : Numbers{};
  const Numbers expected = complaint.empty() ? bytes_by_peer(pattern.receives()) : Numbers{};
  const Numbers announced = sparse_exchange(comm, sent);

  const auto number = [](const Numbers& numbers, int rank) {
    const auto found = numbers.find(rank);
    return found == numbers.end() ? 0 : found->second;
  };
  std::set<int> peers;
  for (const Numbers* numbers : {&sent, &expected, &announced})
    for (const auto& [rank, bytes] : *numbers) peers.insert(rank);
  bool two_way = true;
  std::string unequal;
  for (const int peer : peers) {
    if (number(announced, peer) != number(expected, peer) && unequal.empty())
      unequal = "exchange: rank " + std::to_string(mpi::rank(comm)) + " expects " +
                std::to_string(number(expected, peer)) + " bytes from rank " +
                std::to_string(peer) + ", which sends " + std::to_string(number(announced, peer));
    two_way = two_way && sent.contains(peer) == expected.contains(peer);
  }
  // What cannot be at all is said first: what does not fit may follow from it.
  const auto least = mpi::agree(comm, complaint, {unequal.empty(), two_way});
  if (least[0] == 0) mpi::agree(comm, unequal);
  return least[1] != 0;
}

void check_numbers(const Channel& comm, const Pattern& pattern, const std::vector<Field>& fields) {
  const auto most = static_cast<std::size_t>(
      -mpi::agree(comm, "", {-static_cast<std::int64_t>(fields.size())}).front());
  std::vector<std::int64_t> numbers(most, 0);  // no field: unknown
  for (std::size_t f = 0; f < fields.size(); ++f)
    numbers[f] = static_cast<std::int64_t>(fields[f].number);
  const auto peers = [](const std::vector<Link>& links) {
    std::vector<int> ranks;
    for (const Link& link : links) ranks.push_back(link.peer);
    return ranks;
  };
  const std::vector<int> targets = peers(pattern.sends()), sources = peers(pattern.receives());
  std::vector<std::int64_t> mine;
  for (std::size_t i = 0; i < targets.size(); ++i)
    mine.insert(mine.end(), numbers.begin(), numbers.end());
  const std::vector<std::int64_t> theirs = trade(comm, targets, mine, sources, most);
  std::string complaint;
  for (std::size_t i = 0; i < theirs.size() && complaint.empty(); ++i) {
    const std::size_t field = i % most;
    if (theirs[i] != numbers[field])
      complaint = "exchange: rank " + std::to_string(sources[i / most]) + " sends field " +
                  std::to_string(field) + " as " + name(static_cast<Number>(theirs[i])) +
                  ", which rank " + std::to_string(mpi::rank(comm)) + " would combine with " +
                  name(static_cast<Number>(numbers[field])) +
                  "; give both the same type (Field::number)";
  }
  mpi::agree(comm, complaint);
}

}  // namespace halocline::detail
