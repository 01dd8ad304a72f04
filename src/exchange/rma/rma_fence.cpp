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

#include "rma_facts.hpp"
#include "rma_windows.hpp"

#include <map>

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

  void rebound() override { rma_.rebind(bases()); }

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

namespace {

model::Step describe_fence(const model::Chosen& chosen, const model::Links& links) {
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  const DescribedWindows windows(chosen, links, chosen.part(1) == "put" ? 2 : 1, step);
  const bool one_a_step = windows.slots() == 2;
  const auto fence_all = [&](model::Script& script) {
    if (!chosen.is("group", "neighbors")) return script.barrier({}, "fence");
    std::map<int, model::Group> owners;  // ascending: no ring of ranks waits for each other
    if (!windows.inward.empty()) owners[links.rank] = {model::Group::Of::owner, links.rank};
    for (const model::LinkSize& link : windows.outward)
      owners[link.peer] = {model::Group::Of::owner, link.peer};
    for (const auto& [owner, group] : owners) script.barrier(group, "fence:neighbors");
  };
  windows.pack(start);
  if (!one_a_step) fence_all(start);
  for (const model::LinkSize& link : windows.outward) windows.move(start, link);
  windows.describe_progress(finish);
  for (const model::LinkSize& link : windows.outward) finish.flush(link, "flush:fence");
  fence_all(finish);
  windows.unpack(finish);
  return step;
}

}  // namespace

MethodFacts rma_fence(const char* operation) {
  MethodFacts facts = rma_facts(operation, "fence", "between two MPI_Win_fence", make<Fence>,
                                {{"group", {"all", "neighbors"}}},
                                {{"notify", "fence already notifies the target; drop notify"}});
  facts.describe = describe_fence;
  facts.waits = [](const Scheme& scheme) {
    return scheme.is("group", "neighbors") ? waits::at_near_fences : waits::at_fences;
  };
  return facts;
}

}  // namespace halocline::detail
