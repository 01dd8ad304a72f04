// The functions of MPI that are recorded, by number.
#pragma once

#include <mpi_calls/calls.hpp>

#include <cstdint>

namespace recorder {

enum class Function : std::uint16_t {
#define RECORDER_FUNCTION(name) name,
  MPI_FUNCTIONS(RECORDER_FUNCTION)
#undef RECORDER_FUNCTION
      count_
};
inline constexpr std::uint32_t kFunctions = static_cast<std::uint32_t>(Function::count_);

inline constexpr const char* kFunctionNames[] = {
#define RECORDER_FUNCTION(name) "MPI_" #name,
    MPI_FUNCTIONS(RECORDER_FUNCTION)
#undef RECORDER_FUNCTION
};

}  // namespace recorder
