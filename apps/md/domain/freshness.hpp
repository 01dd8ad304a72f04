#pragma once
// When neighbour lists have to be built anew.

#include <halocline/more/mpi.hpp>

#include <array>

namespace md {

/// Lists hold all pairs within the cut-off as long as nothing has moved by more than half the skin
/// since they were built. All ranks decide together, and none waits: the reduction starts when
/// positions have moved, and ends when forces are there. So it speaks of the next step, too: lists
/// that would be stale if something moved twice as fast as anything now are built before. Should
/// they be stale already, the forces just computed are not right and have to be taken again.
class Freshness {
 public:
  enum class Lists { fresh, old, stale };

  Freshness(MPI_Comm comm, double skin) : comm_(comm), half_(skin / 2) {}

  /// The farthest that anything of mine has moved since lists were built, and in the last step.
  void start(double moved, double step) {
    mine_ = {moved, step};
    HALOCLINE_MPI(MPI_Iallreduce, mine_.data(), most_.data(), 2, MPI_DOUBLE, MPI_MAX, comm_,
                  request_.address());
  }
  Lists finish();

 private:
  MPI_Comm comm_;
  double half_;
  std::array<double, 2> mine_{}, most_{};
  halocline::mpi::Request request_;
};

}  // namespace md
