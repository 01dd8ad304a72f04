#pragma once
// The functions of the MPI behind this library, and who is calling.

#include <mpi.h>

namespace substitute {

/// The address of "PMPI_..." in the MPI that comes after this library. Ends the process with a line
/// if there is none.
void* real_function(const char* name);

template <class Function>
class Real {
 public:
  constexpr explicit Real(const char* name) : name_(name) {}
  Function* get() {
    Function* known = __atomic_load_n(&function_, __ATOMIC_RELAXED);
    if (known != nullptr) return known;
    known = reinterpret_cast<Function*>(real_function(name_));
    __atomic_store_n(&function_, known, __ATOMIC_RELAXED);
    return known;
  }

 private:
  const char* name_;
  Function* function_ = nullptr;
};

/// Calls MPI itself, past this library: `SUBSTITUTE_REAL(Win_fence)(assertion, window)`.
#define SUBSTITUTE_REAL(name)                                                \
  ([]() {                                                                    \
    static ::substitute::Real<decltype(MPI_##name)> the_real("PMPI_" #name); \
    return the_real.get();                                                   \
  }())

/// One while a thread is in a call of MPI, or in what this library does instead: what is called
/// from there is not the program's own (MPI-IO calls PMPI, libhalocline calls MPI).
class Inside {
 public:
  Inside() { ++depth_; }
  ~Inside() { --depth_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  /// Whether the program itself calls, and not something that it has called.
  static bool is_outside() { return depth_ == 0; }

 private:
  static constinit thread_local int depth_;
};

}  // namespace substitute
