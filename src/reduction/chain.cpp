// Chain: every rank passes the larger of its predecessor's maximum and its own value on. No rank
// has more than one message per step to take, so that none becomes a bottleneck.

#include "at_last_rank.hpp"
#include "kinds.hpp"

#include <algorithm>

namespace halocline::detail {

namespace {

class Chain final : public AtLastRank {
 public:
  using AtLastRank::AtLastRank;

  void contribute(double value) override {
    ++contributed_;
    mine_.push_back(value);
    advance();
  }

 private:
  void advance() override {
    passed_.empty();
    while (!mine_.empty()) {
      double maximum = mine_.front();
      if (rank_ > 0) {
        const auto before_me = arrived(comm(), rank_ - 1, to_peer);
        if (!before_me) return;
        maximum = std::max(maximum, *before_me);
      }
      mine_.pop_front();
      if (is_last())
        deliver(maximum);
      else
        passed_.send(rank_ + 1, maximum);
    }
  }

  bool idle() override { return mine_.empty() && passed_.empty(); }

  std::deque<double> mine_;
  Outbox passed_{comm(), to_peer};
};

}  // namespace

std::unique_ptr<MaxReduction> make_chain(MPI_Comm comm) {
  return std::make_unique<Chain>(comm);
}

}  // namespace halocline::detail
