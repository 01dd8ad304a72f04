// Dense matrices as matmul reads them: NumPy's, Matrix Market's arrays, plain text.

#include "alone.hpp"
#include "fuzz.hpp"

#include <matrix_file.hpp>

#include <array>
#include <cmath>
#include <vector>

namespace {

void read(std::string_view text) {
  const MPI_Comm comm = fuzz::alone();
  const matmul::MatrixFile file = matmul::look_into(comm, fuzz::file_of(text));
  const auto [rows, columns] = std::pair(file.header.rows, file.header.columns);
  // No matrix is said to be larger than what the file can hold.
  fuzz::must(rows > 0 && columns > 0 && rows * columns <= std::ssize(text));
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns), std::nan(""));
  const std::array whole{matmul::Tile{.box = {{0, rows}, {0, columns}}}};
  matmul::read(comm, file, {rows, columns, whole, numbers.data()});
  if (file.kind != matmul::MatrixFile::Kind::npy)
    for (const double number : numbers) fuzz::must(std::isfinite(number));
}

const fuzz::Target target("matrix", read);

}  // namespace
