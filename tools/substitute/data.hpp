#pragma once
// Data of the program's: so many of a datatype at an address. MPI itself packs and unpacks them.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace substitute {

struct Data {
  void* at = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::size_t bytes = 0;  ///< all of it
  bool dense = false;     ///< one block from `at` on

  /// Takes arguments that MPI has not checked: impossible ones are 0 bytes.
  static Data of(const void* at, MPI_Count count, MPI_Datatype type);
  /// A displaced part of a buffer.
  static Data of(const void* buffer, MPI_Aint displaced, MPI_Count count, MPI_Datatype type);

  /// False if this MPI packs otherwise than byte after byte, or so much cannot be.
  bool pack(std::byte* to) const;
  bool unpack(const std::byte* from) const;
  /// Whether packing gives these bytes.
  bool equals(const std::byte* packed) const;
};

/// From one of a datatype to the next.
MPI_Aint extent_of(MPI_Datatype type);
/// Bytes of data in one.
std::size_t size_of(MPI_Datatype type);
/// Whether it is one of MPI's own, which nobody frees.
bool is_named(MPI_Datatype type);

/// Bytes one after another in memory, relative to an address.
struct Run {
  std::int64_t at, bytes;
};
/// Where the bytes of `count` of a datatype lie, in the order in which they are packed. False if it
/// spreads too far to find out.
bool runs_of(MPI_Count count, MPI_Datatype type, std::vector<Run>& runs);

/// Whether this may be memory of a device, which only MPI can read: a library for one is loaded.
bool may_be_on_device();

}  // namespace substitute
