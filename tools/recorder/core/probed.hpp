// Messages between the probe that found them and the call that receives them.
#pragma once

#include "bounded.hpp"
#include "messages.hpp"
#include "mpi.hpp"

namespace recorder {

class Call;

class Probed {
 public:
  Probed() : found_(4096), free_(4096), handles_(4096) {}
  struct Found {
    std::int32_t comm;
    int source;  // that was looked for
    int tag;
    int met_source;
    int met_tag;
    Ticket ticket;  // of the message
  };
  // `call` has found it.
  void add(MPI_Message message, Call& call, const MPI_Status& status);
  // `call` receives it.
  void take(MPI_Message message, Call& call);

 private:
  Bounded<Found> found_;
  Bounded<std::uint32_t> free_;
  HandleMap handles_;
};

}  // namespace recorder
