#pragma once
// Pictures of fields that are spread over ranks.

#include <halocline/mpi.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace picture {

/// Pixels along an axis of so many points: all, or a selection of them.
std::int64_t pixels(std::int64_t points);
/// The point that a pixel shows.
std::int64_t point(std::int64_t pixel, std::int64_t points);

using Plot = std::function<void(std::int64_t x, std::int64_t y, double value)>;

/// Writes a PNG file, the lowest value dark, the highest bright. `mine` calls what it is given for
/// each pixel that this rank knows; each is known to one rank, and row 0 is on top. Collective;
/// throws Error on all ranks.
void write(MPI_Comm comm, const std::string& file, std::int64_t width, std::int64_t height,
           const std::function<void(const Plot&)>& mine);

}  // namespace picture
