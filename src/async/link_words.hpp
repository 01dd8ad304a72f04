#pragma once
// Words for each link in shared windows, of its two ranks.

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

  /// At the receiver and the sender of an outgoing link, whose sender I am.
  Place out_there(std::size_t link) const { return out_there_[link]; }
  Place out_here(std::size_t link) const { return out_here_[link]; }
  /// At the receiver and the sender of an incoming link, whose receiver I am.
  Place in_here(std::size_t link) const { return in_here_[link]; }
  Place in_there(std::size_t link) const { return in_there_[link]; }

  /// A number is the first word of a place.
  void tell(Place place, std::uint64_t number) {
    const trace::Event event(Activity::signal, place.rank);
    words_.change(place.rank, place.word, MPI_REPLACE, static_cast<Words::Word>(number), what_);
  }
  std::uint64_t look(Place mine) const {
    return static_cast<std::uint64_t>(
        words_.look(static_cast<std::size_t>(mine.word - words_.place())));
  }
  std::uint64_t ask(Place place) const {
    const trace::Towards towards(place.rank);
    Words::Word number = 0;
    read(place, 0, {&number, 1});
    return static_cast<std::uint64_t>(number);
  }
  void write(Place place, int from, std::span<const Words::Word> values) {
    words_.write(place.rank, place.word + from, values, what_);
  }
  void read(Place place, int from, std::span<Words::Word> values) const {
    words_.read(place.rank, place.word + from, values, what_);
  }

 private:
  const char* what_;
  WordPool::Part words_;
  std::vector<Place> out_there_, out_here_, in_here_, in_there_;
};

}  // namespace halocline::detail
