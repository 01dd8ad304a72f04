// rma:put:lock, rma:get:lock: passive target, an epoch for each message.
//
//   MPI_Win_lock(MPI_LOCK_SHARED)   at one target; others may put into other slots meanwhile
//   MPI_Put                         (or MPI_Get)
//   MPI_Win_unlock                  the data are at the target (or here) ...
//   a notification                  ... and only now is the target told so (notify.hpp)
//
// Whoever loads what others have put, or stores what others will get, locks its own window for
// that: in the standard's separate memory model, memory and window agree only then.

#include "methods.hpp"
#include "notify.hpp"
#include "rma_windows.hpp"

namespace halocline::detail {

namespace {

class Lock final : public Method {
 public:
  explicit Lock(Setup s)
      : Method(std::move(s)),
        rma_(setup(), bases(), what(), {.slots = 2}),
        handshake_(setup(), rma_.slots(), what()),
        // All locks are shared, so none ever conflicts.
        assertions_(scheme().is("asserts", "on") || asks_in_vain() ? MPI_MODE_NOCHECK : 0) {}

  void start() override {
    if (rma_.puts()) {
      if (rma_.in_place()) handshake_.permit();  // my halos may be overwritten now
      await_permits();
      pack();
      const auto time = transferring();
      for (const RmaAccess& access : rma_.accesses()) {
        lock(access);
        rma_.move(access);
      }
    } else {
      if (!rma_.in_place()) await_permits();  // my slot of two steps ago has been read
      on_my_own([&] { pack(); });
      const auto time = transferring();
      handshake_.all_arrived();
    }
  }

  void finish() override {
    if (rma_.puts()) {
      {
        const auto time = waiting();
        for (std::size_t send = 0; send < rma_.accesses().size(); ++send) {
          unlock(rma_.accesses()[send]);
          maybe_delay();
          handshake_.arrived(send);
        }
        handshake_.await_arrivals();
      }
      maybe_delay();
      on_my_own([&] { unpack(); });
    } else {
      {
        const auto time = waiting();
        handshake_.await_arrivals();
        for (const RmaAccess& access : rma_.accesses()) {
          lock(access);
          rma_.move(access);
        }
        for (const RmaAccess& access : rma_.accesses()) unlock(access);
      }
      maybe_delay();
      unpack();
    }
    if (!(rma_.puts() && rma_.in_place())) handshake_.permit();
    if (!rma_.puts() && rma_.in_place()) await_permits();  // then my cells may be written again
  }

 private:
  /// A target must enter MPI to grant a lock. Where ranks outnumber cores it may have to wait for
  /// the core of the very rank that asks. Open MPI gives it away (and 4.1 hangs with
  /// MPI_MODE_NOCHECK).
  static bool asks_in_vain() {
#ifdef OPEN_MPI
    return false;
#else
    return Patience::current().yield;
#endif
  }

  void pack() {
    const auto time = packing();
    rma_.pack();
    copy_local();
  }

  void unpack() {
    const auto time = packing();
    rma_.unpack();
  }

  void await_permits() {
    const auto time = waiting();
    handshake_.await_permits();
  }

  void lock(const RmaAccess& access) const {
    const Blocking guard(what());
    for (MPI_Win window : access.windows)
      HALOCLINE_MPI(MPI_Win_lock, MPI_LOCK_SHARED, access.target, assertions_, window);
  }

  void unlock(const RmaAccess& access) const {
    const Blocking guard(what());
    for (MPI_Win window : access.windows) HALOCLINE_MPI(MPI_Win_unlock, access.target, window);
  }

  /// Uses the memory under my windows.
  template <class Use>
  void on_my_own(Use&& use) const {
    const auto each = [&](auto&& call) {
      const Blocking guard(what());
      for (const RmaWindow& window : rma_.windows())
        if (!window.origins.empty()) call(mpi::rank(window.comm), window.handle);
    };
    each([&](int me, MPI_Win window) {
      HALOCLINE_MPI(MPI_Win_lock, MPI_LOCK_SHARED, me, assertions_, window);
    });
    use();
    each([](int me, MPI_Win window) { HALOCLINE_MPI(MPI_Win_unlock, me, window); });
  }

  RmaWindows rma_;
  Handshake handshake_;
  int assertions_;
};

}  // namespace

MethodFacts rma_lock(const char* operation) {
  const std::string put_or_get = operation[0] == 'p' ? "MPI_Put" : "MPI_Get";
  return {.name = std::string("rma:") + operation + ":lock",
          .summary = put_or_get + " between MPI_Win_lock and unlock, and a notification",
          .options = rma_options({{"notify", {"message", "flag", "counter"}}}),
          .make = make<Lock>,
          .refusals = {{"group", "lock reaches neighbours only already; drop group"}},
          .conflict = rma_conflict,
          .memory = rma_memory};
}

}  // namespace halocline::detail
