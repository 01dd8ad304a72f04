// shm:signal, asynchronous: every link has a message in the island's shared memory. Its sender
// overwrites it and its receiver reads it, under a sequence lock (complete) or without one (racy);
// see shared_message.hpp. There is no MPI call, and no rank ever waits.

#include "async_registry.hpp"
#include "exchange/core/shared_access.hpp"
#include "exchange/core/shared_pool.hpp"
#include "exchange/core/trade.hpp"
#include "numbered_method.hpp"
#include "shared_message.hpp"

namespace halocline::detail {

namespace {

template <class SharedMessage>
class AsyncShm final : public NumberedMethod {
 public:
  AsyncShm(Setup s, const AsyncOptions& options) : NumberedMethod(std::move(s), options) {
    std::vector<std::int64_t> begins;
    std::size_t bytes = 0;
    for (const Layout& cells : outgoing()) {
      begins.push_back(static_cast<std::int64_t>(bytes));
      bytes += sizeof(std::uint64_t) * SharedMessage::words(words_of(cells), slots());
    }
    message_.resize(most_words());

    auto& pool = setup().comm.template shared<SharedPool>(setup().scheme.islands().str());
    memory_ = pool.take(bytes, setup().scheme);
    for (std::int64_t& begin : begins) begin += memory_.place();
    const std::vector<int> targets = setup().targets(), sources = setup().sources();
    const auto theirs = trade(comm(), targets, begins, sources, 1);
    for (std::size_t link = 0; link < targets.size(); ++link)
      to_.push_back(at(pool.mine(begins[link]), outgoing()[link]));
    for (std::size_t link = 0; link < sources.size(); ++link)
      from_.push_back(at(pool.at(sources[link], theirs[link]), incoming()[link]));
  }

 private:
  std::size_t slots() const { return static_cast<std::size_t>(buffers()); }
  SharedMessage at(std::byte* memory, const Layout& cells) const {
    return {reinterpret_cast<std::uint64_t*>(memory), words_of(cells), slots()};
  }
  std::span<std::uint64_t> message(const Layout& cells) {
    return std::span(message_).first(words_of(cells));
  }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(message_.data()); }

  void offer(std::uint64_t iteration) override {
    for (std::size_t link = 0; link < to_.size(); ++link) {
      pack(outgoing()[link], iteration, bytes());
      to_[link].write(message(outgoing()[link]));
      ++sent_[link];
      ++counts_.sent;
    }
  }

  bool collect_from(std::size_t link) override {
    const std::uint64_t newest = from_[link].read(message(incoming()[link]), seen_[link]);
    if (newest == seen_[link]) return false;
    take(link, newest, bytes());
    return true;
  }

  SharedPool::Part memory_;
  std::vector<SharedMessage> to_, from_;
  std::vector<std::uint64_t> message_;  // on its way in or out
};

std::unique_ptr<AsyncMethod> make_async_shm(Setup setup, const AsyncOptions& options) {
  if (options.racy)
    return std::make_unique<AsyncShm<RacyMessageBy<SharedAccess>>>(std::move(setup), options);
  return std::make_unique<AsyncShm<SequenceLockBy<SharedAccess>>>(std::move(setup), options);
}

void describe_async_shm(const model::Chosen& chosen, const model::Links& links, model::Script& send,
                        model::Script& receive) {
  const auto [inside, outside] = model::split(links);
  describe_offers(inside, send, receive, "signal", "seen", "pack:slot", "unpack:slot");
  if (outside.sends.empty() && outside.receives.empty()) return;
  const auto named = chosen.options.find("outer");
  const Scheme by = named == chosen.options.end() ? "p2p:nonblocking" : named->second;
  const model::Step outer = describe_async(detail::chosen(by, outside), outside);
  send.then(outer.start);
  receive.then(outer.finish);
}

}  // namespace

AsyncMethodFacts async_shm() {
  return {.name = "shm:signal",
          .summary = "R slots (racy: one copy) in shared memory, by loads and stores",
          .options = {"island", "outer"},
          .make = make_async_shm,
          .describe = describe_async_shm,
          .unread = Unread::overwritten,
          .unread_racy = Unread::overwritten};
}

}  // namespace halocline::detail
