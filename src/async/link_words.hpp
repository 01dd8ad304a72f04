#pragma once
// Words of each link in windows that exchanges share, some at its sender and some at its receiver.

#include "exchange/core/method.hpp"
#include "exchange/rma/rma_words.hpp"

namespace halocline::detail {

class LinkWords {
 public:
  struct Place {
    int rank;
    WordPool::Place word;
  };

  /// So many words for each link at its receiver and at its sender. Collective.
  LinkWords(const Setup& setup, const std::vector<std::size_t>& at_receivers_of_incoming,
            const std::vector<std::size_t>& at_senders_of_outgoing, const char* what);

  // The words of an outgoing link: at its target, and mine.
  Place at_target(std::size_t link) const { return at_target_[link]; }
  Place here_for_target(std::size_t link) const { return here_for_target_[link]; }
  // The words of an incoming link: at its source, and mine.
  Place at_source(std::size_t link) const { return at_source_[link]; }
  Place here_for_source(std::size_t link) const { return here_for_source_[link]; }

  // The first word of a place is a number. Every rank may set it, and it is there on return.
  void set(Place place, std::uint64_t number) {
    const trace::Event event(Activity::signal, place.rank);
    words_.change(place.rank, place.word, MPI_REPLACE, static_cast<Words::Word>(number), what_);
  }
  /// The number at a place that is mine; cheap enough to poll.
  std::uint64_t mine(Place place) const {
    return static_cast<std::uint64_t>(
        words_.look(static_cast<std::size_t>(place.word - words_.place())));
  }
  /// The number at any place.
  std::uint64_t fetch(Place place) const {
    const trace::Towards towards(place.rank);
    Words::Word number = 0;
    read(place, 0, {&number, 1});
    return static_cast<std::uint64_t>(number);
  }

  // The words of a place from word `from` on, one by one in any order.
  void write(Place place, int from, std::span<const Words::Word> values) {
    words_.write(place.rank, place.word + from, values, what_);
  }
  void read(Place place, int from, std::span<Words::Word> values) const {
    words_.read(place.rank, place.word + from, values, what_);
  }

 private:
  const char* what_;
  WordPool::Part words_;
  std::vector<Place> at_target_, here_for_target_, at_source_, here_for_source_;
};

}  // namespace halocline::detail
