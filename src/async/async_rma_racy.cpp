// rma:put:flush and rma:get:flush, asynchronous and racy: a link's cells are words in the window of
// its receiver (put) or its sender (get), which the one writes and the other reads whenever they
// like.
//
// MPI_Put and MPI_Get may tear what they move. Accumulates are atomic element by element, whoever
// else accumulates into the same words, so the words are written by MPI_Accumulate with MPI_REPLACE
// and read by MPI_Get_accumulate with MPI_NO_OP, also by their owner (rma_words.hpp). The sender
// writes cells, then their iteration, then the message's number, each when the one before is there,
// and the receiver reads the other way round: so no cell is older than the iteration says.

#include "async_rma_racy.hpp"

#include "link_words.hpp"
#include "numbered_method.hpp"

#include <algorithm>

namespace halocline::detail {

namespace {

class AsyncRmaRacy final : public NumberedMethod {
 public:
  AsyncRmaRacy(Setup s, const AsyncOptions& options, RacyCells cells)
      : NumberedMethod(std::move(s), options),
        at_receiver_(cells == RacyCells::at_receiver),
        words_(setup(), sizes(incoming(), at_receiver_), sizes(outgoing(), !at_receiver_), what()) {
    std::size_t most = 1;
    for (const auto* links : {&outgoing(), &incoming()})
      for (const Layout& cells : *links) most = std::max(most, 1 + cells.bytes() / header);
    message_.resize(most);
  }

 private:
  using Word = Words::Word;

  /// At a link's end: the number, and, where the cells are, message after it.
  static std::vector<std::size_t> sizes(const std::vector<Layout>& links, bool with_cells) {
    std::vector<std::size_t> words;
    for (const Layout& cells : links)
      words.push_back(1 + (with_cells ? 1 + cells.bytes() / header : 0));
    return words;
  }
  std::span<Word> message(const Layout& cells) {
    return std::span(message_).first(1 + cells.bytes() / header);
  }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(message_.data()); }

  void offer(std::uint64_t iteration) override {
    for (std::size_t link = 0; link < outgoing().size(); ++link) {
      const LinkWords::Place place = at_receiver_ ? words_.out_there(link) : words_.out_here(link);
      const std::span<Word> words = message(outgoing()[link]);
      pack(outgoing()[link], iteration, bytes());
      words_.write(place, 2, words.subspan(1));
      maybe_delay();
      words_.write(place, 1, words.first(1));
      words_.tell(words_.out_there(link), ++sent_[link]);
      ++counts_.sent;
    }
  }

  std::size_t collect() override {
    progress(comm());
    return NumberedMethod::collect();
  }

  bool collect_from(std::size_t link) override {
    const std::uint64_t newest = words_.look(words_.in_here(link));
    if (newest == seen_[link]) return false;
    const LinkWords::Place place = at_receiver_ ? words_.in_here(link) : words_.in_there(link);
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
