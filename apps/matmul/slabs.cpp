#include "slabs.hpp"

#include <array>

namespace matmul {

using namespace halocline;

std::vector<Slab> slabs_of(const Spread& matrix, bool by_columns, std::size_t number_bytes) {
  constexpr std::int64_t most = std::int64_t{32} << 20;
  std::vector<Slab> slabs;
  for (const Tile& tile : matrix.tiles) {
    const Range major = by_columns ? tile.box.columns : tile.box.rows;
    const Range minor = by_columns ? tile.box.rows : tile.box.columns;
    if (tile.box.size() == 0) continue;
    const std::int64_t step =
        std::max<std::int64_t>(1, most / (minor.size() * static_cast<std::int64_t>(number_bytes)));
    for (std::int64_t begin = major.begin; begin < major.end; begin += step) {
      const Range part{begin, std::min(major.end, begin + step)};
      slabs.push_back({&tile, by_columns ? Box{minor, part} : Box{part, minor}});
    }
  }
  return slabs;
}

void show(const frame::File& file, std::int64_t begin, MPI_Datatype number, const Spread& matrix,
          const Slab* slab, bool by_columns) {
  mpi::Datatype part;
  if (slab) {
    const auto size = [](std::int64_t value) { return static_cast<int>(value); };
    const Box& box = slab->box;
    std::array sizes{size(matrix.rows), size(matrix.columns)};
    std::array parts{size(box.rows.size()), size(box.columns.size())};
    std::array begins{size(box.rows.begin), size(box.columns.begin)};
    HALOCLINE_MPI(MPI_Type_create_subarray, 2, sizes.data(), parts.data(), begins.data(),
                  by_columns ? MPI_ORDER_FORTRAN : MPI_ORDER_C, number, part.address());
    HALOCLINE_MPI(MPI_Type_commit, part.address());
  }
  HALOCLINE_MPI(MPI_File_set_view, file, static_cast<MPI_Offset>(begin), number,
                slab ? part.get() : number, "native", MPI_INFO_NULL);
}

}  // namespace matmul
