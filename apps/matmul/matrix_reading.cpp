// Each rank reads its own tiles of a .npy file, and an equal share of a text, whose numbers then go
// to their owners.

#include "matrix_file.hpp"
#include "slabs.hpp"

#include <halocline/exchange.hpp>

#include <algorithm>
#include <charconv>

namespace matmul {

using namespace halocline;

namespace {

void read_npy(MPI_Comm comm, const frame::File& in, const MatrixFile& file, const Spread& matrix) {
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

bool is_space(char letter) {
  return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

/// The numbers that begin in this rank's share of the text. What is none is left in `bad`.
std::vector<double> numbers_of(MPI_Comm comm, const frame::File& in, const MatrixFile& file,
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

void read_text(MPI_Comm comm, const frame::File& in, const MatrixFile& file, const Spread& matrix) {
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

}  // namespace

void read(MPI_Comm comm, const MatrixFile& file, const Spread& matrix) {
  try {
    frame::File in;
    HALOCLINE_MPI(MPI_File_open, comm, file.name.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL,
                  in.address());
    if (file.kind == MatrixFile::Kind::npy)
      read_npy(comm, in, file, matrix);
    else
      read_text(comm, in, file, matrix);
  } catch (const std::exception& problem) {
    throw Error(file.name + ": " + frame::one_line(problem.what()));
  }
}

}  // namespace matmul
