// What libFuzzer calls, for the one target of the program.

#include "fuzz.hpp"

#include <cstddef>
#include <cstdint>

/// What a reader sets up once, such as MPI, is nothing that a file asks for.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::Target::first()->reads({});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Target::first()->reads({reinterpret_cast<const char*>(data), size});
  return 0;
}
