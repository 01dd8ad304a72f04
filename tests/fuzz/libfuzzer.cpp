// What libFuzzer calls, for the one target of the program.

#include "fuzz.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Target::first()->reads({reinterpret_cast<const char*>(data), size});
  return 0;
}
