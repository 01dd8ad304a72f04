#pragma once
// Pictures of fields that are spread over ranks.

#include <halocline/more/mpi.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace frame {

/// The value in a row, counted from above, and a column: of each point one rank knows it.
using Field = std::function<std::optional<double>(std::int64_t row, std::int64_t column)>;

/// Throws Error if this build writes no images.
void check_image(const std::string& file);

/// Writes a PNG file of so many points, or of a selection if there are more than 1024 a side: the
/// lowest value dark, the highest bright. Collective; throws Error on all ranks.
void write_image(MPI_Comm comm, const std::string& file, std::int64_t rows, std::int64_t columns,
                 const Field& field);

}  // namespace frame
