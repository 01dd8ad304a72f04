// shm:fence: two fences around nothing but loads and stores: "all cells may be read", "all have
// been". Only without assertions does MPI_Win_fence wait for all others to reach it.

#include "mpi/refusal.hpp"
#include "mpi/scarce.hpp"
#include "mpi/windows.hpp"
#include "shm.hpp"

namespace halocline::detail {

namespace {

/// The ranks of an island that have links there, and their window.
struct Linked {
  mpi::Comm ranks{};
  mpi::Window window{};
};

class ShmFence final : public Shm {
 public:
  explicit ShmFence(Setup s) : Shm(std::move(s)) {
    // Ranks without links in the island need not take part.
    linked_ = known().find(takes_part(), [&] {
      Linked linked;
      mpi::InParts of_islands(comm());
      of_islands.make([&] {
        make_scarce(
            scheme().str(), "End exchanges that are not used any more, or use shm:signal",
            [&] {
              linked.ranks = mpi::Comm::split(islands().island(), takes_part() ? 0 : MPI_UNDEFINED);
            },
            "communicator");
      });
      of_islands.agree();
      for (mpi::Window& window : control_windows(comm(), scheme(), linked.ranks))
        linked.window = std::move(window);
      return linked;
    });
  }
  ~ShmFence() override {
    if (!abandoning() || !mpi::running()) return;
    if (takes_part() && mpi::has_left_in_the_middle(comm())) leave_in_epoch(linked_->window);
    known().forget(linked_);
  }

  void start() override {
    begin_step([&] { announce(); });
  }
  void finish() override {
    end_step([&](std::size_t source) { return arrived(source); },
             [&](std::size_t source) { release(source); }, [&] { return reclaimed(); });
  }

 private:
  Agreed<bool, Linked>& known() const {
    return setup().comm.shared<Agreed<bool, Linked>>("fences, " + scheme().islands().str());
  }

  bool takes_part() const { return !targets().empty() || !sources().empty(); }

  void fence() const {
    if (!takes_part()) return;
    sync_release();
    {
      const Blocking guard(what());
      HALOCLINE_MPI(MPI_Win_fence, 0, linked_->window);
    }
    sync_acquire();
  }

  void announce() const { fence(); }
  bool arrived(std::size_t) const { return true; }
  void release(std::size_t) const {}
  bool reclaimed() const {
    if (readers_notify()) fence();
    return true;
  }

  std::shared_ptr<Linked> linked_;  // that of all exchanges in which the same ranks take part
};

class DescribedFence final : public ShmDescribed {
 public:
  using ShmDescribed::ShmDescribed;
  void announce(model::Script& script) const override { fence(script); }
  void release(model::Script& script) const override { fence(script); }

 private:
  void fence(model::Script& script) const {
    if (!links_.sends.empty() || !links_.receives.empty())
      script.barrier({model::Group::Of::island, links_.island}, "fence:shm");
  }
};

}  // namespace

MethodFacts shm_fence() {
  MethodFacts facts =
      shm_facts("shm:fence", "loads and stores, synchronised by MPI_Win_fence and MPI_Win_sync",
                make<ShmFence>, describe_shm<DescribedFence>);
  facts.waits = [](const Scheme&) { return waits::at_memory_fences; };
  return facts;
}

}  // namespace halocline::detail
