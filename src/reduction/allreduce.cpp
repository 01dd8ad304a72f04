// Blocking allreduce: every rank knows every maximum at once, and no rank runs ahead.

#include "kinds.hpp"
#include "mpi/under_way.hpp"

#include <halocline/more/trace.hpp>
#include <halocline/more/waiting.hpp>
#include <halocline/wait.hpp>

#include <deque>

namespace halocline::detail {

namespace {

class Allreduce final : public MaxReduction {
 public:
  explicit Allreduce(MPI_Comm ranks) : MaxReduction(ranks) {}

  void contribute(double value) override {
    const trace::Together together(comm(), "reduction allreduce");
    if (Patience::yields()) {
      // Where ranks share a core, a blocking call spins on while others have work to do.
      Pending<double> maximum(value);
      HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, &*maximum, 1, MPI_DOUBLE, MPI_MAX, comm(),
                    &maximum.request());
      wait_one("reduction allreduce", maximum.request());
      value = *maximum;
    } else {
      const Blocking blocking("reduction allreduce: MPI_Allreduce");
      HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm());
    }
    known_.push_back(value);
  }

  std::optional<double> next() override {
    if (known_.empty()) return std::nullopt;
    const double value = known_.front();
    known_.pop_front();
    return value;
  }

  double everywhere() override { return next().value(); }
  void complete() override {}

 private:
  std::deque<double> known_;
};

}  // namespace

std::unique_ptr<MaxReduction> make_allreduce(MPI_Comm comm) {
  return std::make_unique<Allreduce>(comm);
}

}  // namespace halocline::detail
