#pragma once
// MPI's datatypes of what the plan has as blocks.

#include "traffic.hpp"

#include <halocline/more/mpi.hpp>

#include <deque>

namespace haloreplay {

/// What a call of MPI is given for a message: `count` elements of `type`, `place` bytes after where
/// the memory begins.
struct Typed {
  std::ptrdiff_t place = 0;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
};

/// Makes them and owns them.
class Types {
 public:
  Typed of(const Blocks& blocks, std::size_t unit);

 private:
  MPI_Datatype keep(MPI_Datatype made);
  std::deque<halocline::mpi::Datatype> made_;
  std::deque<halocline::mpi::Bytes> bytes_;
};

}  // namespace haloreplay
