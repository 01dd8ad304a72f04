// shm:pscw: post-start-complete-wait around no transfer at all. By the standard MPI_Win_start need
// not wait for MPI_Win_post; what holds is that MPI_Win_wait (here polled by MPI_Win_test) returns
// after the MPI_Win_complete of every origin. So whoever has something to tell is an origin. Where
// ranks outnumber cores it polls for an empty message after the post, as in rma_pscw.cpp.

#include "methods.hpp"
#include "notify.hpp"
#include "shm.hpp"

namespace halocline::detail {

namespace {

/// One notice a step, from each of some ranks to each of some others.
class Notice {
 public:
  Notice(mpi::Window window, MPI_Comm comm, const std::vector<int>& from,
         const std::vector<int>& to, int tag, const char* what)
      : window_(std::move(window)),
        from_(mpi::subgroup(comm, from)),
        to_(mpi::subgroup(comm, to)),
        any_from_(!from.empty()),
        any_to_(!to.empty()) {
    if (takes_turns(comm)) expected_ = make_notifier("message", comm, from, to, tag, what);
  }

  void expect() {
    if (!any_from_) return;
    HALOCLINE_MPI(MPI_Win_post, from_, 0, window_);
    if (expected_) expected_->signal_all();
    heard_ = false;
  }
  void tell(const char* what) const {
    if (!any_to_) return;
    if (expected_) expected_->await();
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
  std::unique_ptr<Notifier> expected_;  // where MPI_Win_start could keep a core from those who post
};

class ShmPscw final : public ShmExchange<ShmPscw> {
 public:
  explicit ShmPscw(Setup s)
      : ShmExchange(std::move(s)),
        ready_(control_window(islands().island()), comm(), sources(), targets(), 13, what()),
        read_(control_window(islands().island()), comm(), targets(), sources(), 14, what()) {}

 private:
  friend ShmExchange;

  void announce() {
    ready_.expect();
    if (reading_is_told()) read_.expect();
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
    if (--unread_ > 0 || !reading_is_told()) return;
    before_telling();
    read_.tell(what());
  }

  bool reclaimed() {
    if (!read_.heard()) return false;
    after_hearing();
    return true;
  }

  Notice ready_, read_;
  std::size_t unread_ = 0;  ///< sources that I have still to read in this step
};

}  // namespace

MethodFacts shm_pscw() {
  return shm_facts(
      "shm:pscw",
      "loads and stores, synchronised by empty post-start-complete-wait epochs and MPI_Win_sync",
      make<ShmPscw>);
}

}  // namespace halocline::detail
