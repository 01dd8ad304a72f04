// rma:get:flush, asynchronous: every link has R slots in its sender's window, which the sender
// fills in turn, whoever reads there. The receiver gets the newest, and then looks whether that was
// in time: a sequence lock (Boehm, Can seqlocks get along with programming language memory models?,
// 2012) whose reader is far away.
//
//   sender      tells itself the number of the message that it begins to store,
//               stores it in the next slot, MPI_Win_sync,
//               tells the receiver its number
//   receiver    MPI_Get of that slot, MPI_Win_flush,
//               then gets the number that the sender has begun: if that is R further on, the slot
//               was being overwritten, and what came is not used
//
// A store where others get at the same time is allowed in the unified memory model alone; what they
// get then is not defined, and here not used.

#include "exchange/rma_windows.hpp"
#include "link_words.hpp"
#include "methods.hpp"

namespace halocline::detail {

namespace {

class AsyncGet final : public NumberedMethod {
 public:
  AsyncGet(Setup s, const AsyncOptions& options)
      : NumberedMethod(std::move(s), options),
        rma_(setup(), {nullptr}, what(), {.slots = buffers(), .header = header}),
        words_(setup(), std::vector<std::size_t>(incoming().size(), 1),
               std::vector<std::size_t>(outgoing().size(), 1), what()),
        epochs_(rma_, setup().scheme.is("asserts", "on") ? MPI_MODE_NOCHECK : 0, what()) {
    mpi::agree(comm(), rma_.unified()
                           ? ""
                           : setup().scheme.str() +
                                 ", asynchronous: senders overwrite what is being read, which this "
                                 "MPI's separate memory model forbids; use rma:put:flush");
  }

 private:
  int slot_of(std::uint64_t number) const {
    return static_cast<int>((number - 1) % static_cast<std::uint64_t>(buffers()));
  }

  void offer(std::uint64_t iteration) override {
    for (std::size_t link = 0; link < outgoing().size(); ++link) {
      const std::uint64_t number = ++sent_[link];
      words_.tell(words_.out_here(link), number);
      sync();
      maybe_delay();
      pack(outgoing()[link], iteration, rma_.slot(link, slot_of(number)));
      maybe_delay();
      sync();
      words_.tell(words_.out_there(link), number);
      ++counts_.sent;
    }
  }

  std::size_t collect() override {
    progress(comm());
    std::size_t links = 0;
    for (std::size_t link = 0; link < incoming().size(); ++link) links += collect(link);
    return links;
  }

  bool collect(std::size_t link) {
    constexpr int attempts = 3;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const std::uint64_t newest = words_.look(words_.in_here(link));
      if (newest == seen_[link]) return false;
      const RmaAccess& access = rma_.accesses()[link];
      rma_.move(access, slot_of(newest));
      {
        const Blocking guard(what());
        for (MPI_Win window : access.windows) HALOCLINE_MPI(MPI_Win_flush, access.target, window);
      }
      const std::uint64_t begun = words_.ask(words_.in_there(link));
      if (begun < newest + static_cast<std::uint64_t>(buffers())) {
        take(link, newest, rma_.buffer(link));
        return true;
      }
    }
    return false;
  }

  void sync() const {
    for (const RmaWindow& window : rma_.windows()) HALOCLINE_MPI(MPI_Win_sync, window.handle);
  }

  RmaWindows rma_;
  LinkWords words_;       // at a link's receiver the newest number, at its sender the one begun
  PassiveEpochs epochs_;  // ends before the windows are freed
};

}  // namespace

std::unique_ptr<AsyncMethod> make_async_get(Setup setup, const AsyncOptions& options) {
  if (options.racy) return make_async_racy_rma(std::move(setup), options);
  return std::make_unique<AsyncGet>(std::move(setup), options);
}

}  // namespace halocline::detail
