// Nonblocking allreduces, several under way: ranks run ahead while the oldest completes.

#include "kinds.hpp"
#include "mpi/under_way.hpp"

#include <halocline/more/waiting.hpp>

#include <deque>

namespace halocline::detail {

namespace {

class Iallreduce final : public MaxReduction {
 public:
  explicit Iallreduce(MPI_Comm ranks) : MaxReduction(ranks) {}

  void contribute(double value) override {
    Pending<double>& step = steps_.emplace_back(value);
    HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, &*step, 1, MPI_DOUBLE, MPI_MAX, comm(),
                  &step.request());
  }

  std::optional<double> next() override {
    if (steps_.empty()) return std::nullopt;
    int done = 0;
    HALOCLINE_MPI(MPI_Test, &steps_.front().request(), &done, MPI_STATUS_IGNORE);
    if (!done) return std::nullopt;
    return pop();
  }

  double everywhere() override {
    wait_one("reduction iallreduce: oldest step", steps_.front().request());
    return pop();
  }

  void complete() override {
    for (auto& step : steps_) wait_one("reduction iallreduce: remaining steps", step.request());
  }

  int lag() const noexcept override { return 1; }

 private:
  double pop() {
    const double value = *steps_.front();
    steps_.pop_front();
    return value;
  }

  std::deque<Pending<double>> steps_;
};

}  // namespace

std::unique_ptr<MaxReduction> make_iallreduce(MPI_Comm comm) {
  return std::make_unique<Iallreduce>(comm);
}

}  // namespace halocline::detail
