// rma:put:pscw, rma:get:pscw, rma:accumulate:pscw: active target between those concerned (post,
// start, complete, wait).
//
//   MPI_Win_post       as target: my memory is ready for these origins (never blocks)
//   MPI_Win_start      as origin: waits at most for the posts of these targets
//   MPI_Put / MPI_Get
//   MPI_Win_complete   as origin: my transfers of this step are over
//   MPI_Win_wait       as target: all my origins have completed
//
// Posting comes first on all ranks, so no cycle of ranks can wait for each other's start. No put
// arrives before its target has posted, that is, has unpacked the step before.
//
// Where ranks outnumber cores, MPI_Win_start may spin on the core that a target needs to post.
// There an empty message follows each post, and its origin polls for it before it starts.

#include "exchange/core/notify.hpp"
#include "rma_facts.hpp"
#include "rma_windows.hpp"

namespace halocline::detail {

namespace {

class Pscw final : public Method {
 public:
  explicit Pscw(Setup s)
      : Method(std::move(s)), rma_(setup(), bases(), what(), {.slots = 1, .locks = false}) {
    for (const RmaWindow& window : rma_.windows()) {
      // A rank without origins (or targets) in a window has nothing to post (or start) there.
      if (!window.origins.empty())
        exposures_.push_back({window.handle, mpi::subgroup(window.comm, window.origins)});
      if (!window.targets.empty())
        accesses_.push_back({window.handle, mpi::subgroup(window.comm, window.targets)});
    }
    if (scheme().is("asserts", "on"))
      // No rank puts into memory that is read by gets. Slots for puts are never stored to.
      post_assertions_ = !rma_.puts() ? MPI_MODE_NOPUT : rma_.in_place() ? 0 : MPI_MODE_NOSTORE;
    if (oversubscribed(comm())) {
      const std::vector<int> targets = setup().targets(), sources = setup().sources();
      posted_ = make_notifier("message", setup().comm, rma_.puts() ? sources : targets,
                              rma_.puts() ? targets : sources, tag(), what());
    }
  }

  void rebound() override { rma_.rebind(bases()); }

  void start() override {
    {
      const auto time = packing();
      rma_.pack();
      copy_local();
    }
    const auto time = transferring();
    for (const Epoch& exposure : exposures_)
      HALOCLINE_MPI(MPI_Win_post, exposure.group, post_assertions_, exposure.window);
    if (posted_) {
      posted_->signal_all();
      posted_->await();
    }
    for (const Epoch& access : accesses_) {
      const Blocking guard(what());
      HALOCLINE_MPI(MPI_Win_start, access.group, 0, access.window);
    }
    maybe_delay();
    rma_.move_all();
  }

  void finish() override {
    {
      const auto time = waiting();
      for (const Epoch& access : accesses_) {
        const Blocking guard(what());
        HALOCLINE_MPI(MPI_Win_complete, access.window);
      }
      for (const Epoch& exposure : exposures_)
        // MPI_Win_wait, but polled. MPI_Win_test of Open MPI's osc/sm lets nothing else go on
        // (5.0.11: docs/atlas/programs/win_test.c).
        wait_until(what(), [&] {
          int done = 0;
          HALOCLINE_MPI(MPI_Win_test, exposure.window, &done);
          if (done == 0) let_progress(comm());
          return done != 0;
        });
    }
    maybe_delay();
    const auto time = packing();
    rma_.unpack();
  }

 private:
  struct Epoch {
    MPI_Win window;
    mpi::Group group;
  };

  RmaWindows rma_;
  std::vector<Epoch> exposures_, accesses_;
  int post_assertions_ = 0;
  std::unique_ptr<Notifier> posted_;  // where MPI_Win_start could keep a core from its target
};

}  // namespace

namespace {

model::Step describe_pscw(const model::Chosen& chosen, const model::Links& links) {
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  const DescribedWindows windows(chosen, links, 1, step);
  windows.pack(start);
  for (const model::LinkSize& link : windows.inward)
    start.notify(link.peer, model::Word::post, "post");
  for (const model::LinkSize& link : windows.outward)
    start.await(link.peer, model::Word::post, "start");
  for (const model::LinkSize& link : windows.outward) windows.move(start, link);
  windows.describe_progress(finish);
  for (const model::LinkSize& link : windows.outward) finish.flush(link, "flush:pscw");
  for (const model::LinkSize& link : windows.outward)
    finish.notify(link.peer, model::Word::complete, "complete");
  for (const model::LinkSize& link : windows.inward)
    finish.await(link.peer, model::Word::complete, "wait");
  windows.unpack(finish);
  return step;
}

}  // namespace

MethodFacts rma_pscw(const char* operation) {
  MethodFacts facts =
      rma_facts(operation, "pscw", "between MPI_Win_post/start and complete/wait", make<Pscw>, {},
                {{"notify", "complete already notifies the target; drop notify"},
                 {"group", "post and start name neighbours only already; drop group"}});
  facts.describe = describe_pscw;
  facts.waits = [](const Scheme& scheme) {
    return scheme.part(1) == "get" ? waits::for_epochs_of_gets : waits::for_epochs;
  };
  return facts;
}

}  // namespace halocline::detail
