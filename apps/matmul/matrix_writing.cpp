// Each rank writes its own tiles. In text every number takes as many bytes, so that all know where
// theirs are.

#include "matrix_file.hpp"
#include "slabs.hpp"

#include <formats/npy.hpp>

#include <cstdio>
#include <cstring>

namespace matmul {

using namespace halocline;

namespace {

enum class Kind { npy, market, text };

Kind kind_of(const std::string& name) {
  for (const auto& [end, kind] :
       {std::pair{".npy", Kind::npy}, {".mtx", Kind::market}, {".txt", Kind::text}})
    if (name.ends_with(end)) return kind;
  throw Error("--output " + name + ": must end in .npy, .mtx or .txt");
}

std::string header(Kind kind, const Spread& matrix) {
  const std::string rows = std::to_string(matrix.rows), columns = std::to_string(matrix.columns);
  if (kind == Kind::text) return rows + " " + columns + "\n";
  if (kind == Kind::market)
    return "%%MatrixMarket matrix array real general\n" + rows + " " + columns + "\n";
  return formats::npy_header({matrix.rows, matrix.columns});
}

constexpr int digits = 24;  // of a number in text

void write_to(MPI_Comm comm, frame::SharedFile& file, Kind kind, const Spread& matrix) {
  const std::string head = header(kind, matrix);
  const std::int64_t number = kind == Kind::npy ? 8 : digits + 1;
  const std::int64_t begin = static_cast<std::int64_t>(head.size());
  if (mpi::rank(comm) == 0) file.put(0, head.data(), begin);
  const bool by_columns = kind == Kind::market;
  std::string buffer;
  const auto bytes = static_cast<std::size_t>(number);
  together(comm, slabs_of(matrix, by_columns, bytes), [&](const Slab* slab) {
    buffer.resize(slab ? slab->box.size() * bytes : 0);
    if (slab)
      in_file_order(*slab, matrix.data, by_columns, [&](const double& value, std::size_t i) {
        char* const to = buffer.data() + i * bytes;
        if (kind == Kind::npy) {
          std::memcpy(to, &value, sizeof value);
          return;
        }
        char text[digits + 8];
        std::snprintf(text, sizeof text, "%*.16e", digits, value);
        const auto column =
            slab->box.columns.begin + static_cast<std::int64_t>(i) % slab->box.columns.size();
        text[digits] = kind == Kind::market || column + 1 == matrix.columns ? '\n' : ' ';
        std::memcpy(to, text, bytes);
      });
    if (slab)
      for_lines(matrix, *slab, by_columns, [&](auto there, auto here, auto numbers) {
        file.put(begin + number * there, buffer.data() + number * here, number * numbers);
      });
    file.deal();
  });
}

}  // namespace

void check_name(const std::string& name) {
  kind_of(name);
}

void write(MPI_Comm comm, const std::string& name, const Spread& matrix) {
  const Kind kind = kind_of(name);
  frame::replace_file(comm, "--output", name,
                      [&](frame::SharedFile& file) { write_to(comm, file, kind, matrix); });
}

}  // namespace matmul
