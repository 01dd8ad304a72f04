#pragma once
// What a function is written with that the library in front calls (front/calls.cpp) when the
// program calls MPI's.

#include "inside.hpp"

#include <mpi.h>
#include <mpi_calls/calls.hpp>
#include <preload/behind.hpp>

#define SUBSTITUTE(name) extern "C" __attribute__((visibility("default"))) int WRAPPED(name)
/// The program's MPI, called as the program has called.
#define BEHIND(name) PMPI(name)(ARGUMENTS(name))
