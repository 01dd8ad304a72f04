#pragma once
// What a derived datatype means: which bytes, in which order.

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace emulated {

/// Bytes that follow each other, from `offset` of a buffer's address on.
struct Run {
  std::ptrdiff_t offset;
  std::size_t bytes;
};

/// The runs of `count` elements, in the order of a message.
std::vector<Run> runs_of(MPI_Datatype type, int count);

/// The predefined type that all of it is made of.
MPI_Datatype number_of(MPI_Datatype type);

}  // namespace emulated
