#pragma once
// What the ways have in common in which the last rank learns the maximum first.

#include "mailbox.hpp"

#include <halocline/more/reduction.hpp>

namespace halocline::detail {

/// The last rank sends rank 0 every maximum. A derived class gets values to the last rank.
class AtLastRank : public MaxReduction {
 public:
  explicit AtLastRank(MPI_Comm ranks)
      : MaxReduction(ranks), rank_(mpi::rank(comm())), size_(mpi::size(comm())) {}

  std::optional<double> next() final {
    advance();
    collect();
    if (known_.empty()) return std::nullopt;
    const double value = known_.front();
    known_.pop_front();
    return value;
  }

  void complete() override {
    wait_until("reduction: remaining steps", [&] {
      advance();
      collect();
      return idle() && outbox_.empty() && (rank_ != 0 || told_ == contributed_);
    });
  }

 protected:
  enum Tag { to_root, to_peer };

  /// Moves whatever can move, without waiting.
  virtual void advance() = 0;
  /// Nothing of mine, or through me, is still to move.
  virtual bool idle() = 0;

  bool is_last() const noexcept { return rank_ == size_ - 1; }
  /// On the last rank: the maximum of the next step is known.
  void deliver(double maximum) {
    if (rank_ == 0) {
      known_.push_back(maximum);
      ++told_;
    } else {
      outbox_.send(0, maximum);
    }
  }

  const int rank_, size_;
  std::int64_t contributed_ = 0;  ///< my steps; derived classes count

 private:
  void collect() {
    outbox_.empty();
    if (rank_ != 0 || size_ == 1) return;
    while (const auto value = arrived(comm(), size_ - 1, to_root)) {
      known_.push_back(*value);
      ++told_;
    }
  }

  Outbox outbox_{comm(), to_root};
  std::deque<double> known_;
  std::int64_t told_ = 0;
};

}  // namespace halocline::detail
