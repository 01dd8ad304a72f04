// What goes around a function of MPI, by the names that the standard gives to its parameters:
//
//   int WRAPPED(Send) {  // int MPI_Send(const void* buf, int count, MPI_Datatype datatype, ...)
//     ++sends[dest];
//     return NATIVE(Send);  // PMPI_Send(buf, count, datatype, dest, tag, comm)
//   }
//
// BEFORE(Send, ++sends[dest]) is the same. HAS_MPI_Send is defined if this mpi.h has the function.
// MPI_FUNCTIONS(F) is F(Abort) F(Accumulate) and so on for all that it has.
#pragma once

#include <mpi_calls/signatures.hpp>

#define WRAPPED(name) MPI_##name(PARAMETERS_OF_##name)
#define ARGUMENTS(name) ARGUMENTS_OF_##name
#define NATIVE(name) PMPI_##name(ARGUMENTS(name))
#define BEFORE(name, ...) \
  int WRAPPED(name) {     \
    __VA_ARGS__;          \
    return NATIVE(name);  \
  }
