#include "types.hpp"

#include <halocline/error.hpp>

#include <limits>

namespace haloreplay {

using namespace halocline;

namespace {

constexpr std::size_t most_count = std::numeric_limits<int>::max();

/// The number that a program would send: libraries pack it faster than single bytes.
MPI_Datatype number_of_bytes(std::size_t unit) {
  switch (unit) {
    case 8: return MPI_UINT64_T;
    case 4: return MPI_UINT32_T;
    case 2: return MPI_UINT16_T;
    default: return MPI_BYTE;
  }
}

int count_of(std::size_t number) {
  if (number > most_count) throw Error("a layout has more blocks than MPI can count");
  return static_cast<int>(number);
}

}  // namespace

MPI_Datatype Types::keep(MPI_Datatype made) {
  return made_.emplace_back(made).get();
}

Typed Types::of(const Blocks& blocks, std::size_t unit) {
  if (blocks.empty()) return {};
  const MPI_Datatype number = number_of_bytes(unit);
  std::size_t total = 0;
  for (const Block& block : blocks) total += block.size();
  const std::ptrdiff_t first = blocks.front().offset;
  if (contiguous(blocks)) {
    const mpi::Bytes& message = bytes_.emplace_back(total / unit, number);
    return {first, message.count(), message.type()};
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (blocks.size() == 1) {
    const Block& block = blocks.front();
    HALOCLINE_MPI(MPI_Type_create_hvector, count_of(block.count[1]),
                  count_of(block.count[2] / unit), static_cast<MPI_Aint>(block.stride[1]), number,
                  &made);
    if (block.count[0] > 1) {
      const MPI_Datatype plane = keep(made);
      HALOCLINE_MPI(MPI_Type_create_hvector, count_of(block.count[0]), 1,
                    static_cast<MPI_Aint>(block.stride[0]), plane, &made);
    }
  } else {
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    bool alike = true;
    each_row(blocks, [&](std::ptrdiff_t offset, std::size_t bytes) {
      lengths.push_back(count_of(bytes / unit));
      places.push_back(static_cast<MPI_Aint>(offset - first));
      alike = alike && lengths.back() == lengths.front();
    });
    if (alike)
      HALOCLINE_MPI(MPI_Type_create_hindexed_block, count_of(places.size()), lengths.front(),
                    places.data(), number, &made);
    else
      HALOCLINE_MPI(MPI_Type_create_hindexed, count_of(places.size()), lengths.data(),
                    places.data(), number, &made);
  }
  const MPI_Datatype type = keep(made);
  MPI_Datatype committed = type;
  HALOCLINE_MPI(MPI_Type_commit, &committed);
  return {first, 1, type};
}

}  // namespace haloreplay
