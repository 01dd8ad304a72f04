#include "typemap.hpp"

#include <cstdint>
#include <cstring>

namespace emulated {

namespace {

bool is_predefined(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

void add(std::vector<Run>& runs, Run more) {
  if (!runs.empty() &&
      runs.back().offset + static_cast<std::ptrdiff_t>(runs.back().bytes) == more.offset)
    runs.back().bytes += more.bytes;
  else
    runs.push_back(more);
}

}  // namespace

/// MPI itself says it: memory in which every byte has a digit of its own place is packed, digit by
/// digit.
std::vector<Run> runs_of(MPI_Datatype type, int count) {
  std::vector<Run> runs;
  int size = 0;
  PMPI_Type_size(type, &size);
  const std::size_t bytes = static_cast<std::size_t>(size) * static_cast<std::size_t>(count);
  if (bytes == 0) return runs;
  if (is_predefined(type)) return {{0, bytes}};

  MPI_Aint lower = 0, extent = 0, first = 0, reach = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_get_true_extent(type, &first, &reach);
  std::vector<std::uint8_t> memory(static_cast<std::size_t>(reach + (count - 1) * extent));
  std::vector<std::uint8_t> packed(bytes);
  std::vector<std::size_t> places(bytes, 0);
  for (std::size_t digit = 0; digit < sizeof(std::uint32_t); ++digit) {
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<std::uint8_t>(i >> (8 * digit));
    int position = 0;
    PMPI_Pack(memory.data() - first, count, type, packed.data(), static_cast<int>(bytes), &position,
              MPI_COMM_SELF);
    for (std::size_t i = 0; i < bytes; ++i)
      places[i] |= static_cast<std::size_t>(packed[i]) << (8 * digit);
  }
  for (const std::size_t place : places) add(runs, {static_cast<std::ptrdiff_t>(place) + first, 1});
  return runs;
}

MPI_Datatype number_of(MPI_Datatype type) {
  MPI_Datatype of = type;
  while (!is_predefined(of)) {
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    PMPI_Type_get_envelope(of, &integers, &addresses, &types, &combiner);
    std::vector<int> i(static_cast<std::size_t>(integers));
    std::vector<MPI_Aint> a(static_cast<std::size_t>(addresses));
    std::vector<MPI_Datatype> parts(static_cast<std::size_t>(types));
    PMPI_Type_get_contents(of, integers, addresses, types, i.data(), a.data(), parts.data());
    // Handles of derived types are new ones.
    for (std::size_t other = 1; other < parts.size(); ++other)
      if (!is_predefined(parts[other])) PMPI_Type_free(&parts[other]);
    if (of != type) PMPI_Type_free(&of);
    of = parts.front();
  }
  return of;
}

}  // namespace emulated
