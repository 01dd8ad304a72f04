#pragma once
// A computation of a set length that calls no MPI and touches no memory.

#include <mpi.h>

#include <cstdint>

namespace halometer {

/// A fixed amount of work rather than a time: an interruption makes it longer, as it does a real
/// computation. Calibrated on rank 0, the same on all. Collective to make.
class Busy {
 public:
  Busy(MPI_Comm comm, double seconds);
  void run() const;

 private:
  std::uint64_t rounds_ = 1;
};

}  // namespace halometer
