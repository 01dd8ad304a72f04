#pragma once
// How the decision to stop travels: before each sweep every rank hears from the rank before it
// whether to go on, and tells the ranks after it.

#include "domain.hpp"

#include <halocline/more/waiting.hpp>

#include <vector>

namespace partdiff {

class StopSignal {
 public:
  StopSignal(MPI_Comm ranks, const Domain& domain) : comm_(halocline::mpi::Comm::duplicate(ranks)) {
    // A tree: down from everywhere, and to the right along the first row.
    from_ = domain.up() != MPI_PROC_NULL ? domain.up() : domain.left();
    if (domain.down() != MPI_PROC_NULL) to_.push_back(domain.down());
    if (domain.up() == MPI_PROC_NULL && domain.right() != MPI_PROC_NULL)
      to_.push_back(domain.right());
    requests_.assign(to_.size(), MPI_REQUEST_NULL);
  }
  ~StopSignal() {
    if (!requests_.empty())
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  /// Rank 0 gives the signal, 0 for going on; the others get what it gave before this sweep.
  std::int64_t pass_on(std::int64_t signal) {
    if (from_ != MPI_PROC_NULL) {
      MPI_Request request = MPI_REQUEST_NULL;
      HALOCLINE_MPI(MPI_Irecv, &signal, 1, MPI_INT64_T, from_, 0, comm_, &request);
      halocline::wait_one("partdiff: signal to begin a sweep", request);
    }
    // The message of the sweep before has been received: its sweep has begun there.
    halocline::wait_all("partdiff: signal of the last sweep", requests_);
    signal_ = signal;
    for (std::size_t i = 0; i < to_.size(); ++i)
      HALOCLINE_MPI(MPI_Isend, &signal_, 1, MPI_INT64_T, to_[i], 0, comm_, &requests_[i]);
    return signal;
  }

 private:
  halocline::mpi::Comm comm_;
  int from_;
  std::vector<int> to_;
  std::vector<MPI_Request> requests_;
  std::int64_t signal_ = 0;
};

}  // namespace partdiff
