// shm:pscw: post-start-complete-wait around no transfer at all. By the standard MPI_Win_start need
// not wait for MPI_Win_post; what holds is that MPI_Win_wait (here polled by MPI_Win_test) returns
// after the MPI_Win_complete of every origin. So whoever has something to tell is an origin.
//
// Where ranks outnumber cores, MPI_Win_start may spin on the core that a target needs to post.
// There an empty message follows the posts, and is polled for before the first start, as in
// rma_pscw.cpp. The second needs none: whoever has told me that I may read posted before.

#include "methods.hpp"
#include "notify.hpp"
#include "shm.hpp"

namespace halocline::detail {

namespace {

/// One notice a step, from each of some ranks to each of some others.
class Notice {
 public:
  Notice(mpi::Window window, MPI_Comm comm, const std::vector<int>& from,
         const std::vector<int>& to)
      : window_(std::move(window)),
        from_(mpi::subgroup(comm, from)),
        to_(mpi::subgroup(comm, to)),
        any_from_(!from.empty()),
        any_to_(!to.empty()) {}

  void expect() {
    if (!any_from_) return;
    HALOCLINE_MPI(MPI_Win_post, from_, 0, window_);
    heard_ = false;
  }
  void tell(const char* what) const {
    if (!any_to_) return;
    const Blocking guard(what);
    HALOCLINE_MPI(MPI_Win_start, to_, 0, window_);
    HALOCLINE_MPI(MPI_Win_complete, window_);
  }
  /// From all of them?
  bool heard() {
    if (heard_) return true;
    int all = 0;
    HALOCLINE_MPI(MPI_Win_test, window_, &all);
    return heard_ = all != 0;
  }

 private:
  mpi::Window window_;
  mpi::Group from_, to_;
  bool any_from_, any_to_;
  bool heard_ = true;
};

class ShmPscw final : public ShmExchange<ShmPscw> {
 public:
  explicit ShmPscw(Setup s)
      : ShmExchange(std::move(s)),
        ready_(control_window(islands().island()), comm(), sources(), targets()),
        read_(control_window(islands().island()), comm(),
              readers_tell() ? targets() : std::vector<int>{},
              readers_tell() ? sources() : std::vector<int>{}) {
    if (takes_turns(comm()))
      posted_ = make_notifier("message", comm(), sources(), targets(), tag(), what());
  }

 private:
  friend ShmExchange;

  void announce() {
    ready_.expect();
    read_.expect();
    if (posted_) {
      posted_->signal_all();
      posted_->await();
    }
    before_telling();
    ready_.tell(what());
    unread_ = sources().size();
  }

  bool arrived(std::size_t) {
    if (!ready_.heard()) return false;
    after_hearing();
    return true;
  }

  void release(std::size_t) {
    if (!readers_tell() || --unread_ > 0) return;
    before_telling();
    read_.tell(what());
  }

  bool reclaimed() {
    if (!read_.heard()) return false;
    after_hearing();
    return true;
  }

  Notice ready_, read_;
  std::unique_ptr<Notifier> posted_;  // where MPI_Win_start could keep a core from those who post
  std::size_t unread_ = 0;            ///< sources of this step
};

}  // namespace

MethodFacts shm_pscw() {
  return shm_facts(
      "shm:pscw",
      "loads and stores, synchronised by empty post-start-complete-wait epochs and MPI_Win_sync",
      make<ShmPscw>);
}

}  // namespace halocline::detail
