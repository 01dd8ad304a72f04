#include "link_words.hpp"

#include "memory/cache_line.hpp"

namespace halocline::detail {

namespace {

/// Whole cache lines for each of my places, from word `begin` on.
template <class Place>
std::vector<Place> places(int me, const std::vector<std::size_t>& words, std::size_t begin) {
  std::vector<Place> mine;
  for (const std::size_t count : words) {
    mine.push_back({me, begin});
    begin += round_up(count, Words::line);
  }
  mine.push_back({me, begin});  // the end
  return mine;
}

/// Tells the ranks `to` where theirs are, and learns the same of the ranks `from`.
template <class Place>
std::vector<Place> told(MPI_Comm comm, const std::vector<int>& to, const std::vector<Place>& mine,
                        const std::vector<int>& from) {
  std::vector<std::int64_t> words;
  for (std::size_t i = 0; i < to.size(); ++i)
    words.push_back(static_cast<std::int64_t>(mine[i].word));
  const auto theirs = trade(comm, to, words, from, 1);
  std::vector<Place> there;
  for (std::size_t i = 0; i < from.size(); ++i)
    there.push_back({from[i], static_cast<std::size_t>(theirs[i])});
  return there;
}

}  // namespace

LinkWords::LinkWords(const Setup& setup, const std::vector<std::size_t>& at_receivers_of_incoming,
                     const std::vector<std::size_t>& at_senders_of_outgoing, const char* what)
    : out_here_(places<Place>(mpi::rank(setup.comm), at_senders_of_outgoing, 0)),
      in_here_(
          places<Place>(mpi::rank(setup.comm), at_receivers_of_incoming, out_here_.back().word)),
      words_(setup.comm, in_here_.back().word, what) {
  const std::vector<int> targets = setup.targets(), sources = setup.sources();
  out_there_ = told(setup.comm, sources, in_here_, targets);
  in_there_ = told(setup.comm, targets, out_here_, sources);
}

}  // namespace halocline::detail
