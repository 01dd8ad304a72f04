#pragma once
// What a function is written with that the library in front calls (front/calls.cpp) when the
// program calls MPI's.

#include "inside.hpp"

#include <mpi.h>
#include <preload/behind.hpp>

#define SUBSTITUTE_EXPORT extern "C" __attribute__((visibility("default")))
