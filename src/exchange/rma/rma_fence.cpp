// rma:put:fence, rma:get:fence, rma:accumulate:fence: active target with barriers.
//
//   MPI_Win_fence   opens the epoch everywhere: nobody moves data before all are ready for it
//   MPI_Put         (or MPI_Get) to (from) each peer
//   MPI_Win_fence   closes it everywhere: everything has arrived
//
// The first fence protects the messages of the step before, which their target may still unpack
// when others are ahead. Puts into two slots in turn do without it: the fence that closes one step
// opens the next, and a slot is put to again only after a further fence, which its owner calls when
// it has unpacked it.
//
// With group=neighbors each rank has a window of its own, together with those who reach it, so that
// a fence waits for neighbours only; the windows overlap, and all ranks fence them in ascending
// order of owners (RmaWindows::windows), lest they wait in a ring.

#include "exchange/core/methods.hpp"
#include "rma_windows.hpp"

namespace halocline::detail {

namespace {

class Fence final : public Method {
 public:
  explicit Fence(Setup s)
      : Method(std::move(s)),
        rma_(setup(), bases(), what(),
             {.slots = scheme().part(1) == "put" ? 2 : 1, .locks = false}),
        one_a_step_(rma_.slots() == 2) {
    for (const RmaWindow& window : rma_.windows()) assertions_.push_back(asserted(window));
    if (one_a_step_) fence_all(&Assertions::opening);
  }

  void start() override {
    {
      const auto time = packing();
      rma_.pack();
      copy_local();
    }
    const auto time = transferring();
    if (!one_a_step_) fence_all(&Assertions::opening);
    maybe_delay();
    rma_.move_all();
  }

  void finish() override {
    {
      const auto time = waiting();
      fence_all(&Assertions::closing);
    }
    maybe_delay();
    const auto time = packing();
    rma_.unpack();
  }

 private:
  struct Assertions {
    int opening = 0, closing = 0;
  };

  /// What holds at the two fences of a step, for libraries that save work by it.
  Assertions asserted(const RmaWindow& window) const {
    if (scheme().is("asserts", "off")) return {};
    Assertions hold;
    // The window may belong to a field that other exchanges fence as well.
    if (window.is_own()) {
      hold.opening |= MPI_MODE_NOPRECEDE;
      if (!one_a_step_) hold.closing |= MPI_MODE_NOSUCCEED | MPI_MODE_NOPUT;
    }
    if (window.origins.empty() || !rma_.puts()) hold.opening |= MPI_MODE_NOPUT;
    if (one_a_step_) hold.closing |= hold.opening & MPI_MODE_NOPUT;
    // Slots are stored to only before they are got; fields are the caller's.
    if (!rma_.in_place()) {
      hold.closing |= MPI_MODE_NOSTORE;
      if (rma_.puts()) hold.opening |= MPI_MODE_NOSTORE;
    }
    return hold;
  }

  void fence_all(int Assertions::*which) const {
    for (std::size_t w = 0; w < assertions_.size(); ++w) {
      const Blocking guard(what());
      HALOCLINE_MPI(MPI_Win_fence, assertions_[w].*which, rma_.windows()[w].handle);
    }
  }

  RmaWindows rma_;
  bool one_a_step_;
  std::vector<Assertions> assertions_;
};

}  // namespace

MethodFacts rma_fence(const char* operation) {
  return rma_facts(operation, "fence", "between two MPI_Win_fence", make<Fence>,
                   {{"group", {"all", "neighbors"}}},
                   {{"notify", "fence already tells the target; drop notify"}});
}

}  // namespace halocline::detail
