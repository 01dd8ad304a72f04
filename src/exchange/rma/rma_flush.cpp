// rma:put:flush, rma:get:flush, rma:accumulate:flush: passive target, one epoch for the life of the
// exchange.
//
//   MPI_Win_lock_all   once, at set-up
//   MPI_Put (MPI_Accumulate), MPI_Win_flush    the data are at the target ...
//   a notification             ... and only now is it notified (rma_passive.cpp)
//   MPI_Win_sync       at the target, before it reads what others put, and at whoever stores what
//                      others will get: memory and window show the same again
//   MPI_Win_unlock_all once, at the end
//
// With get the sender's message lies ready in its own window: it notifies, the receiver gets.

#include "rma_epochs.hpp"
#include "rma_passive.hpp"

namespace halocline::detail {

namespace {

class Flush final : public PassiveMethod {
 public:
  explicit Flush(Setup s)
      : PassiveMethod(std::move(s)),
        epochs_(rma(), scheme().is("asserts", "on") ? MPI_MODE_NOCHECK : 0, what()) {}

 private:
  void complete(const RmaAccess& access) const override {
    const Blocking guard(what());
    for (MPI_Win window : access.windows) HALOCLINE_MPI(MPI_Win_flush, access.target, window);
  }

  void load(const Use& use) const override {
    sync();
    use();
  }
  void store(const Use& use) const override {
    use();
    sync();
  }
  void lend() const override { sync(); }

  void sync() const {
    for (const RmaWindow& window : rma().windows()) HALOCLINE_MPI(MPI_Win_sync, window.handle);
  }

  PassiveEpochs epochs_;  // ends before the windows are freed
};

}  // namespace

MethodFacts rma_flush(const char* operation) {
  return passive_method(operation, "flush", "and MPI_Win_flush within one MPI_Win_lock_all",
                        make<Flush>);
}

}  // namespace halocline::detail
