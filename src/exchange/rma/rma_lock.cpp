// rma:put:lock, rma:get:lock, rma:accumulate:lock: passive target, an epoch for each message.
//
//   MPI_Win_lock(MPI_LOCK_SHARED)   at one target; others may put into other slots meanwhile
//   MPI_Put                         (or MPI_Get, MPI_Accumulate)
//   MPI_Win_unlock                  the data are at the target (or here) ...
//   a notification                  ... and only now is the target notified (rma_passive.cpp)
//
// A rank that loads what others have put, or stores what others will get, locks its own window for
// that: in the standard's separate memory model, memory and window agree only then. So does a rank
// that has stored to its fields before others put or add there: else its stores might come last.

#include "rma_passive.hpp"

namespace halocline::detail {

namespace {

class Lock final : public PassiveMethod {
 public:
  explicit Lock(Setup s)
      : PassiveMethod(std::move(s)),
        // All locks are shared, so none ever conflicts.
        assertions_(scheme().is("asserts", "on") || asks_in_vain() ? MPI_MODE_NOCHECK : 0) {}

 private:
  /// A target must enter MPI to grant a lock. Where ranks outnumber cores it may have to wait for
  /// the core of the very rank that asks. Open MPI gives it away (and 4.1 hangs with
  /// MPI_MODE_NOCHECK).
  static bool asks_in_vain() {
#ifdef OPEN_MPI
    return false;
#else
    return Patience::yields();
#endif
  }

  void open_target(const RmaAccess& access) const override {
    const Blocking guard(what());
    for (MPI_Win window : access.windows)
      HALOCLINE_MPI(MPI_Win_lock, MPI_LOCK_SHARED, access.target, assertions_, window);
  }

  void complete(const RmaAccess& access) const override {
    const Blocking guard(what());
    for (MPI_Win window : access.windows) HALOCLINE_MPI(MPI_Win_unlock, access.target, window);
  }

  void load(const Use& use) const override {
    on_my_own(use);
  }
  void store(const Use& use) const override {
    on_my_own(use);
  }
  void lend() const override {
    on_my_own([] {});
  }

  void on_my_own(const Use& use) const {
    const auto each = [&](auto&& call) {
      const Blocking guard(what());
      for (const RmaWindow& window : rma().windows())
        if (!window.origins.empty()) call(mpi::rank(window.comm), window.handle);
    };
    each([&](int me, MPI_Win window) {
      HALOCLINE_MPI(MPI_Win_lock, MPI_LOCK_SHARED, me, assertions_, window);
    });
    use();
    each([](int me, MPI_Win window) { HALOCLINE_MPI(MPI_Win_unlock, me, window); });
  }

  int assertions_;
};

}  // namespace

MethodFacts rma_lock(const char* operation) {
  return passive_method(operation, "lock", "between MPI_Win_lock and unlock", make<Lock>);
}

}  // namespace halocline::detail
