// Nonblocking allreduces, several under way: ranks run ahead while the oldest completes.

#include "kinds.hpp"

#include <halocline/wait.hpp>

#include <deque>

namespace halocline::detail {

namespace {

class Iallreduce final : public MaxReduction {
 public:
  explicit Iallreduce(MPI_Comm ranks) : MaxReduction(ranks) {}
  ~Iallreduce() override {
    // Started collectives cannot be cancelled; all ranks have started the same ones.
    for (Step& step : steps_) MPI_Wait(&step.request, MPI_STATUS_IGNORE);
  }

  void contribute(double value) override {
    Step& step = steps_.emplace_back(Step{value, MPI_REQUEST_NULL});
    HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, &step.value, 1, MPI_DOUBLE, MPI_MAX, comm(),
                  &step.request);
  }

  std::optional<double> next() override {
    if (steps_.empty()) return std::nullopt;
    int done = 0;
    HALOCLINE_MPI(MPI_Test, &steps_.front().request, &done, MPI_STATUS_IGNORE);
    if (!done) return std::nullopt;
    return pop();
  }

  double everywhere() override {
    wait("reduction iallreduce: oldest step", steps_.front().request);
    return pop();
  }

  void complete() override {
    for (Step& step : steps_) wait("reduction iallreduce: remaining steps", step.request);
  }

  int lag() const noexcept override { return 1; }

 private:
  struct Step {
    double value;
    MPI_Request request;
  };

  double pop() {
    const double value = steps_.front().value;
    steps_.pop_front();
    return value;
  }

  std::deque<Step> steps_;  // a deque keeps the buffers where they are
};

}  // namespace

std::unique_ptr<MaxReduction> make_iallreduce(MPI_Comm comm) {
  return std::make_unique<Iallreduce>(comm);
}

}  // namespace halocline::detail
