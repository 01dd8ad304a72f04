// Iallreduce: one nonblocking allreduce after the other.

#include "async_kinds.hpp"
#include "mpi/under_way.hpp"

namespace halocline::detail {

namespace {

class SumIallreduce final : public RoundedSum {
 public:
  explicit SumIallreduce(MPI_Comm ranks) : RoundedSum(ranks) {}
  ~SumIallreduce() override { come_to_rest(); }

 private:
  bool begin(const std::function<double()>& mine) override {
    Pending<double>& sum = sum_.emplace(mine());
    HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, &*sum, 1, MPI_DOUBLE, MPI_SUM, comm(),
                  &sum.request());
    return true;
  }

  std::optional<double> total() override {
    int done = 0;
    HALOCLINE_MPI(MPI_Test, &sum_->request(), &done, MPI_STATUS_IGNORE);
    return done ? std::optional(**sum_) : std::nullopt;
  }

  std::optional<Pending<double>> sum_;  // of the round begun
};

}  // namespace

std::unique_ptr<AsyncSum> make_sum_iallreduce(MPI_Comm comm) {
  return std::make_unique<SumIallreduce>(comm);
}

}  // namespace halocline::detail
