// The MPI of the process, behind a library that stands in front of it: its functions, and whether
// it has the handles that the library was compiled for. A library links no MPI for that. The
// program may have opened its own late, and for itself alone, as Python does.
#pragma once

namespace preload {

// What the C library's dlsym finds: these libraries have one of their own (handles.cpp).
void* look_up(void* place, const char* name);

// Null if this MPI has no such function. Ends the process with a line if it has another interface,
// or there is no MPI.
void* function(const char* name);

// The same, and ends the process with a line if this MPI has none.
void* needed_function(const char* name);

// Lets libraries that are loaded from now on find the MPI as if the program were linked to it.
void show_to_all();

// The address of data of the MPI: what Open MPI's handles are. Ends the process if it has none.
void* symbol(const char* name);

// The interface that this library is for, one of kInterfaces.
const char* own_interface();

// The first line of what the MPI says about itself.
const char* library_version();

// For a function that the program calls and its MPI does not have: says so; an error of MPI's.
int no_such_function(const char* name);

// Is this address in a library of MPI itself (its Fortran bindings, say), not in the program?
bool in_mpi_library(const void* address);

// Is it there, or in a function of MPI's name: in a wrapper of another tool?
bool in_binding(const void* address);

// Has this process an MPI that is or was initialised? Nothing is loaded or ended for the question.
bool has_used_mpi();

// One line on the standard error, from one rank of the job.
void say(const char* what);

// Ends the process before it does harm: one line on the standard error, from one rank of the job.
[[noreturn]] void refuse(const char* what, const char* more = "");

// A function of the MPI, looked for when it is first called.
template <class Function>
class Real {
 public:
  constexpr explicit Real(const char* name) : name_(name) {}
  // Null if there is none.
  Function get() { return get(function); }
  Function needed() { return get(needed_function); }

 private:
  Function get(void* (*look)(const char*)) {
    Function known = __atomic_load_n(&function_, __ATOMIC_RELAXED);
    if (__builtin_expect(known != nullptr, true)) return known;
    known = reinterpret_cast<Function>(look(name_));
    __atomic_store_n(&function_, known, __ATOMIC_RELAXED);
    return known;
  }

  const char* name_;
  Function function_ = nullptr;
};

// A function of this MPI, called past the library's own: PMPI(Comm_rank)(comm, &rank).
#define PMPI(name)                                                         \
  (*[] {                                                                   \
    static ::preload::Real<decltype(&MPI_##name)> the_real("PMPI_" #name); \
    return the_real.needed();                                              \
  }())

}  // namespace preload
