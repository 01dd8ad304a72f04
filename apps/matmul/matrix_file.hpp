#pragma once
// Matrices in files, read and written by all ranks at once: NumPy's .npy, Matrix Market's arrays,
// and plain text.

#include "matrices.hpp"

#include <formats/market.hpp>

#include <string>

namespace matmul {

/// What a file says of its matrix before the numbers.
struct MatrixFile {
  enum class Kind : int {
    npy,     ///< doubles; rows or columns one after the other
    market,  ///< "%%MatrixMarket matrix array", columns one after the other
    text,    ///< rows, columns, then the numbers, row after row
  };
  std::string name;
  Kind kind = Kind::text;
  formats::MarketHeader header{};  ///< of a market; of the others rows, columns, numbers
  bool by_columns = false;
  bool swapped = false;               ///< the bytes of each number
  std::int64_t lines = 0;             ///< of text, before the numbers
  std::int64_t begin = 0, bytes = 0;  ///< where the numbers begin; of the file
};

/// Reads what comes before the numbers. Collective; throws Error, the same on all ranks, which
/// names the file and what is wrong with it.
MatrixFile look_into(MPI_Comm comm, const std::string& name);

/// Fills the tiles of a matrix of that shape. Collective; throws Error on all ranks.
void read(MPI_Comm comm, const MatrixFile& file, const Spread& matrix);

/// Throws Error unless the name ends in .npy, .mtx or .txt.
void check_name(const std::string& name);
/// Writes the matrix in the format that its name ends in; the file is complete or not there.
/// Collective; throws Error on all ranks.
void write(MPI_Comm comm, const std::string& name, const Spread& matrix);

}  // namespace matmul
