// shmem, asynchronous: every link has R slots in its receiver's symmetric memory. A message is put
// into the next one, if the receiver has read what it held, and then its number is set
// (shmem_links.hpp).
//
// Racy: Bethune et al. (halocline/async_exchange.hpp) put into one buffer that the receiver reads
// at any time. OpenSHMEM does not promise that what a put moves is not torn; its atomics are the
// only operations that are atomic towards each other. So the words are set and fetched by those.

#include "exchange/shmem/shmem_links.hpp"
#include "numbered_method.hpp"

namespace halocline::detail {

namespace {

class AsyncShmem final : public NumberedMethod {
 public:
  AsyncShmem(Setup s, const AsyncOptions& options)
      : NumberedMethod(std::move(s), options),
        links_(setup(), sizes(outgoing()), sizes(incoming()), racy() ? 1 : buffers()) {
    message_.resize(most_words());
  }

 private:
  static std::vector<std::size_t> sizes(const std::vector<Layout>& links) {
    std::vector<std::size_t> bytes;
    for (const Layout& cells : links) bytes.push_back(header + cells.bytes());
    return bytes;
  }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(message_.data()); }
  std::span<std::uint64_t> words(const Layout& cells) {
    return std::span(message_).first(words_of(cells));
  }

  void offer(std::uint64_t iteration) override {
    for (std::size_t link = 0; link < outgoing().size(); ++link) {
      if (!racy() && sent_[link] - links_.read_of(link) == static_cast<std::uint64_t>(buffers())) {
        ++counts_.skipped;
        continue;
      }
      pack(outgoing()[link], iteration, bytes());
      ++sent_[link];
      if (racy())
        links_.write_words(link, sent_[link], words(outgoing()[link]));
      else
        links_.put(link, sent_[link], bytes());
      ++counts_.sent;
    }
  }

  bool collect_from(std::size_t link) override {
    const std::uint64_t newest = links_.newest_of(link);
    if (newest == seen_[link]) return false;
    if (racy()) {
      links_.read_words(link, words(incoming()[link]));
      take(link, newest, bytes());
    } else {
      take(link, newest, links_.message(link, newest));
      links_.notify_read(link, newest);
    }
    return true;
  }

  ShmemLinks links_;
  std::vector<std::uint64_t> message_;  // on its way in or out
};

}  // namespace

AsyncMethodFacts async_shmem() {
  return {
      .name = "shmem",
      .summary = "R slots (racy: one copy) at the receiver, by puts, or atomic sets and fetches",
      .options = {},
      .make = make_async<AsyncShmem>,
      .describe =
          [](const model::Chosen&, const model::Links& links, model::Script& send,
             model::Script& receive) {
            describe_offers(links, send, receive, "put:shmem", "seen");
          },
      .unread_racy = Unread::overwritten};
}

}  // namespace halocline::detail
