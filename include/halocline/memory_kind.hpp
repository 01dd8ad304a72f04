#pragma once

#pragma GCC visibility push(default)

namespace halocline {

/// Where an array lives, and so who else can reach it.
enum class MemoryKind {
  plain,   ///< this process only
  window,  ///< in an RMA window made by MPI_Win_allocate
  shared,  ///< in the island's shared memory (MPI_Win_allocate_shared)
  device,  ///< on the device of this process (device.hpp), out of the host's reach
};

const char* to_string(MemoryKind kind) noexcept;

}  // namespace halocline

#pragma GCC visibility pop
