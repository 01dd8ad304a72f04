#pragma once
// What the layer does at random, repeatable from EMULATED_SEED, and the one fault that
// EMULATED_FAULT plants: "NAME" or "NAME:n", the n-th call (of rank 0) in which it could be,
// counted from 1.

#include <string>

namespace emulated {

/// 0 <= it < below.
unsigned dice(unsigned below);

/// Whether this call is the one with the fault. Each name is asked for in one place.
bool fault(const char* name);

/// Ends the job: the program has done what MPI forbids.
[[noreturn]] void forbidden(const std::string& what);

}  // namespace emulated
