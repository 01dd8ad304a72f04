#pragma once
// Messages in slots of windows, within one passive epoch: what put and get share.

#include "exchange/rma/rma_epochs.hpp"
#include "link_words.hpp"
#include "numbered_method.hpp"

namespace halocline::detail {

/// Every link has R slots at its receiver (put) or its sender (get), used in turn, and a word at
/// each of its two ranks.
class RmaSlotMethod : public NumberedMethod {
 public:
  RmaSlotMethod(Setup s, const AsyncOptions& options)
      : NumberedMethod(std::move(s), options),
        rma_(setup(), {nullptr}, what(), {.slots = buffers(), .header = header}),
        words_(setup(), std::vector<std::size_t>(incoming().size(), 1),
               std::vector<std::size_t>(outgoing().size(), 1), what()),
        epochs_(rma_, setup().scheme.is("asserts", "on") ? MPI_MODE_NOCHECK : 0, what()) {}

 protected:
  int slot_of(std::uint64_t number) const {
    return static_cast<int>((number - 1) % static_cast<std::uint64_t>(buffers()));
  }

  std::size_t collect() override {
    let_progress(comm());
    return NumberedMethod::collect();
  }

  /// What has been put is there, what was got is here.
  void flush(const RmaAccess& access) const {
    const Blocking guard(what());
    const trace::Towards towards(access.peer);
    for (MPI_Win window : access.windows) HALOCLINE_MPI(MPI_Win_flush, access.target, window);
  }

  /// My memory and my windows show the same again.
  void sync() const {
    for (const RmaWindow& window : rma_.windows()) HALOCLINE_MPI(MPI_Win_sync, window.handle);
  }

  RmaWindows rma_;
  LinkWords words_;

 private:
  PassiveEpochs epochs_;  // ends before the windows are freed
};

}  // namespace halocline::detail
