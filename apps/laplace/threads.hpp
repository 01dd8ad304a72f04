#pragma once
// Threads of one process as workers: mailboxes in memory instead of messages.

#include "global_sum.hpp"
#include "halo_traffic.hpp"

#include <halocline/pattern.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace laplace {

/// The newest halo from one thread for another. Whoever finds it in use does not wait but tries
/// again in a later iteration. If `racy`, nothing is locked, every number is an atomic of its own,
/// and a reader may find numbers of several iterations.
class Mailbox {
 public:
  Mailbox(std::size_t numbers, bool racy);

  /// False if the reader holds the lock.
  bool put(std::span<const double> numbers, std::uint64_t iteration);

  struct Taken {
    std::uint64_t iteration = 0;  ///< of the writer; 0: nothing was taken
    std::uint64_t puts = 0;       ///< since the last time something new was taken
  };
  Taken take(std::span<double> numbers);

 private:
  const bool racy_;
  std::mutex mutex_;
  std::vector<std::atomic<double>> cells_;
  std::atomic<std::uint64_t> puts_{0}, iteration_{0};
  std::uint64_t taken_ = 0;  ///< the reader's
};

/// What the threads share.
class ThreadBoard {
 public:
  ThreadBoard(int threads, bool racy);

  /// To be called by a thread that fails, with the reason: the others end when they next wait.
  void fail(std::exception_ptr reason);
  /// Throws what the first thread to fail threw, if any did.
  void rethrow() const;
  /// A barrier. Throws Error after another thread has failed.
  void meet();

 private:
  friend class ThreadTraffic;
  friend class ThreadSum;
  void check() const;

  struct alignas(64) Slot {
    double value = 0;
    std::atomic<std::uint64_t> round{0};
  };
  /// One for each thread, then the sum's.
  using Slots = std::vector<Slot>;

  std::unique_ptr<Mailbox>& box(int from, int to) {
    return boxes_[static_cast<std::size_t>(from * threads_ + to)];
  }

  const int threads_;
  const bool racy_;
  std::vector<std::unique_ptr<Mailbox>> boxes_;
  Slots sums_[2];
  std::atomic<std::uint64_t> arrivals_{0};
  std::atomic<bool> failed_{false};
  std::mutex failing_;
  std::exception_ptr reason_;
};

/// Sums in the order of the threads, made by thread 0 whenever it looks. There may be two of a
/// thread, told apart by `which`.
class ThreadSum final : public GlobalSum {
 public:
  ThreadSum(ThreadBoard& board, int thread, int which)
      : board_(board), slots_(board.sums_[which]), thread_(thread) {}

  std::optional<double> advance(const std::function<double()>& mine) override;
  void drain() override;
  double everywhere(double mine) override;

 private:
  ThreadBoard& board_;
  ThreadBoard::Slots& slots_;
  int thread_;
  bool contributed_ = false;
  std::uint64_t round_ = 0;
};

/// Peers of the system's pattern are threads.
class ThreadTraffic final : public HaloTraffic {
 public:
  ThreadTraffic(ThreadBoard& board, int thread, System& system);

  std::size_t receive() override;
  void send(std::uint64_t iteration) override;
  void drain() override;
  void exchange() override;
  std::size_t links() const override { return in_.size(); }
  std::uint64_t iteration_of(std::size_t link) const override { return in_[link].iteration; }
  halocline::AsyncCounts counts() const override { return counts_; }

 private:
  struct End {
    const halocline::Link* link;
    Mailbox* box;
    std::vector<double> numbers;
    std::uint64_t iteration = 0;
  };
  bool put(End& end, std::uint64_t iteration);
  bool take(End& end);

  ThreadBoard& board_;
  System& system_;
  std::uint64_t last_ = 0;
  std::vector<End> out_, in_;
  halocline::AsyncCounts counts_;
};

}  // namespace laplace
