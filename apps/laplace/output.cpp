#include "output.hpp"

#include <frame/image.hpp>
#include <numerics/point_checksum.hpp>

namespace laplace {

using namespace halocline;

void write_slice(MPI_Comm comm, const Solution& solution, const std::string& file) {
  const std::int64_t planes = solution.extent[0], columns = solution.extent[2];
  const std::int64_t j = (solution.extent[1] - 1) / 2;
  frame::write_image(comm, file, planes, columns,
                     [&](std::int64_t row, std::int64_t i) -> std::optional<double> {
                       const std::int64_t k = planes - 1 - row;
                       for (const Part& part : solution.parts)
                         if (part.has(k, j, i)) return part.at(k, j, i);
                       return std::nullopt;
                     });
}

std::uint64_t checksum_of_mine(const Solution& solution) {
  const std::int64_t rows = solution.extent[1], columns = solution.extent[2];
  std::uint64_t sum = 0;
  for (const Part& part : solution.parts)
    for (std::int64_t k = part.points[0].begin; k < part.points[0].end; ++k)
      for (std::int64_t j = part.points[1].begin; j < part.points[1].end; ++j)
        for (std::int64_t i = part.points[2].begin; i < part.points[2].end; ++i)
          sum += numerics::point_checksum((k * rows + j) * columns + i, part.at(k, j, i));
  return sum;
}

}  // namespace laplace
