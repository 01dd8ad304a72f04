// rma:put:flush and rma:get:flush, asynchronous and racy: a link's cells are words in the window of
// its receiver (put) or its sender (get). The sender writes them and the receiver reads them, each
// whenever it likes.
//
// MPI_Put and MPI_Get may tear what they move. Accumulates into the same words are atomic element
// by element, so the words are written by MPI_Accumulate with MPI_REPLACE and read by
// MPI_Get_accumulate with MPI_NO_OP, also by their owner (rma_words.hpp). The sender
// writes cells, then their iteration, then the message's number, each when the one before is there.
// The receiver reads in the opposite order, so no cell is older than the iteration says.

#include "async_rma_racy.hpp"

#include "link_words.hpp"
#include "numbered_method.hpp"

namespace halocline::detail {

namespace {

class AsyncRmaRacy final : public NumberedMethod {
 public:
  AsyncRmaRacy(Setup s, const AsyncOptions& options, RacyCells cells)
      : NumberedMethod(std::move(s), options),
        at_receiver_(cells == RacyCells::at_receiver),
        words_(setup(), sizes(incoming(), at_receiver_), sizes(outgoing(), !at_receiver_), what()) {
    message_.resize(most_words());
  }

 private:
  using Word = Words::Word;

  /// Words at one end of each link: the message's number, and the message after it, if that lies
  /// at this end.
  static std::vector<std::size_t> sizes(const std::vector<Layout>& links, bool with_cells) {
    std::vector<std::size_t> words;
    for (const Layout& cells : links) words.push_back(1 + (with_cells ? words_of(cells) : 0));
    return words;
  }
  std::span<Word> message(const Layout& cells) {
    return std::span(message_).first(words_of(cells));
  }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(message_.data()); }

  void offer(std::uint64_t iteration) override {
    for (std::size_t link = 0; link < outgoing().size(); ++link) {
      const LinkWords::Place place =
          at_receiver_ ? words_.at_target(link) : words_.here_for_target(link);
      const std::span<Word> words = message(outgoing()[link]);
      pack(outgoing()[link], iteration, bytes());
      words_.write(place, 2, words.subspan(1));
      maybe_delay();
      words_.write(place, 1, words.first(1));
      words_.set(words_.at_target(link), ++sent_[link]);
      ++counts_.sent;
    }
  }

  std::size_t collect() override {
    let_progress(comm());
    return NumberedMethod::collect();
  }

  bool collect_from(std::size_t link) override {
    const std::uint64_t newest = words_.mine(words_.here_for_source(link));
    if (newest == seen_[link]) return false;
    const LinkWords::Place place =
        at_receiver_ ? words_.here_for_source(link) : words_.at_source(link);
    const std::span<Word> words = message(incoming()[link]);
    words_.read(place, 1, words.first(1));
    maybe_delay();
    words_.read(place, 2, words.subspan(1));
    take(link, newest, bytes());
    return true;
  }

  bool at_receiver_;
  LinkWords words_;
  std::vector<Word> message_;  // on its way in or out
};

}  // namespace

std::unique_ptr<AsyncMethod> make_async_rma_racy(Setup setup, const AsyncOptions& options,
                                                 RacyCells cells) {
  return std::make_unique<AsyncRmaRacy>(std::move(setup), options, cells);
}

}  // namespace halocline::detail
