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

/// Gives each of the ranks `to` a place of mine; returns those that the ranks `from` gave me.
std::vector<Place> traded(MPI_Comm comm, const std::vector<int>& to, const std::vector<Place>& mine,
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
  here_for_target_ = places(me, at_senders_of_outgoing, words_.place());
  here_for_source_ = places(me, at_receivers_of_incoming, words_.place() + second);
  const std::vector<int> targets = setup.targets(), sources = setup.sources();
  at_target_ = traded(setup.comm, sources, here_for_source_, targets);
  at_source_ = traded(setup.comm, targets, here_for_target_, sources);
}

}  // namespace halocline::detail
