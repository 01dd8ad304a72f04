#include "slabs.hpp"

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

}  // namespace matmul
