#include "link_words.hpp"

#include "exchange/core/trade.hpp"
#include "memory/cache_line.hpp"

namespace halocline::detail {

namespace {

using Place = LinkWords::Place;

/// Whole cache lines for each.
std::size_t total(const std::vector<std::size_t>& words) {
  std::size_t sum = 0;
  for (const std::size_t count : words) sum += round_up(count, Words::line);
  return sum;
}

/// My places of so many words, from `begin` on.
std::vector<Place> places(int me, const std::vector<std::size_t>& words, WordPool::Place begin) {
  std::vector<Place> mine;
  for (const std::size_t count : words) {
    mine.push_back({me, begin});
    begin += static_cast<WordPool::Place>(round_up(count, Words::line));
  }
  return mine;
}

/// Tells the ranks `to` where theirs are, and learns the same of the ranks `from`.
std::vector<Place> told(MPI_Comm comm, const std::vector<int>& to, const std::vector<Place>& mine,
                        const std::vector<int>& from) {
  std::vector<std::int64_t> words;
  for (const Place& place : mine) words.push_back(place.word);
  const auto theirs = trade(comm, to, words, from, 1);
  std::vector<Place> there;
  for (std::size_t i = 0; i < from.size(); ++i) there.push_back({from[i], theirs[i]});
  return there;
}

}  // namespace

LinkWords::LinkWords(const Setup& setup, const std::vector<std::size_t>& at_receivers_of_incoming,
                     const std::vector<std::size_t>& at_senders_of_outgoing, const char* what)
    : what_(what),
      words_(setup.comm.shared<WordPool>("words"),
             total(at_senders_of_outgoing) + total(at_receivers_of_incoming)) {
  const int me = mpi::rank(setup.comm);
  const auto second = static_cast<WordPool::Place>(total(at_senders_of_outgoing));
  out_here_ = places(me, at_senders_of_outgoing, words_.place());
  in_here_ = places(me, at_receivers_of_incoming, words_.place() + second);
  const std::vector<int> targets = setup.targets(), sources = setup.sources();
  out_there_ = told(setup.comm, sources, in_here_, targets);
  in_there_ = told(setup.comm, targets, out_here_, sources);
}

}  // namespace halocline::detail
