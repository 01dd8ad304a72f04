#include <halocline/gather_scatter.hpp>

#include "combine.hpp"
#include "exchange/core/consensus.hpp"

#include <algorithm>
#include <map>

namespace halocline {

namespace {

using detail::Lists;

/// What is wrong on this rank; empty if nothing is.
std::string numbers_complaint(MPI_Comm comm, std::span<const std::int64_t> numbers,
                              const Field& field, Combine combine) {
  const std::string me = "gather-scatter: rank " + std::to_string(mpi::rank(comm)) + ": ";
  if (combine == Combine::replace)
    return me + "copies that replace each other have no result; combine by sum, min or max";
  if (field.elements != 0 && field.elements != numbers.size())
    return me + "there are " + std::to_string(numbers.size()) + " numbers for a field of " +
           std::to_string(field.elements) + " elements; each needs one";
  const auto negative =
      std::find_if(numbers.begin(), numbers.end(), [](std::int64_t number) { return number < 0; });
  if (negative != numbers.end())
    return me + "element " + std::to_string(negative - numbers.begin()) + " has the number " +
           std::to_string(*negative) + "; numbers begin with 0";
  return {};
}

/// Where the copies of each node are on this rank.
using Places = std::map<std::int64_t, std::vector<std::ptrdiff_t>>;

/// A rank that has copies of a node, and how many.
struct Sharer {
  int rank;
  std::int64_t copies;
};

/// Of the nodes that this rank has with others: for the lowest rank all others, for them the
/// lowest. What is known of a node is brought together at the rank `number` modulo their number.
std::map<std::int64_t, std::vector<Sharer>> find_sharers(MPI_Comm comm, const Places& places) {
  // Channels of their own, so that who is ahead with answers is not taken to ask.
  const detail::Channel questions = detail::Channel::on(comm), answers = questions.another();
  const int ranks = mpi::size(comm);
  Lists asked;
  for (const auto& [number, copies] : places)
    for (const std::int64_t word : {number, static_cast<std::int64_t>(copies.size())})
      asked[static_cast<int>(number % ranks)].push_back(word);
  std::map<std::int64_t, std::vector<Sharer>> directory;  // sharers in ascending order
  for (const auto& [rank, words] : detail::sparse_exchange(questions, asked))
    for (std::size_t i = 0; i < words.size(); i += 2)
      directory[words[i]].push_back({rank, words[i + 1]});

  Lists answered;
  const auto answer = [&](const Sharer& whom, std::int64_t number, const Sharer& of) {
    for (const std::int64_t word : {number, std::int64_t{of.rank}, of.copies})
      answered[whom.rank].push_back(word);
  };
  for (const auto& [number, sharers] : directory)
    for (std::size_t i = 1; i < sharers.size(); ++i) {
      answer(sharers.front(), number, sharers[i]);
      answer(sharers[i], number, sharers.front());
    }
  std::map<std::int64_t, std::vector<Sharer>> others;
  for (const auto& [rank, words] : detail::sparse_exchange(answers, answered))
    for (std::size_t i = 0; i < words.size(); i += 3)
      others[words[i]].push_back({static_cast<int>(words[i + 1]), words[i + 2]});
  return others;
}

/// From all copies to the first one of the lowest rank, each link in the order of numbers.
Pattern to_owners(MPI_Comm comm, std::span<const std::int64_t> numbers) {
  Places places;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    places[numbers[i]].push_back(static_cast<std::ptrdiff_t>(i));
  const auto others = find_sharers(comm, places);

  const int me = mpi::rank(comm);
  std::map<int, std::vector<std::ptrdiff_t>> sends, receives;  // peers in ascending order
  Pattern pattern;
  for (const auto& [number, mine] : places) {
    const auto found = others.find(number);
    if (found != others.end() && found->second.front().rank < me) {
      auto& sent = sends[found->second.front().rank];
      sent.insert(sent.end(), mine.begin(), mine.end());
      continue;
    }
    for (std::size_t i = 1; i < mine.size(); ++i)
      pattern.copy({.offset = mine[i]}, {.offset = mine.front()});
    if (found == others.end()) continue;
    for (const Sharer& other : found->second) {
      auto& received = receives[other.rank];
      received.insert(received.end(), static_cast<std::size_t>(other.copies), mine.front());
    }
  }
  for (const auto& [peer, elements] : sends)
    for (const std::ptrdiff_t element : elements) pattern.send(peer, {.offset = element});
  for (const auto& [peer, elements] : receives)
    for (const std::ptrdiff_t element : elements) pattern.receive(peer, {.offset = element});
  return pattern;
}

}  // namespace

GatherScatter::GatherScatter(MPI_Comm comm, std::span<const std::int64_t> numbers,
                             const Field& field, const Scheme& scheme, Combine combine)
    : GatherScatter(comm,
                    (mpi::agree(comm, numbers_complaint(comm, numbers, field, combine)),
                     to_owners(comm, numbers)),
                    field, scheme, combine) {}

GatherScatter::GatherScatter(MPI_Comm comm, const Pattern& copies, const Field& field,
                             const Scheme& scheme, Combine combine)
    : gather_(comm, copies, field, scheme, {.combine = combine}),
      scatter_(comm, copies.reversed(), field, scheme) {}

void GatherScatter::finish() {
  gather_.finish();
  scatter_.run();
}

}  // namespace halocline
