#include "image.hpp"

#include "png.hpp"

#include <files.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace partdiff {

using namespace halocline;

namespace {

constexpr std::int64_t widest = 1024;

/// Dark blue through green to yellow, of even brightness steps.
Palette palette() {
  constexpr double anchors[][3] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                   {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                   {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
  constexpr int steps = std::size(anchors) - 1;
  Palette colours;
  for (int i = 0; i < 256; ++i) {
    const double at = i * steps / 255.0;
    const int below = std::min(static_cast<int>(at), steps - 1);
    for (int c = 0; c < 3; ++c)
      colours[i][c] = static_cast<std::uint8_t>(
          std::lround(std::lerp(anchors[below][c], anchors[below + 1][c], at - below)));
  }
  return colours;
}

}  // namespace

void write_image(MPI_Comm comm, const Solver& solver, const std::string& file) {
  const Domain& domain = solver.domain();
  const std::int64_t points = domain.problem().points(), width = std::min(points, widest);
  const auto point = [&](std::int64_t pixel) { return pixel * (points - 1) / (width - 1); };
  const Range rows = domain.points(0), columns = domain.points(1);
  const auto each_of_mine = [&](auto&& act) {
    for (std::int64_t y = 0; y < width; ++y)
      for (std::int64_t x = 0; x < width; ++x) {
        const std::int64_t i = point(y), j = point(x);
        if (i >= rows.begin && i < rows.end && j >= columns.begin && j < columns.end)
          act(static_cast<std::size_t>(y * width + x), solver.solution()[domain.offset(i, j)]);
      }
  };

  constexpr double infinity = std::numeric_limits<double>::infinity();
  double extremes[] = {-infinity, -infinity};  // of -value and value
  each_of_mine([&](std::size_t, double value) {
    extremes[0] = std::max(extremes[0], -value);
    extremes[1] = std::max(extremes[1], value);
  });
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, extremes, 2, MPI_DOUBLE, MPI_MAX, comm);
  const double lowest = -extremes[0], range = extremes[1] - lowest;

  std::vector<std::uint8_t> mine(static_cast<std::size_t>(width * width), 0), all(mine.size());
  each_of_mine([&](std::size_t pixel, double value) {
    mine[pixel] =
        range > 0 ? static_cast<std::uint8_t>(std::lround(255 * (value - lowest) / range)) : 0;
  });
  HALOCLINE_MPI(MPI_Reduce, mine.data(), all.data(), static_cast<int>(all.size()), MPI_UINT8_T,
                MPI_MAX, 0, comm);
  mpi::together(comm, [&] {
    if (mpi::rank(comm) != 0) return;
    const auto size = static_cast<std::uint32_t>(width);
    files::write_whole("--image", file, png(size, size, all, palette()));
  });
}

}  // namespace partdiff
