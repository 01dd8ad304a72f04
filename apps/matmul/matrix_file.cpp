#include "matrix_file.hpp"

#include <formats/npy.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <limits>

namespace matmul {

using namespace halocline;
using formats::Lines;

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error(name + ": " + what);
}

void parse_npy(std::ifstream& in, MatrixFile& file) {
  const formats::NpyHeader header = formats::read_npy_header(in, file.name);
  if (header.shape.size() != 2) refuse(file.name, "must hold a matrix, with two dimensions");
  file.kind = MatrixFile::Kind::npy;
  file.by_columns = header.by_columns;
  file.swapped = header.swapped;
  file.header.rows = header.shape[0];
  file.header.columns = header.shape[1];
  file.begin = header.begin;
}

void parse_market(Lines& lines, MatrixFile& file) {
  file.kind = MatrixFile::Kind::market;
  file.by_columns = true;
  file.header = read_market_header(lines, {.coordinate = false});
  file.begin = lines.end();
  file.lines = lines.number();
}

/// Two whole numbers; others may follow on the same line.
void parse_text(Lines& lines, MatrixFile& file) {
  std::int64_t* const shape[] = {&file.header.rows, &file.header.columns};
  std::size_t word = 0;
  for (std::int64_t* const length : shape) {
    while (word == lines.words().size()) {
      if (!lines.next()) refuse(file.name, "must begin with the numbers of rows and columns");
      word = 0;
    }
    *length = lines.as<std::int64_t>(word++, "number of rows or columns");
  }
  const std::string_view last = lines.words()[word - 1];
  file.begin = lines.begin() + (last.data() + last.size() - lines.text().data());
  file.lines = lines.number() - 1;
}

MatrixFile parse(const std::string& name) {
  MatrixFile file;
  file.name = name;
  file.header.dense = true;
  std::ifstream in(name, std::ios::binary);
  std::string begin(8, '\0');
  if (in.read(begin.data(), 8); in && formats::is_npy(begin)) {
    in.seekg(0);
    parse_npy(in, file);
  } else {
    Lines lines(name);
    is_market(lines) ? parse_market(lines, file) : parse_text(lines, file);
  }
  const auto& [rows, columns] = std::pair(file.header.rows, file.header.columns);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (rows < 1 || columns < 1 || rows > most || columns > most)
    refuse(name, "says that its matrix is " + std::to_string(rows) + " x " +
                     std::to_string(columns) + "; there must be 1 to " + std::to_string(most) +
                     " rows and columns");
  if (file.kind != MatrixFile::Kind::market) file.header.entries = rows * columns;
  file.bytes = static_cast<std::int64_t>(std::filesystem::file_size(name));
  // Before anybody makes room for them: a number of a text is a digit and what parts it from
  // others.
  const std::int64_t room = (file.bytes - file.begin + 1) / 2;
  if (file.kind != MatrixFile::Kind::npy && file.header.entries > room)
    refuse(name, "says that its matrix is " + std::to_string(rows) + " x " +
                     std::to_string(columns) + ", which takes " +
                     std::to_string(file.header.entries) + " numbers; there is room for " +
                     std::to_string(room) + " at most");
  return file;
}

}  // namespace

MatrixFile look_into(MPI_Comm comm, const std::string& name) {
  MatrixFile file;
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) file = parse(name);
  });
  formats::MarketHeader& header = file.header;
  std::array<std::int64_t, 11> facts{static_cast<std::int64_t>(file.kind),
                                     header.whole,
                                     static_cast<std::int64_t>(header.symmetry),
                                     header.rows,
                                     header.columns,
                                     header.entries,
                                     file.by_columns,
                                     file.swapped,
                                     file.lines,
                                     file.begin,
                                     file.bytes};
  HALOCLINE_MPI(MPI_Bcast, facts.data(), 11, MPI_INT64_T, 0, comm);
  header.dense = true;
  header.whole = facts[1] != 0;
  header.symmetry = static_cast<formats::Symmetry>(facts[2]);
  header.rows = facts[3], header.columns = facts[4], header.entries = facts[5];
  return {name,          static_cast<MatrixFile::Kind>(facts[0]),
          header,        facts[6] != 0,
          facts[7] != 0, facts[8],
          facts[9],      facts[10]};
}

}  // namespace matmul
