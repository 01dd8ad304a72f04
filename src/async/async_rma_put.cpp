// rma:put:flush, asynchronous: every link has R slots in its receiver's window, in one passive
// epoch.
//
//   sender      MPI_Put into the next slot, if the receiver has read what it held,
//               MPI_Win_flush      now the message is there ...
//               its number         ... and only now does the receiver learn of it
//   receiver    reads the slot of the newest number, and sets that number at the sender
//
// Both numbers are words written by MPI_Accumulate with MPI_REPLACE (rma_words.hpp): the newest at
// a link's receiver, the last one read at its sender. No rank waits for a message; whether a flush
// waits until its target calls MPI is up to the library.

#include "async_rma_racy.hpp"
#include "rma_slots.hpp"

namespace halocline::detail {

namespace {

class AsyncPut final : public RmaSlotMethod {
 public:
  using RmaSlotMethod::RmaSlotMethod;

 private:
  void offer(std::uint64_t iteration) override {
    going_.clear();
    for (std::size_t link = 0; link < outgoing().size(); ++link) {
      const std::uint64_t read = words_.mine(words_.here_for_target(link));
      if (sent_[link] - read == static_cast<std::uint64_t>(buffers())) {
        ++counts_.skipped;
        continue;
      }
      pack(outgoing()[link], iteration, rma_.buffer(link));
      rma_.move(rma_.accesses()[link], slot_of(++sent_[link]));
      going_.push_back(link);
    }
    for (const std::size_t link : going_) {
      flush(rma_.accesses()[link]);
      maybe_delay();
      words_.set(words_.at_target(link), sent_[link]);
      ++counts_.sent;
    }
  }

  bool collect_from(std::size_t link) override {
    const std::uint64_t newest = words_.mine(words_.here_for_source(link));
    if (newest == seen_[link]) return false;
    sync();
    take(link, newest, rma_.slot(link, slot_of(newest)));
    maybe_delay();
    words_.set(words_.at_source(link), newest);
    return true;
  }

  std::vector<std::size_t> going_;  // links that take part in this send
};

std::unique_ptr<AsyncMethod> make_async_put(Setup setup, const AsyncOptions& options) {
  if (options.racy) return make_async_rma_racy(std::move(setup), options, RacyCells::at_receiver);
  return std::make_unique<AsyncPut>(std::move(setup), options);
}

void describe_async_put(const model::Chosen&, const model::Links& links, model::Script& send,
                        model::Script& receive) {
  for (const model::LinkSize& link : links.sends) {
    send.pack(link);
    send.offer(numbered(link), "put");
  }
  for (const model::LinkSize& link : links.sends) {
    send.offer(numbered(link), "flush");
    send.offer({.peer = link.peer}, "notify:flag");
  }
  for (const model::LinkSize& link : links.receives) {
    receive.look(numbered(link), "seen");
    receive.unpack(link);
    receive.offer({.peer = link.peer}, "notify:flag");  // which slot is free
  }
}

}  // namespace

AsyncMethodFacts async_rma_put() {
  return {.name = "rma:put:flush",
          .summary = "R slots (racy: one copy) at the receiver, by MPI_Put and MPI_Win_flush",
          .options = {"alloc", "windows", "asserts"},
          .make = make_async_put,
          .describe = describe_async_put,
          .unread_racy = Unread::overwritten,
          .may_wait = true};
}

}  // namespace halocline::detail
