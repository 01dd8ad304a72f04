#pragma once
// The ways to sum up without waiting, one file each.

#include <halocline/more/reduction.hpp>

namespace halocline::detail {

/// One round at a time, begun when the one before has been delivered.
class RoundedSum : public AsyncSum {
 public:
  std::optional<double> advance(const std::function<double()>& mine) final;
  void drain() final;
  std::uint64_t rounds() const noexcept final { return delivered_; }

 protected:
  explicit RoundedSum(MPI_Comm comm)
      : comm_(mpi::Comm::duplicate(comm)), end_(mpi::Comm::duplicate(comm)) {}
  /// For destructors: drains unless peers may be gone.
  void come_to_rest() noexcept;
  MPI_Comm comm() const noexcept { return comm_; }

  /// Adds my part to a new round, if it is time for it.
  virtual bool begin(const std::function<double()>& mine) = 0;
  /// The total of the round begun, if it has come here.
  virtual std::optional<double> total() = 0;
  /// Everything of mine has left.
  virtual bool quiet() { return true; }

 private:
  std::optional<double> deliver();

  mpi::Comm comm_, end_;         // the second for `drain`, which ranks begin in different rounds
  std::uint64_t begun_ = 0;      // rounds that have my part
  std::uint64_t delivered_ = 0;  // rounds whose total I have
};

std::unique_ptr<AsyncSum> make_sum_tree(MPI_Comm comm);
std::unique_ptr<AsyncSum> make_sum_iallreduce(MPI_Comm comm);

}  // namespace halocline::detail
