#pragma once
// Matrices from Matrix Market files, which all ranks read at once.

#include "matrix.hpp"

#include <formats/market.hpp>

#include <string>

namespace spmv {

/// What a file says of its matrix, and where its entries are.
struct MatrixFile {
  std::string name;
  formats::MarketHeader header;
  std::int64_t lines = 0;             ///< before the first entry
  std::int64_t begin = 0, bytes = 0;  ///< where that is; of the file
};

/// Reads what comes before the entries. Collective; throws Error, the same on all ranks, naming
/// file, line and reason.
MatrixFile look_into(MPI_Comm comm, const std::string& name);

/// An even part of the rows on each rank. What is there twice is added up in the order of the file.
/// Collective; throws Error likewise.
Matrix read(MPI_Comm comm, const MatrixFile& file);

/// For messages: the last line that has an entry there (from 0) in a file that has been read; 0 if
/// none has. Collective; one rank looks, line by line.
std::int64_t line_of(MPI_Comm comm, const MatrixFile& file, std::int64_t row, std::int64_t column);

}  // namespace spmv
