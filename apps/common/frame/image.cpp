#include "image.hpp"

#include <base/whole_file.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#ifdef HALOCLINE_HAVE_PNG
#include <png.h>
#endif

namespace frame {

#ifdef HALOCLINE_HAVE_PNG

namespace mpi = halocline::mpi;

namespace {

using Byte = std::uint8_t;

/// Pixels along an axis of so many points: all, or a selection of them.
std::int64_t pixels(std::int64_t points) {
  constexpr std::int64_t most = 1024;
  return std::min(points, most);
}

/// The point that a pixel shows.
std::int64_t point(std::int64_t pixel, std::int64_t points) {
  return pixels(points) == 1 ? 0 : pixel * (points - 1) / (pixels(points) - 1);
}

/// Dark blue through green to yellow, of even brightness steps: red, green and blue of 256 colours.
std::array<Byte, 3 * 256> palette() {
  constexpr double anchors[][3] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                   {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                   {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
  constexpr int steps = std::size(anchors) - 1;
  std::array<Byte, 3 * 256> colours;
  for (int i = 0; i < 256; ++i) {
    const double at = i * steps / 255.0;
    const int below = std::min(static_cast<int>(at), steps - 1);
    for (int c = 0; c < 3; ++c)
      colours[static_cast<std::size_t>(3 * i + c)] = static_cast<Byte>(
          std::lround(std::lerp(anchors[below][c], anchors[below + 1][c], at - below)));
  }
  return colours;
}

std::string encode(std::int64_t width, std::int64_t height, const std::vector<Byte>& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 256;
  const auto colours = palette();
  const auto write = [&](void* to, png_alloc_size_t& bytes) {
    if (!png_image_write_to_memory(&image, to, &bytes, 0, pixels.data(), 0, colours.data()))
      throw halocline::Error(std::string("--image: libpng: ") + image.message);
  };
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(bytes, '\0');
  write(file.data(), bytes);
  file.resize(bytes);
  return file;
}

}  // namespace

void check_image(const std::string&) {}

void write_image(MPI_Comm comm, const std::string& file, std::int64_t rows, std::int64_t columns,
                 const Field& field) {
  const std::int64_t width = pixels(columns), height = pixels(rows);
  const auto each = [&](auto&& plot) {
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        if (const auto value = field(point(y, rows), point(x, columns)))
          plot(y * width + x, *value);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double extremes[] = {-infinity, -infinity};  // of -value and value
  each([&](std::int64_t, double value) {
    extremes[0] = std::max(extremes[0], -value);
    extremes[1] = std::max(extremes[1], value);
  });
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, extremes, 2, MPI_DOUBLE, MPI_MAX, comm);
  const double lowest = -extremes[0], range = extremes[1] - lowest;

  std::vector<Byte> part(static_cast<std::size_t>(width * height), 0), all(part.size());
  each([&](std::int64_t pixel, double value) {
    part[static_cast<std::size_t>(pixel)] =
        range > 0 ? static_cast<Byte>(std::lround(255 * (value - lowest) / range)) : 0;
  });
  // A rank that has not drawn a pixel has zero there. (MPICH 4.0.2's MPI_MAX takes MPI_UINT8_T for
  // signed.)
  HALOCLINE_MPI(MPI_Reduce, part.data(), all.data(), static_cast<int>(all.size()), MPI_BYTE,
                MPI_BOR, 0, comm);
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0)
      halocline::base::write_whole("--image", file, encode(width, height, all));
  });
}

#else

void check_image(const std::string& file) {
  throw halocline::Error("--image " + file +
                         ": this build writes no images, as libpng was missing (Debian, Ubuntu: "
                         "apt install libpng-dev)");
}

void write_image(MPI_Comm, const std::string& file, std::int64_t, std::int64_t, const Field&) {
  check_image(file);
}

#endif

}  // namespace frame
