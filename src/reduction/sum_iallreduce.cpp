// Iallreduce: one nonblocking allreduce after the other.

#include "async_kinds.hpp"

namespace halocline::detail {

namespace {

class SumIallreduce final : public RoundedSum {
 public:
  explicit SumIallreduce(MPI_Comm ranks) : RoundedSum(ranks) {}
  ~SumIallreduce() override { come_to_rest(); }

 private:
  bool begin(const std::function<double()>& mine) override {
    sum_ = mine();
    HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, &sum_, 1, MPI_DOUBLE, MPI_SUM, comm(), &request_);
    return true;
  }

  std::optional<double> total() override {
    int done = 0;
    HALOCLINE_MPI(MPI_Test, &request_, &done, MPI_STATUS_IGNORE);
    return done ? std::optional(sum_) : std::nullopt;
  }

  double sum_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

std::unique_ptr<AsyncSum> make_sum_iallreduce(MPI_Comm comm) {
  return std::make_unique<SumIallreduce>(comm);
}

}  // namespace halocline::detail
