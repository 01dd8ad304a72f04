// The functions of the MPI in the process, behind those of the recorder.
#pragma once

namespace recorder {

// Null if this MPI has no such function. Ends the process, with a line, if it is another MPI than
// this recorder is for.
void* real_function(const char* name);

// The first line of what the library says about itself.
const char* library_version();

// For a function that the program calls and its MPI does not have.
int no_such_function(const char* name);

// Is this address in a library of MPI itself (its Fortran bindings, say), not in the program?
bool in_mpi_library(const void* address);

// Ends the process before it does harm: one line on the standard error.
[[noreturn]] void refuse(const char* what, const char* more = "");

template <class Function>
class Real {
 public:
  constexpr explicit Real(const char* name) : name_(name) {}
  Function get() {
    Function known = __atomic_load_n(&function_, __ATOMIC_RELAXED);
    if (__builtin_expect(known != nullptr, true)) return known;
    known = reinterpret_cast<Function>(real_function(name_));
    __atomic_store_n(&function_, known, __ATOMIC_RELAXED);
    return known;
  }

 private:
  const char* name_;
  Function function_ = nullptr;
};

// A function of this MPI, called past the recorder's own: PMPI(Comm_rank)(comm, &rank).
#define PMPI(name)                                                           \
  (*[] {                                                                     \
    static ::recorder::Real<decltype(&PMPI_##name)> the_real("PMPI_" #name); \
    return the_real.get();                                                   \
  }())

}  // namespace recorder
