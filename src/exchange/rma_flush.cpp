// rma:put:flush, rma:get:flush: passive target, one epoch for the life of the exchange.
//
//   MPI_Win_lock_all   once, at set-up
//   MPI_Put, MPI_Win_flush     the data are at the target ...
//   a notification             ... and only now is it told so (notify.hpp)
//   MPI_Win_sync       at the target, before it reads what others put, and at whoever stores what
//                      others will get: memory and window show the same again
//   MPI_Win_unlock_all once, at the end
//
// With get the sender's message lies ready in its own window: it notifies, the receiver gets.

#include "methods.hpp"
#include "notify.hpp"
#include "rma_windows.hpp"

namespace halocline::detail {

namespace {

class Flush final : public Method {
 public:
  explicit Flush(Setup s)
      : Method(std::move(s)),
        rma_(setup(), bases(), what(), {.slots = 2}),
        handshake_(setup(), rma_.slots(), what()),
        epochs_(rma_, scheme().is("asserts", "on") ? MPI_MODE_NOCHECK : 0, what()) {}

  void start() override {
    if (rma_.puts()) {
      if (rma_.in_place()) {
        sync();
        handshake_.permit();  // my halos may be overwritten now
      }
      await_permits();
      pack();
      const auto time = transferring();
      rma_.move_all();
    } else {
      if (!rma_.in_place()) await_permits();  // my slot of two steps ago has been read
      pack();
      sync();
      const auto time = transferring();
      handshake_.all_arrived();
    }
  }

  void finish() override {
    if (rma_.puts()) {
      const auto time = waiting();
      for (std::size_t send = 0; send < rma_.accesses().size(); ++send) {
        flush(rma_.accesses()[send]);
        maybe_delay();
        handshake_.arrived(send);
      }
      handshake_.await_arrivals();
    } else {
      const auto time = waiting();
      handshake_.await_arrivals();
      rma_.move_all();
      for (const RmaAccess& access : rma_.accesses()) flush(access);
    }
    maybe_delay();
    sync();
    {
      const auto time = packing();
      rma_.unpack();
    }
    if (!(rma_.puts() && rma_.in_place())) handshake_.permit();
    if (!rma_.puts() && rma_.in_place()) await_permits();  // then my cells may be written again
  }

 private:
  void pack() {
    const auto time = packing();
    rma_.pack();
    copy_local();
  }

  void await_permits() {
    const auto time = waiting();
    handshake_.await_permits();
  }

  void flush(const RmaAccess& access) const {
    const Blocking guard(what());
    for (MPI_Win window : access.windows) HALOCLINE_MPI(MPI_Win_flush, access.target, window);
  }

  void sync() const {
    for (const RmaWindow& window : rma_.windows()) HALOCLINE_MPI(MPI_Win_sync, window.handle);
  }

  RmaWindows rma_;
  Handshake handshake_;
  PassiveEpochs epochs_;  // ends before the windows are freed
};

}  // namespace

MethodFacts rma_flush(const char* operation) {
  const std::string put_or_get = operation[0] == 'p' ? "MPI_Put" : "MPI_Get";
  return {
      .name = std::string("rma:") + operation + ":flush",
      .summary = put_or_get + " and MPI_Win_flush within one MPI_Win_lock_all, and a notification",
      .options = rma_options({{"notify", {"message", "flag", "counter"}}}),
      .make = make<Flush>,
      .refusals = {{"group", "flush reaches neighbours only already; drop group"}},
      .conflict = rma_conflict,
      .memory = rma_memory};
}

}  // namespace halocline::detail
