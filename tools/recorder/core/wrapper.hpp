// What a wrapper is written with.
#pragma once

#include "hooks.hpp"

#include <mpi_calls/calls.hpp>
#include <preload/behind.hpp>

#define RECORDER_EXPORT extern "C" __attribute__((visibility("default")))
// Fortran's bindings, and libraries of MPI's own, call PMPI_ where programs call MPI_: both are
// one.
#define RECORDER_ALIAS(name) \
  RECORDER_EXPORT decltype(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name)));
#define RECORDER_CALLER __builtin_return_address(0), __builtin_frame_address(0)
#define RECORDER_REAL(name)                                              \
  static ::preload::Real<decltype(&MPI_##name)> the_real("PMPI_" #name); \
  auto real = the_real.get();                                            \
  if (__builtin_expect(real == nullptr, false)) return ::preload::no_such_function("MPI_" #name)
