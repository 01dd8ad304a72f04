#include "pattern_check.hpp"

#include "combine.hpp"
#include "consensus.hpp"

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

}  // namespace

bool check_pattern(const Channel& comm, const Pattern& pattern, std::size_t element_bytes,
                   std::string complaint) {
  const auto bytes_by_peer = [&](const std::vector<Link>& links) {
    Told bytes;
    for (const Link& link : links)
      bytes[link.peer] = static_cast<std::int64_t>(link.size() * element_bytes);
    return bytes;
  };
  if (complaint.empty()) complaint = impossible(comm, pattern);
  // Who complains tells nobody anything: then only the complaint counts.
  const Told sent = complaint.empty() ? bytes_by_peer(pattern.sends()) : Told{};
  const Told expected = complaint.empty() ? bytes_by_peer(pattern.receives()) : Told{};
  const Told announced = tell_neighbours(comm, sent);

  const auto number = [](const Told& numbers, int rank) {
    const auto found = numbers.find(rank);
    return found == numbers.end() ? 0 : found->second;
  };
  std::set<int> peers;
  for (const Told* numbers : {&sent, &expected, &announced})
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
