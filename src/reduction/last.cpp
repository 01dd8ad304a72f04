// Last: every rank sends its value to the last rank, which has P-1 messages to take per step.

#include "at_last_rank.hpp"
#include "kinds.hpp"

#include <algorithm>
#include <vector>

namespace halocline::detail {

namespace {

class Last final : public AtLastRank {
 public:
  explicit Last(MPI_Comm ranks)
      : AtLastRank(ranks), steps_of_(static_cast<std::size_t>(size_), 0) {}

  void contribute(double value) override {
    ++contributed_;
    if (is_last())
      take(rank_, value);
    else
      outbox_.send(size_ - 1, value);
    advance();
  }

 private:
  struct Step {
    double maximum = 0;
    int missing;
  };

  void advance() override {
    outbox_.empty();
    if (!is_last()) return;
    // Messages of one rank arrive in the order of its steps.
    for (int from = 0; from < size_ - 1; ++from)
      while (const auto value = arrived(comm(), from, to_peer)) take(from, *value);
    while (!steps_.empty() && steps_.front().missing == 0) {
      deliver(steps_.front().maximum);
      steps_.pop_front();
      ++delivered_;
    }
  }

  void take(int from, double value) {
    const std::int64_t step = steps_of_[static_cast<std::size_t>(from)]++;
    const auto index = static_cast<std::size_t>(step - delivered_);
    while (steps_.size() <= index) steps_.push_back({0, size_});
    steps_[index].maximum = std::max(steps_[index].maximum, value);
    --steps_[index].missing;
  }

  bool idle() override { return outbox_.empty() && (!is_last() || delivered_ == contributed_); }

  Outbox outbox_{comm(), to_peer};
  std::vector<std::int64_t> steps_of_;  // how many each rank has sent
  std::deque<Step> steps_;              // from step `delivered_` on
  std::int64_t delivered_ = 0;
};

}  // namespace

std::unique_ptr<MaxReduction> make_last(MPI_Comm comm) {
  return std::make_unique<Last>(comm);
}

}  // namespace halocline::detail
