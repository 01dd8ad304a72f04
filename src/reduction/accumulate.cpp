// Accumulate: every rank accumulates its value into a slot of the last rank's window, one slot for
// each step in turn, and then counts itself in. The slot is complete when all have.

#include "at_last_rank.hpp"

#include "kinds.hpp"
#include "mpi/collectives.hpp"
#include "mpi/windows.hpp"

#include "memory/new_windows.hpp"

namespace halocline::detail {

namespace {

class Accumulate final : public AtLastRank {
 public:
  Accumulate(MPI_Comm ranks, int capacity) : AtLastRank(ranks), slots_(capacity + 1) {
    const std::size_t bytes = is_last() ? static_cast<std::size_t>(slots_) * sizeof(Slot) : 0;
    Slot* slots = nullptr;
    window_ = make_window({"reduction accumulate", "Take another reduction",
                           "take another reduction, or make /dev/shm larger"},
                          allocated(comm(), bytes, sizeof(double), &slots));
    HALOCLINE_MPI(MPI_Win_lock_all, 0, window_);
    set_in_epoch(window_, true);
    for (int i = 0; is_last() && i < slots_; ++i) reset(i);
    mpi::barrier(comm());
  }
  ~Accumulate() override {
    if (!mpi::abandoning()) MPI_Win_unlock_all(window_);
  }

  void contribute(double value) override {
    const auto slot = static_cast<MPI_Aint>(contributed_ % slots_) * 2;
    {
      const Blocking blocking("reduction accumulate: MPI_Win_flush");
      const double one = 1;
      HALOCLINE_MPI(MPI_Accumulate, &value, 1, MPI_DOUBLE, size_ - 1, slot, 1, MPI_DOUBLE, MPI_MAX,
                    window_);
      // Only what has arrived may be counted.
      HALOCLINE_MPI(MPI_Win_flush, size_ - 1, window_);
      HALOCLINE_MPI(MPI_Accumulate, &one, 1, MPI_DOUBLE, size_ - 1, slot + 1, 1, MPI_DOUBLE,
                    MPI_SUM, window_);
      HALOCLINE_MPI(MPI_Win_flush, size_ - 1, window_);
    }
    ++contributed_;
    advance();
  }

 private:
  struct Slot {
    double maximum, ranks;
  };

  void advance() override {
    // A complete step may be followed by others; one that I have not reached cannot be complete.
    while (is_last() && delivered_ < contributed_) {
      const auto slot = static_cast<int>(delivered_ % slots_);
      const Slot now = read(slot);
      if (now.ranks < size_) break;
      // Empty before rank 0 knows: no rank is `capacity` steps ahead until then.
      reset(slot);
      ++delivered_;
      deliver(now.maximum);
    }
    if (!is_last()) let_progress(comm());
  }

  bool idle() override { return !is_last() || delivered_ == contributed_; }

  /// Also the owner reads and writes by RMA: only accumulates are atomic with accumulates.
  Slot read(int slot) {
    const Slot ignored{};
    Slot now{};
    HALOCLINE_MPI(MPI_Get_accumulate, &ignored, 2, MPI_DOUBLE, &now, 2, MPI_DOUBLE, rank_,
                  static_cast<MPI_Aint>(slot) * 2, 2, MPI_DOUBLE, MPI_NO_OP, window_);
    HALOCLINE_MPI(MPI_Win_flush, rank_, window_);
    return now;
  }
  void reset(int slot) {
    const Slot empty{0, 0};
    HALOCLINE_MPI(MPI_Accumulate, &empty, 2, MPI_DOUBLE, rank_, static_cast<MPI_Aint>(slot) * 2, 2,
                  MPI_DOUBLE, MPI_REPLACE, window_);
    HALOCLINE_MPI(MPI_Win_flush, rank_, window_);
  }

  const int slots_;
  mpi::Window window_;
  std::int64_t delivered_ = 0;
};

}  // namespace

std::unique_ptr<MaxReduction> make_accumulate(MPI_Comm comm, int capacity) {
  return std::make_unique<Accumulate>(comm, capacity);
}

}  // namespace halocline::detail
