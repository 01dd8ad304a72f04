// Puts and gets as a program does them by hand: one window over the memory of all ranks.

#include "contender.hpp"
#include "types.hpp"

#include <halocline/error.hpp>

#include <algorithm>

namespace haloreplay {

using namespace halocline;

namespace {

/// A window, and the memory under it.
struct Exposed {
  mpi::Window window;
  std::shared_ptr<Area> area;

  explicit Exposed(const Ground& ground) {
    const std::size_t bytes = ground.traffic.memory[static_cast<std::size_t>(ground.me)];
    MPI_Win made = MPI_WIN_NULL;
    if (ground.pattern.allocate) {
      std::byte* base = nullptr;
      HALOCLINE_MPI(MPI_Win_allocate, static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL,
                    ground.group.comm, &base, &made);
      window = mpi::Window(made);
      std::fill_n(base, bytes, std::byte{0});
      area = std::make_shared<Area>(ground.traffic, ground.me, base);
    } else {
      area = ground.plain;
      HALOCLINE_MPI(MPI_Win_create, area->data(), static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL,
                    ground.group.comm, &made);
      window = mpi::Window(made);
    }
    HALOCLINE_MPI(MPI_Win_set_errhandler, window, MPI_ERRORS_RETURN);
  }
};

class OneSided final : public AreaContender {
 public:
  OneSided(const Ground& ground, Exposed exposed)
      : AreaContender(exposed.area),
        comm_(mpi::Comm::duplicate(ground.group.comm)),
        window_(std::move(exposed.window)),
        family_(ground.pattern.family),
        stays_open_(ground.pattern.finish == How::flush),
        lock_(ground.pattern.exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED) {
    std::vector<int> targets, origins;
    for (std::size_t rank = 0; rank < ground.pattern.ranks.size(); ++rank) {
      const auto& links = ground.pattern.ranks[rank].links;
      for (std::size_t i = 0; i < links.size(); ++i) {
        const bool puts = links[i].kind == Kind::put;
        any_put_ |= puts && ground.group[static_cast<int>(rank)] >= 0;
        any_get_ |= !puts && ground.group[static_cast<int>(rank)] >= 0;
        if (static_cast<int>(rank) == ground.me) {
          const Message& message = traffic().messages[traffic().of_link[rank][i]];
          transfers_.push_back(
              {.puts = puts,
               .target = ground.group[links[i].peer],
               .here = types_.of(puts ? message.at_sender : message.at_receiver, traffic().unit),
               .there = types_.of(puts ? message.at_receiver : message.at_sender, traffic().unit)});
          targets.push_back(transfers_.back().target);
        } else if (links[i].peer == ground.me) {
          origins.push_back(ground.group[static_cast<int>(rank)]);
        }
        if (static_cast<int>(rank) == ground.me && links[i].peer == ground.me)
          origins.push_back(ground.group[ground.me]);
      }
    }
    targets_ = targets;
    for (auto* ranks : {&targets, &origins}) {
      std::ranges::sort(*ranks);
      ranks->erase(std::unique(ranks->begin(), ranks->end()), ranks->end());
    }
    target_group_ = mpi::subgroup(comm_, targets);
    origin_group_ = mpi::subgroup(comm_, origins);
    if (family_ == Family::fence) HALOCLINE_MPI(MPI_Win_fence, 0, window_);
    if (family_ == Family::lock && stays_open_) HALOCLINE_MPI(MPI_Win_lock_all, 0, window_);
  }
  ~OneSided() override {
    if (family_ == Family::lock && stays_open_ && !mpi::abandoning()) MPI_Win_unlock_all(window_);
  }

  void exchange(Step& step) override {
    switch (family_) {
      case Family::pscw:
        mpi::check(MPI_Win_post(origin_group_, 0, window_), "MPI_Win_post");
        mpi::check(MPI_Win_start(target_group_, 0, window_), "MPI_Win_start");
        for (const Transfer& one : transfers_) move(one);
        step.compute_all();
        mpi::check(MPI_Win_complete(window_), "MPI_Win_complete");
        mpi::check(MPI_Win_wait(window_), "MPI_Win_wait");
        break;
      case Family::lock: locked(step); break;
      default:
        mpi::check(MPI_Win_fence(0, window_), "MPI_Win_fence");
        for (const Transfer& one : transfers_) move(one);
        step.compute_all();
        mpi::check(MPI_Win_fence(0, window_), "MPI_Win_fence");
    }
  }

 private:
  struct Transfer {
    bool puts;
    int target;
    Typed here, there;
  };

  void move(const Transfer& one) {
    std::byte* const here = area().data() + one.here.place;
    if (one.puts)
      mpi::check(MPI_Put(here, one.here.count, one.here.type, one.target, one.there.place,
                         one.there.count, one.there.type, window_),
                 "MPI_Put");
    else
      mpi::check(MPI_Get(here, one.here.count, one.here.type, one.target, one.there.place,
                         one.there.count, one.there.type, window_),
                 "MPI_Get");
  }

  /// Nobody but a barrier tells a target that something has been put, or an origin that it is there
  /// to be got.
  void locked(Step& step) {
    if (stays_open_) mpi::check(MPI_Win_sync(window_), "MPI_Win_sync");
    if (any_get_) mpi::check(MPI_Barrier(comm_), "MPI_Barrier");
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      const Transfer& one = transfers_[i];
      // What goes to a rank in turn shares an epoch.
      const bool first = i == 0 || targets_[i - 1] != one.target;
      const bool last = i + 1 == transfers_.size() || targets_[i + 1] != one.target;
      if (!stays_open_ && first)
        mpi::check(MPI_Win_lock(lock_, one.target, 0, window_), "MPI_Win_lock");
      move(one);
      if (!stays_open_ && last) mpi::check(MPI_Win_unlock(one.target, window_), "MPI_Win_unlock");
    }
    step.compute_all();
    if (stays_open_) mpi::check(MPI_Win_flush_all(window_), "MPI_Win_flush_all");
    if (any_put_) mpi::check(MPI_Barrier(comm_), "MPI_Barrier");
    if (stays_open_) mpi::check(MPI_Win_sync(window_), "MPI_Win_sync");
  }

  mpi::Comm comm_;
  mpi::Window window_;
  Family family_;
  bool stays_open_;
  int lock_;
  bool any_put_ = false, any_get_ = false;
  Types types_;
  std::vector<Transfer> transfers_;
  std::vector<int> targets_;
  mpi::Group target_group_, origin_group_;
};

}  // namespace

std::unique_ptr<Contender> make_one_sided(const Ground& ground) {
  return std::make_unique<OneSided>(ground, Exposed(ground));
}

}  // namespace haloreplay
