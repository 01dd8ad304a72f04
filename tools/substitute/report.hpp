#pragma once
// What has become of each pattern: told when MPI ends.

#include "settings.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace substitute {

/// Why a pattern is, or is again, carried by the program's own calls. Of several ranks' reasons the
/// largest counts.
enum class Why : std::uint64_t {
  none,
  not_repeated,     ///< never the same on all ranks often enough
  other_arguments,  ///< another size, type or partner than agreed on
  other_operations,
  other_thread,
  freed_type,
  on_device,
  not_carried,  ///< Halocline has no such exchange, or there is no memory for it
  bytes_differ,
  left_to_mpi,  ///< wrappers_left.cpp says why
};
const char* words_of(Why why);

struct Entry {
  Kind kind{};
  std::string what;            ///< "MPI_Neighbor_alltoall on a grid of 4 ranks"
  bool speaks = false;         ///< rank 0 of the pattern's ranks
  std::uint64_t steps = 0;     ///< calls, or fences, in all
  std::uint64_t taken_at = 0;  ///< the first step that was carried by the scheme alone; 0: none
  std::uint64_t carried = 0;   ///< steps that the scheme alone has carried
  std::uint64_t back_at = 0;   ///< the first step that was handed back; 0: none
  std::string scheme;
  Why why = Why::not_repeated;
  std::string detail;  ///< an Error's own words
};

/// To be filled in as the program runs.
std::shared_ptr<Entry> reported(Kind kind, std::string what, bool speaks);

/// Collective over MPI_COMM_WORLD, whose rank 0 writes.
void write_report();

}  // namespace substitute
