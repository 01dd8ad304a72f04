#include "output.hpp"

#include <picture.hpp>
#include <point_checksum.hpp>

#include <cstdio>

namespace laplace {

using namespace halocline;

void write_slice(MPI_Comm comm, const Solution& solution, const std::string& file) {
  const auto [planes, rows, columns] = solution.extent;
  const std::int64_t j = (rows - 1) / 2;
  const std::int64_t width = picture::pixels(columns), height = picture::pixels(planes);
  picture::write(comm, file, width, height,
                 [&, planes = planes, columns = columns](const picture::Plot& plot) {
                   for (const Part& part : solution.parts)
                     for (std::int64_t y = 0; y < height; ++y)
                       for (std::int64_t x = 0; x < width; ++x) {
                         const std::int64_t k = picture::point(height - 1 - y, planes);
                         const std::int64_t i = picture::point(x, columns);
                         if (part.has(k, j, i)) plot(x, y, part.at(k, j, i));
                       }
                 });
}

std::string checksum(MPI_Comm comm, const Solution& solution) {
  const auto [planes, rows, columns] = solution.extent;
  std::uint64_t sum = 0;
  for (const Part& part : solution.parts)
    for (std::int64_t k = part.points[0].begin; k < part.points[0].end; ++k)
      for (std::int64_t j = part.points[1].begin; j < part.points[1].end; ++j)
        for (std::int64_t i = part.points[2].begin; i < part.points[2].end; ++i)
          sum += points::checksum((k * rows + j) * columns + i, part.at(k, j, i));
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(sum));
  return text;
}

}  // namespace laplace
