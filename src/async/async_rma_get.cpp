// rma:get:flush, asynchronous: every link has R slots in its sender's window. The sender fills them
// in turn, even while the receiver reads there. The receiver gets the newest, and then looks
// whether that was in time. This is a sequence lock with a remote reader (Boehm, Can seqlocks get
// along with programming language memory models?, 2012).
//
//   sender      sets, at itself, the number of the message that it begins to store,
//               stores the message in the next slot, MPI_Win_sync,
//               sets the number at the receiver
//   receiver    MPI_Get of that slot, MPI_Win_flush,
//               then gets the number at the sender: if that is R further on, the slot was being
//               overwritten, and what came is not used
//
// Only the unified memory model allows a store where others get at the same time. What they get is
// then undefined, and is not used here.

#include "async_rma_racy.hpp"
#include "rma_slots.hpp"

namespace halocline::detail {

namespace {

class AsyncGet final : public RmaSlotMethod {
 public:
  AsyncGet(Setup s, const AsyncOptions& options) : RmaSlotMethod(std::move(s), options) {
    mpi::agree(comm(), rma_.unified()
                           ? ""
                           : setup().scheme.str() +
                                 ", asynchronous: senders overwrite what is being read, which this "
                                 "MPI's separate memory model forbids; use rma:put:flush");
  }

 private:
  void offer(std::uint64_t iteration) override {
    for (std::size_t link = 0; link < outgoing().size(); ++link) {
      const std::uint64_t number = ++sent_[link];
      words_.set(words_.here_for_target(link), number);
      sync();
      maybe_delay();
      pack(outgoing()[link], iteration, rma_.slot(link, slot_of(number)));
      maybe_delay();
      sync();
      words_.set(words_.at_target(link), number);
      ++counts_.sent;
    }
  }

  bool collect_from(std::size_t link) override {
    constexpr int attempts = 3;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const std::uint64_t newest = words_.mine(words_.here_for_source(link));
      if (newest == seen_[link]) return false;
      const RmaAccess& access = rma_.accesses()[link];
      rma_.move(access, slot_of(newest));
      flush(access);
      const std::uint64_t begun = words_.fetch(words_.at_source(link));
      if (begun < newest + static_cast<std::uint64_t>(buffers())) {
        take(link, newest, rma_.buffer(link));
        return true;
      }
    }
    return false;
  }
};

std::unique_ptr<AsyncMethod> make_async_get(Setup setup, const AsyncOptions& options) {
  if (options.racy) return make_async_rma_racy(std::move(setup), options, RacyCells::at_sender);
  return std::make_unique<AsyncGet>(std::move(setup), options);
}

void describe_async_get(const model::Chosen&, const model::Links& links, model::Script& send,
                        model::Script& receive) {
  for (const model::LinkSize& link : links.sends) {
    send.call("notify:own");  // which slot is being overwritten
    send.pack(link);
    send.offer({.peer = link.peer}, "notify:flag");
  }
  for (const model::LinkSize& link : links.receives) {
    receive.look(numbered(link), "seen");
    const model::LinkSize number{.peer = link.peer, .bytes = sizeof(std::uint64_t)};
    for (const model::LinkSize& got : {numbered(link), number}) {
      receive.get(got);  // the second: whether the first was in time
      receive.flush(got);
    }
    receive.unpack(link);
  }
}

}  // namespace

AsyncMethodFacts async_rma_get() {
  return {.name = "rma:get:flush",
          .summary = "R slots (racy: one copy) at the sender, by MPI_Get and MPI_Win_flush",
          .options = {"alloc", "windows", "asserts"},
          .make = make_async_get,
          .describe = describe_async_get,
          .unread = Unread::overwritten,
          .unread_racy = Unread::overwritten,
          .may_wait = true};
}

}  // namespace halocline::detail
