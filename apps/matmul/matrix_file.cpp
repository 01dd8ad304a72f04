#include "matrix_file.hpp"

#include <halocline/exchange.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
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

// --- What comes before the numbers
// ----------------------------------------------------------------

/// The value behind 'key': in the dictionary of a .npy file.
std::string value_of(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("'" + key + "'");
  const std::size_t colon = at == text.npos ? at : text.find(':', at);
  if (colon == text.npos) return {};
  const std::size_t begin = text.find_first_not_of(' ', colon + 1);
  if (begin == text.npos) return {};
  const std::size_t end =
      text[begin] == '(' ? text.find(')', begin) : text.find_first_of(",}", begin);
  return end == text.npos ? "" : text.substr(begin, end - begin);
}

void parse_npy(const std::string& head, MatrixFile& file) {
  const auto byte = [&](std::size_t at) {
    return at < head.size() ? static_cast<std::size_t>(static_cast<unsigned char>(head[at])) : 0;
  };
  const bool wide = byte(6) > 1;  // from version 2 on, the length has four bytes
  std::size_t length = byte(8) | byte(9) << 8;
  if (wide) length |= byte(10) << 16 | byte(11) << 24;
  const std::size_t from = wide ? 12 : 10;
  if (from + length > head.size()) refuse(file.name, "is cut short in its header");
  const std::string text = head.substr(from, length);
  const std::string type = value_of(text, "descr");
  if (type != "'<f8'")
    refuse(file.name, "holds numbers of type " + (type.empty() ? "unknown" : type) +
                          "; they must be doubles, '<f8'");
  file.by_columns = value_of(text, "fortran_order") == "True";
  long long rows = 0, columns = 0;
  char rest = 0;
  if (std::sscanf(value_of(text, "shape").c_str(), "(%lld, %lld%c", &rows, &columns, &rest) != 2)
    refuse(file.name, "must hold a matrix, with two dimensions");
  file.rows = rows;
  file.columns = columns;
  file.begin = static_cast<std::int64_t>(from + length);
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
  if (head.starts_with("\x93NUMPY")) {
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

// --- All ranks at one file
// ------------------------------------------------------------------------

struct FileTraits {
  using Raw = MPI_File;
  static Raw null() noexcept { return MPI_FILE_NULL; }
  static void free(Raw* raw) noexcept { MPI_File_close(raw); }
};
using File = mpi::Handle<FileTraits>;

/// Some whole rows of a tile, or columns if the file has columns one after the other: few enough
/// for a message of MPI.
struct Slab {
  const Tile* tile;
  Box box;
};

std::vector<Slab> slabs_of(const Spread& matrix, bool by_columns, std::size_t number_bytes) {
  constexpr std::int64_t most = std::int64_t{32} << 20;
  std::vector<Slab> slabs;
  for (const Tile& tile : matrix.tiles) {
    const Range major = by_columns ? tile.box.columns : tile.box.rows;
    const Range minor = by_columns ? tile.box.rows : tile.box.columns;
    if (tile.box.size() == 0) continue;
    const std::int64_t step =
        std::max<std::int64_t>(1, most / (minor.size() * static_cast<std::int64_t>(number_bytes)));
    for (std::int64_t begin = major.begin; begin < major.end; begin += step) {
      const Range part{begin, std::min(major.end, begin + step)};
      slabs.push_back({&tile, by_columns ? Box{minor, part} : Box{part, minor}});
    }
  }
  return slabs;
}

/// Calls `act(number in the tile, index)` for a slab in the file's order.
template <class Act>
void in_file_order(const Slab& slab, double* data, bool by_columns, Act&& act) {
  const Box& all = slab.tile->box;
  const Range major = by_columns ? slab.box.columns : slab.box.rows;
  const Range minor = by_columns ? slab.box.rows : slab.box.columns;
  std::size_t index = 0;
  for (std::int64_t i = major.begin; i < major.end; ++i)
    for (std::int64_t j = minor.begin; j < minor.end; ++j) {
      const std::int64_t row = by_columns ? j : i, column = by_columns ? i : j;
      const std::int64_t at =
          (row - all.rows.begin) * all.columns.size() + column - all.columns.begin;
      act(data[slab.tile->at + static_cast<std::size_t>(at)], index++);
    }
}

/// Shows this rank only its slab of a file whose numbers, of type `number`, begin at `begin`.
/// Collective.
void show(const File& file, std::int64_t begin, MPI_Datatype number, const Spread& matrix,
          const Slab* slab, bool by_columns) {
  mpi::Datatype part;
  if (slab) {
    const auto size = [](std::int64_t value) { return static_cast<int>(value); };
    const Box& box = slab->box;
    std::array sizes{size(matrix.rows), size(matrix.columns)};
    std::array parts{size(box.rows.size()), size(box.columns.size())};
    std::array begins{size(box.rows.begin), size(box.columns.begin)};
    HALOCLINE_MPI(MPI_Type_create_subarray, 2, sizes.data(), parts.data(), begins.data(),
                  by_columns ? MPI_ORDER_FORTRAN : MPI_ORDER_C, number, part.address());
    HALOCLINE_MPI(MPI_Type_commit, part.address());
  }
  HALOCLINE_MPI(MPI_File_set_view, file, static_cast<MPI_Offset>(begin), number,
                slab ? part.get() : number, "native", MPI_INFO_NULL);
}

/// `act(slab or null)` as often on all ranks as the one with most slabs needs.
template <class Act>
void together(MPI_Comm comm, const std::vector<Slab>& slabs, Act&& act) {
  std::int64_t most = static_cast<std::int64_t>(slabs.size());
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, comm);
  for (std::size_t i = 0; i < static_cast<std::size_t>(most); ++i)
    act(i < slabs.size() ? &slabs[i] : nullptr);
}

void read_npy(MPI_Comm comm, const File& in, const MatrixFile& file, const Spread& matrix) {
  std::vector<double> buffer;
  together(comm, slabs_of(matrix, file.by_columns, sizeof(double)), [&](const Slab* slab) {
    show(in, file.begin, MPI_DOUBLE, matrix, slab, file.by_columns);
    buffer.resize(slab ? slab->box.size() : 0);
    HALOCLINE_MPI(MPI_File_read_all, in, buffer.data(), static_cast<int>(buffer.size()), MPI_DOUBLE,
                  MPI_STATUS_IGNORE);
    if (slab)
      in_file_order(*slab, matrix.data, file.by_columns,
                    [&](double& number, std::size_t i) { number = buffer[i]; });
  });
}

// --- Text
// -----------------------------------------------------------------------------------------

bool is_space(char letter) {
  return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

/// The numbers that begin in this rank's share of the text. What is none is left in `bad`.
std::vector<double> numbers_of(MPI_Comm comm, const File& in, const MatrixFile& file,
                               std::string& bad) {
  const Range mine = part_of(file.bytes - file.begin, mpi::size(comm), mpi::rank(comm));
  // The letter before tells whether a number begins, those behind end the last one.
  constexpr std::int64_t longest = 400;
  const std::int64_t from = file.begin + mine.begin - 1;
  const std::int64_t end = std::min(file.bytes, file.begin + mine.end + longest);
  std::string text(static_cast<std::size_t>(mine.size() > 0 ? end - from : 0), '\0');
  constexpr std::size_t most = std::size_t{1} << 30;
  for (std::size_t done = 0; done < text.size(); done += most)
    HALOCLINE_MPI(MPI_File_read_at, in, from + static_cast<std::int64_t>(done), text.data() + done,
                  static_cast<int>(std::min(most, text.size() - done)), MPI_CHAR,
                  MPI_STATUS_IGNORE);
  std::vector<double> numbers;
  for (std::size_t at = 1; at <= static_cast<std::size_t>(mine.size());) {
    if (is_space(text[at]) || !is_space(text[at - 1])) {
      ++at;
      continue;
    }
    std::size_t stop = at;
    while (stop < text.size() && !is_space(text[stop])) ++stop;
    double number = 0;
    const char* const begin = text.data() + at + (text[at] == '+' ? 1 : 0);
    const auto [read, problem] = std::from_chars(begin, text.data() + stop, number);
    if (problem != std::errc() || read != text.data() + stop) {
      bad = text.substr(at, std::min<std::size_t>(stop - at, 40));
      break;
    }
    numbers.push_back(number);
    at = stop;
  }
  return numbers;
}

/// A tile of some rank: its box, and where it begins in that rank's array.
struct Placed {
  std::int64_t row, rows, column, columns, at;
};

/// What all ranks bring, by ranks. Collective.
template <class Item>
std::vector<std::vector<Item>> gather(MPI_Comm comm, const std::vector<Item>& mine) {
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  std::vector<int> bytes(ranks), begins(ranks, 0);
  const int own = static_cast<int>(mine.size() * sizeof(Item));
  HALOCLINE_MPI(MPI_Allgather, &own, 1, MPI_INT, bytes.data(), 1, MPI_INT, comm);
  for (std::size_t r = 1; r < ranks; ++r) begins[r] = begins[r - 1] + bytes[r - 1];
  std::vector<Item> all(static_cast<std::size_t>(begins.back() + bytes.back()) / sizeof(Item));
  HALOCLINE_MPI(MPI_Allgatherv, mine.data(), own, MPI_BYTE, all.data(), bytes.data(), begins.data(),
                MPI_BYTE, comm);
  std::vector<std::vector<Item>> by_rank(ranks);
  auto next = all.begin();
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto count = bytes[r] / static_cast<int>(sizeof(Item));
    by_rank[r].assign(next, next + count);
    next += count;
  }
  return by_rank;
}

/// Calls `act(in the text, in the tile)` for the blocks that numbers `stripe` of the text and a
/// tile have in common; places in the text count from the stripe's first.
template <class Act>
void for_common(const Range& stripe, const Placed& tile, std::int64_t length, bool by_columns,
                Act&& act) {
  const Range major = by_columns ? Range{tile.column, tile.column + tile.columns}
                                 : Range{tile.row, tile.row + tile.rows};
  const Range minor = by_columns ? Range{tile.row, tile.row + tile.rows}
                                 : Range{tile.column, tile.column + tile.columns};
  for (std::int64_t line = std::max(major.begin, stripe.begin / length);
       line < major.end && line * length < stripe.end; ++line) {
    const std::int64_t begin = std::max(minor.begin, stripe.begin - line * length);
    const std::int64_t end = std::min(minor.end, stripe.end - line * length);
    if (begin >= end) continue;
    const auto count = static_cast<std::size_t>(end - begin);
    const Block text{.offset = line * length + begin - stripe.begin, .count = {1, 1, count}};
    const std::int64_t row = (by_columns ? begin : line) - tile.row;
    const std::int64_t column = (by_columns ? line : begin) - tile.column;
    Block there{.offset = tile.at + row * tile.columns + column, .count = {1, 1, count}};
    if (by_columns) there = {there.offset, {1, count, 1}, {0, tile.columns}};
    act(text, there);
  }
}

/// From the ranks that have read numbers to those that own them.
void deal(MPI_Comm comm, const std::vector<double>& numbers, const Spread& matrix,
          bool by_columns) {
  const int ranks = mpi::size(comm), me = mpi::rank(comm);
  const auto counts = gather(comm, std::vector{static_cast<std::int64_t>(numbers.size())});
  std::vector<Range> stripes;
  for (const auto& count : counts) {
    const std::int64_t begin = stripes.empty() ? 0 : stripes.back().end;
    stripes.push_back({begin, begin + count[0]});
  }
  // Both ends of a link are in one array: the numbers first, then the tiles.
  std::vector<Placed> mine;
  auto next = static_cast<std::int64_t>(numbers.size());
  for (const Tile& tile : matrix.tiles) {
    const auto& [rows, columns] = tile.box;
    mine.push_back({rows.begin, rows.size(), columns.begin, columns.size(), next});
    next += static_cast<std::int64_t>(tile.box.size());
  }
  const std::vector<std::vector<Placed>> tiles = gather(comm, mine);
  const std::int64_t length = by_columns ? matrix.rows : matrix.columns;
  Pattern pattern;
  const auto own = static_cast<std::size_t>(me);
  for (int peer = 0; peer < ranks; ++peer) {
    const auto other = static_cast<std::size_t>(peer);
    for (const Placed& tile : tiles[other])
      for_common(stripes[own], tile, length, by_columns,
                 [&](const Block& text, const Block& there) {
                   if (peer == me)
                     pattern.copy(text, there);
                   else
                     pattern.send(peer, text);
                 });
    if (peer == me) continue;
    for (const Placed& tile : mine)
      for_common(stripes[other], tile, length, by_columns,
                 [&](const Block&, const Block& there) { pattern.receive(peer, there); });
  }
  std::vector<double> all(static_cast<std::size_t>(next));
  std::ranges::copy(numbers, all.begin());
  Exchange(comm, pattern, field(all.data(), all.size()), "p2p:nonblocking").run();
  for (std::size_t t = 0; t < mine.size(); ++t)
    std::copy_n(all.begin() + mine[t].at, matrix.tiles[t].box.size(),
                matrix.data + matrix.tiles[t].at);
}

void read_text(MPI_Comm comm, const File& in, const MatrixFile& file, const Spread& matrix) {
  std::string bad;
  const std::vector<double> numbers = numbers_of(comm, in, file, bad);
  mpi::agree(comm, bad.empty() ? "" : "'" + bad + "' is no number");
  std::int64_t count = static_cast<std::int64_t>(numbers.size());
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, comm);
  if (count != file.rows * file.columns)
    throw Error("has " + std::to_string(count) + " numbers; a matrix of " +
                std::to_string(file.rows) + " x " + std::to_string(file.columns) + " needs " +
                std::to_string(file.rows * file.columns));
  deal(comm, numbers, matrix, file.by_columns);
}

// --- Writing
// --------------------------------------------------------------------------------------

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
  std::string text =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (" + rows + ", " + columns + "), }";
  // Magic, version 1.0, length; the data begin at a multiple of 64.
  constexpr std::size_t before = 10;
  text.resize((before + text.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  text += '\n';
  const auto length = static_cast<unsigned>(text.size());
  std::string all = "\x93NUMPY";
  all += {1, 0, static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return all + text;
}

/// In text each number takes as many bytes, so that all ranks know where theirs are.
constexpr int digits = 24;

void write_to(MPI_Comm comm, const std::string& name, Kind kind, const Spread& matrix) {
  const std::string head = header(kind, matrix);
  File file;
  HALOCLINE_MPI(MPI_File_open, comm, name.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                file.address());
  const std::int64_t number = kind == Kind::npy ? 8 : digits + 1;
  const std::int64_t begin = static_cast<std::int64_t>(head.size());
  HALOCLINE_MPI(MPI_File_set_size, file, begin + number * matrix.rows * matrix.columns);
  if (mpi::rank(comm) == 0)
    HALOCLINE_MPI(MPI_File_write_at, file, 0, head.data(), static_cast<int>(head.size()), MPI_CHAR,
                  MPI_STATUS_IGNORE);
  mpi::Datatype type;
  HALOCLINE_MPI(MPI_Type_contiguous, static_cast<int>(number), MPI_CHAR, type.address());
  HALOCLINE_MPI(MPI_Type_commit, type.address());

  const bool by_columns = kind == Kind::market;
  std::string buffer;
  const auto bytes = static_cast<std::size_t>(number);
  together(comm, slabs_of(matrix, by_columns, bytes), [&](const Slab* slab) {
    show(file, begin, type, matrix, slab, by_columns);
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
    HALOCLINE_MPI(MPI_File_write_all, file, buffer.data(),
                  static_cast<int>(slab ? slab->box.size() : 0), type, MPI_STATUS_IGNORE);
  });
  MPI_File raw = file.get();
  *file.address() = MPI_FILE_NULL;
  HALOCLINE_MPI(MPI_File_close, &raw);
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
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

void read(MPI_Comm comm, const MatrixFile& file, const Spread& matrix) {
  try {
    File in;
    HALOCLINE_MPI(MPI_File_open, comm, file.name.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL,
                  in.address());
    if (file.kind == MatrixFile::Kind::npy)
      read_npy(comm, in, file, matrix);
    else
      read_text(comm, in, file, matrix);
  } catch (const std::exception& problem) {
    refuse(file.name, one_line(problem.what()));
  }
}

void check_name(const std::string& name) {
  kind_of(name);
}

void write(MPI_Comm comm, const std::string& name, const Spread& matrix) {
  const std::string partial = name + ".partial";
  try {
    write_to(comm, partial, kind_of(name), matrix);
  } catch (const std::exception& problem) {
    std::error_code gone;
    std::filesystem::remove(partial, gone);
    throw Error("--output " + name + ": " + one_line(problem.what()));
  }
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) std::filesystem::rename(partial, name);
  });
}

}  // namespace matmul
