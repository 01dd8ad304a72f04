// shm:pscw: post-start-complete-wait around no transfer at all. By the standard MPI_Win_start need
// not wait for MPI_Win_post; what holds is that MPI_Win_wait (here polled by MPI_Win_test) returns
// after the MPI_Win_complete of every origin. So a rank that notifies others is an origin.
//
// Where ranks outnumber cores, MPI_Win_start may spin on the core that a target needs to post.
// There an empty message follows the posts, and is polled for before the first start, as in
// rma_pscw.cpp. The second needs none: a peer that has notified me that I may read has posted
// before.

#include "exchange/core/notify.hpp"
#include "mpi/windows.hpp"
#include "shm.hpp"

#include <algorithm>

namespace halocline::detail {

namespace {

/// Windows for notices. An epoch is a window's, so exchanges that are under way at the same time
/// have different ones; all others of the same neighbours use the same. (MPI libraries count posts
/// and completions of a window, whose soever they are: other neighbours have other windows.)
class NoticeWindows {
 public:
  NoticeWindows(MPI_Comm island, const Scheme& scheme) : island_(island), scheme_(scheme) {}

  /// So many there are then, as an exchange uses at once. Collective over `all`, the exchange's.
  void provide(MPI_Comm all, std::size_t count) {
    if (in_use_.size() < count) add(all, count - in_use_.size());
  }
  /// One that is not in use, the same on all ranks, who ask and give back in the same order. Where
  /// exchanges under way at the same time use those that have been provided, there is a further
  /// one: collective over the island, whose ranks all throw if it is refused.
  std::size_t take() {
    const auto unused = std::find(in_use_.begin(), in_use_.end(), false);
    const auto number = static_cast<std::size_t>(unused - in_use_.begin());
    if (unused == in_use_.end()) add(island_, 1);
    in_use_[number] = true;
    return number;
  }
  void give_back(std::size_t number) { in_use_[number] = false; }
  void leave_those_in_use() const noexcept {
    for (std::size_t i = 0; i < windows_.size(); ++i)
      if (in_use_[i]) leave_in_epoch(windows_[i]);
  }
  MPI_Win operator[](std::size_t number) const { return windows_[number]; }

 private:
  void add(MPI_Comm all, std::size_t count) {
    for (mpi::Window& window : Shm::control_windows(all, scheme_, island_, count)) {
      windows_.push_back(std::move(window));
      in_use_.push_back(false);
    }
  }

  MPI_Comm island_;
  Scheme scheme_;  // of the first exchange that uses them
  std::vector<mpi::Window> windows_;
  std::vector<bool> in_use_;
};

/// One notice a step, from each of some ranks to each of some others.
class Notice {
 public:
  Notice(NoticeWindows& windows, MPI_Comm comm, const std::vector<int>& from,
         const std::vector<int>& to)
      : windows_(windows),
        from_(mpi::subgroup(comm, from)),
        to_(mpi::subgroup(comm, to)),
        any_from_(!from.empty()),
        any_to_(!to.empty()) {}

  void begin() {
    number_ = windows_.take();
    window_ = windows_[number_];
  }
  void end() { windows_.give_back(number_); }

  void expect() {
    if (!any_from_) return;
    HALOCLINE_MPI(MPI_Win_post, from_, 0, window_);
    notified_ = false;
  }
  void notify(const char* what) const {
    if (!any_to_) return;
    const Blocking guard(what);
    HALOCLINE_MPI(MPI_Win_start, to_, 0, window_);
    HALOCLINE_MPI(MPI_Win_complete, window_);
  }
  /// From all of them?
  bool notified() {
    if (notified_) return true;
    int all = 0;
    HALOCLINE_MPI(MPI_Win_test, window_, &all);
    return notified_ = all != 0;
  }

 private:
  NoticeWindows& windows_;
  std::size_t number_ = 0;
  MPI_Win window_ = MPI_WIN_NULL;  // of this step
  mpi::Group from_, to_;
  bool any_from_, any_to_;
  bool notified_ = true;
};

class ShmPscw final : public Shm {
 public:
  explicit ShmPscw(Setup s)
      : Shm(std::move(s)),
        windows_(find_windows()),
        ready_(*windows_, comm(), sources(), targets()),
        read_(*windows_, comm(), readers_notify() ? targets() : std::vector<int>{},
              readers_notify() ? sources() : std::vector<int>{}) {
    if (oversubscribed(comm()))
      posted_ = make_notifier("message", setup().comm, sources(), targets(), tag(), what());
  }
  ~ShmPscw() override {
    if (!abandoning() || !mpi::running()) return;
    windows_->leave_those_in_use();
    known().forget(windows_);
  }

  void start() override {
    begin_step([&] { announce(); });
  }
  void finish() override {
    end_step([&](std::size_t source) { return arrived(source); },
             [&](std::size_t source) { release(source); }, [&] { return reclaimed(); });
  }

 private:
  using Peers = std::pair<std::vector<int>, std::vector<int>>;
  Agreed<Peers, NoticeWindows>& known() const {
    return setup().comm.shared<Agreed<Peers, NoticeWindows>>("notices, " +
                                                             scheme().islands().str());
  }
  std::shared_ptr<NoticeWindows> find_windows() const {
    auto windows = known().find({sources(), targets()},
                                [&] { return NoticeWindows(islands().island(), scheme()); });
    windows->provide(comm(), readers_notify() ? 2 : 1);
    return windows;
  }

  void announce() {
    ready_.begin();
    if (readers_notify()) read_.begin();
    ready_.expect();
    read_.expect();
    if (posted_) {
      posted_->signal_all();
      posted_->await();
    }
    sync_release();
    ready_.notify(what());
    unread_ = sources().size();
  }

  bool arrived(std::size_t) {
    if (!ready_.notified()) return false;
    sync_acquire();
    return true;
  }

  void release(std::size_t) {
    if (!readers_notify() || --unread_ > 0) return;
    sync_release();
    read_.notify(what());
  }

  bool reclaimed() {
    if (!read_.notified()) return false;
    sync_acquire();
    ready_.end();
    if (readers_notify()) read_.end();
    return true;
  }

  std::shared_ptr<NoticeWindows> windows_;
  Notice ready_, read_;
  std::unique_ptr<Notifier> posted_;  // where MPI_Win_start could keep a core from those who post
  std::size_t unread_ = 0;            ///< sources of this step
};

class DescribedPscw final : public ShmDescribed {
 public:
  using ShmDescribed::ShmDescribed;
  void announce(model::Script& script) const override {
    for (const model::LinkSize& link : links_.receives)
      script.notify(link.peer, model::Word::post, "post");
    if (readers_notify())
      for (const model::LinkSize& link : links_.sends)
        script.notify(link.peer, model::Word::post, "post");
    for (const model::LinkSize& link : links_.sends)
      script.await(link.peer, model::Word::post, "start");
    for (const model::LinkSize& link : links_.sends)
      script.notify(link.peer, model::Word::complete, "complete");
  }
  void arrived(model::Script& script) const override {
    for (const model::LinkSize& link : links_.receives)
      script.await(link.peer, model::Word::complete, "wait");
  }
  using ShmDescribed::arrived;
  void release(model::Script& script) const override {
    for (const model::LinkSize& link : links_.receives)
      script.await(link.peer, model::Word::post, "start");
    notify_sources(script, "complete");
    await_targets(script, "wait");
  }
};

}  // namespace

MethodFacts shm_pscw() {
  MethodFacts facts = shm_facts(
      "shm:pscw",
      "loads and stores, synchronised by empty post-start-complete-wait epochs and MPI_Win_sync",
      make<ShmPscw>, describe_shm<DescribedPscw>);
  facts.waits = [](const Scheme&) { return waits::for_memory_epochs; };
  return facts;
}

}  // namespace halocline::detail
