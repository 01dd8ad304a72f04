// Messages between the probe that found them and the call that receives them.
#pragma once

#include "bounded.hpp"
#include "mpi.hpp"

namespace recorder {

class Call;

class Probed {
 public:
  Probed() : found_(4096), free_(4096), handles_(4096) {}
  // `call` has found it.
  void add(MPI_Message message, const Call& call);
  // `call` receives it.
  void take(MPI_Message message, Call& call);

 private:
  struct Found {
    std::int32_t comm;
    int source;
    int tag;
  };
  Bounded<Found> found_;
  Bounded<std::uint32_t> free_;
  HandleMap handles_;
};

}  // namespace recorder
