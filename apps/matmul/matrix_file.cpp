#include "matrix_file.hpp"

#include <frame/npy.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace matmul {

using namespace halocline;

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error(name + ": " + what);
}

void parse_npy(const std::string& head, MatrixFile& file) {
  frame::NpyHeader header;
  try {
    header = frame::read_npy_header(head);
  } catch (const Error& problem) {
    refuse(file.name, problem.what());
  }
  if (header.type != "'<f8'")
    refuse(file.name, "holds numbers of type " + (header.type.empty() ? "unknown" : header.type) +
                          "; they must be doubles, '<f8'");
  if (header.shape.size() != 2) refuse(file.name, "must hold a matrix, with two dimensions");
  file.by_columns = header.by_columns;
  file.rows = header.shape[0];
  file.columns = header.shape[1];
  file.begin = header.begin;
}

/// Two whole numbers from `at` on, which ends behind them.
void parse_shape(const std::string& head, std::size_t at, MatrixFile& file) {
  long long rows = 0, columns = 0;
  int read = 0;
  if (std::sscanf(head.c_str() + at, "%lld %lld%n", &rows, &columns, &read) != 2)
    refuse(file.name, "must begin with the numbers of rows and columns");
  file.rows = rows;
  file.columns = columns;
  file.begin = static_cast<std::int64_t>(at) + read;
}

void parse_market(const std::string& head, MatrixFile& file) {
  std::string first = head.substr(0, head.find('\n'));
  std::ranges::transform(first, first.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  std::istringstream words(first);
  std::string banner, object, format, field, symmetry;
  words >> banner >> object >> format >> field >> symmetry;
  if (object != "matrix" || format != "array" || (field != "real" && field != "integer") ||
      symmetry != "general")
    refuse(file.name, "is a Matrix Market file of '" + object + " " + format + " " + field + " " +
                          symmetry + "'; it must be 'matrix array real general'");
  file.by_columns = true;
  std::size_t at = 0;
  while (at < head.size() && (head[at] == '%' || head[at] == '\n' || head[at] == '\r')) {
    const std::size_t end = head.find('\n', at);
    at = end == head.npos ? head.size() : end + 1;
  }
  parse_shape(head, at, file);
}

MatrixFile parse(const std::string& name) {
  MatrixFile file;
  file.name = name;
  std::ifstream in(name, std::ios::binary);
  if (!in || std::filesystem::is_directory(name))
    refuse(name, in ? "is a folder" : std::strerror(errno));
  // Comments may be long.
  std::string head(std::size_t{1} << 20, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  file.bytes = static_cast<std::int64_t>(std::filesystem::file_size(name));
  if (frame::is_npy(head)) {
    file.kind = MatrixFile::Kind::npy;
    parse_npy(head, file);
  } else if (head.starts_with("%%MatrixMarket")) {
    file.kind = MatrixFile::Kind::market;
    parse_market(head, file);
  } else {
    parse_shape(head, 0, file);
  }
  const std::string shape = std::to_string(file.rows) + " x " + std::to_string(file.columns);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (file.rows < 1 || file.columns < 1 || file.rows > most || file.columns > most)
    refuse(name, "says that its matrix is " + shape + "; there must be 1 to " +
                     std::to_string(most) + " rows and columns");
  if (file.kind == MatrixFile::Kind::npy) {
    const std::int64_t wanted =
        file.begin + file.rows * file.columns * static_cast<std::int64_t>(sizeof(double));
    if (file.bytes != wanted)
      refuse(name, "has " + std::to_string(file.bytes) + " bytes; a matrix of " + shape +
                       " needs " + std::to_string(wanted));
  }
  return file;
}

}  // namespace

MatrixFile look_into(MPI_Comm comm, const std::string& name) {
  MatrixFile file;
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) file = parse(name);
  });
  std::array<std::int64_t, 6> facts{static_cast<std::int64_t>(file.kind),
                                    file.rows,
                                    file.columns,
                                    file.by_columns,
                                    file.begin,
                                    file.bytes};
  HALOCLINE_MPI(MPI_Bcast, facts.data(), 6, MPI_INT64_T, 0, comm);
  return {
      name,    static_cast<MatrixFile::Kind>(facts[0]), facts[1], facts[2], facts[3] != 0, facts[4],
      facts[5]};
}

}  // namespace matmul
