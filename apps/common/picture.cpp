#include "picture.hpp"

#include "files.hpp"
#include "png.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace picture {

namespace mpi = halocline::mpi;

std::int64_t pixels(std::int64_t points) {
  constexpr std::int64_t most = 1024;
  return std::min(points, most);
}

std::int64_t point(std::int64_t pixel, std::int64_t points) {
  return pixels(points) == 1 ? 0 : pixel * (points - 1) / (pixels(points) - 1);
}

void write(MPI_Comm comm, const std::string& file, std::int64_t width, std::int64_t height,
           const std::function<void(const Plot&)>& mine) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double extremes[] = {-infinity, -infinity};  // of -value and value
  mine([&](std::int64_t, std::int64_t, double value) {
    extremes[0] = std::max(extremes[0], -value);
    extremes[1] = std::max(extremes[1], value);
  });
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, extremes, 2, MPI_DOUBLE, MPI_MAX, comm);
  const double lowest = -extremes[0], range = extremes[1] - lowest;

  std::vector<std::uint8_t> part(static_cast<std::size_t>(width * height), 0), all(part.size());
  mine([&](std::int64_t x, std::int64_t y, double value) {
    part[static_cast<std::size_t>(y * width + x)] =
        range > 0 ? static_cast<std::uint8_t>(std::lround(255 * (value - lowest) / range)) : 0;
  });
  HALOCLINE_MPI(MPI_Reduce, part.data(), all.data(), static_cast<int>(all.size()), MPI_UINT8_T,
                MPI_MAX, 0, comm);
  mpi::together(comm, [&] {
    if (mpi::rank(comm) != 0) return;
    files::write_whole("--image", file,
                       png::encode(static_cast<std::uint32_t>(width),
                                   static_cast<std::uint32_t>(height), all, png::palette()));
  });
}

}  // namespace picture
