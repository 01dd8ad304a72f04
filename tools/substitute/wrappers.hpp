#pragma once
// What a function is written with that stands in front of MPI's: it has both of MPI's names, for
// Fortran's bindings call PMPI_ where programs call MPI_.

#include "inside.hpp"

#include <mpi.h>
#include <preload/behind.hpp>

#define SUBSTITUTE_EXPORT extern "C" __attribute__((visibility("default")))
#define SUBSTITUTE_ALIAS(name)                                                       \
  extern "C" __attribute__((visibility("default"))) decltype(MPI_##name) PMPI_##name \
      __attribute__((alias("MPI_" #name)));
