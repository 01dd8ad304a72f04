// Each rank reads its own tiles of a .npy file, and an equal share of a text, whose numbers then go
// to their owners.

#include "matrix_file.hpp"
#include "slabs.hpp"

#include <formats/npy.hpp>
#include <formats/share.hpp>
#include <halocline/exchange.hpp>

#include <fcntl.h>
#include <algorithm>

namespace matmul {

using namespace halocline;

namespace {

void read_npy(MPI_Comm comm, const MatrixFile& file, const Spread& matrix) {
  frame::each(comm, [&] {
    const frame::Descriptor in(file.name, O_RDONLY);
    std::vector<double> buffer;
    for (const Slab& slab : slabs_of(matrix, file.by_columns, sizeof(double))) {
      buffer.resize(slab.box.size());
      for_lines(matrix, slab, file.by_columns, [&](auto there, auto here, auto numbers) {
        in.read(file.begin + 8 * there, buffer.data() + here, 8 * numbers);
      });
      if (file.swapped) formats::swap_bytes(buffer);
      in_file_order(slab, matrix.data, file.by_columns,
                    [&](double& number, std::size_t i) { number = buffer[i]; });
    }
  });
}

/// The numbers on the lines of this rank's share of a text. Throws the same Error on all ranks,
/// about the first line that is wrong. Collective.
std::vector<double> numbers_of(MPI_Comm comm, const MatrixFile& file) {
  std::string text;
  frame::each(comm, [&] {
    text = formats::share_of_lines(file.name, file.begin, file.bytes, mpi::size(comm),
                                   mpi::rank(comm));
  });
  const std::int64_t count = formats::count_lines(text);
  std::int64_t before = 0;
  HALOCLINE_MPI(MPI_Exscan, &count, &before, 1, MPI_INT64_T, MPI_SUM, comm);
  if (mpi::rank(comm) == 0) before = 0;
  std::vector<double> numbers;
  mpi::together(comm, [&] {
    formats::Lines lines(text, file.name, file.lines + before);
    const bool market = file.kind == MatrixFile::Kind::market;
    while (market ? next_of_market(lines) : lines.next()) read_numbers(lines, file.header, numbers);
  });
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

/// How the numbers of a text follow each other: lines of the matrix (rows or columns), whole, or of
/// a symmetric one from the diagonal on.
class Order {
 public:
  explicit Order(const MatrixFile& file)
      : by_columns_(file.by_columns),
        length_(by_columns_ ? file.header.rows : file.header.columns),
        triangle_(file.header.symmetry != formats::Symmetry::general),
        diagonal_(file.header.symmetry != formats::Symmetry::skew) {}

  bool by_columns() const noexcept { return by_columns_; }
  bool triangle() const noexcept { return triangle_; }
  /// The first number of a line that the text has.
  std::int64_t first(std::int64_t line) const noexcept {
    return !triangle_ ? 0 : diagonal_ ? line : line + 1;
  }
  /// Where in the text a number of a line is.
  std::int64_t at(std::int64_t line, std::int64_t number) const noexcept {
    // Before a line of a triangle there are as many numbers as rows, one fewer each.
    const std::int64_t missing = !triangle_ ? 0 : line * (line - 1) / 2 + (diagonal_ ? 0 : line);
    return line * length_ - missing + number - first(line);
  }

 private:
  bool by_columns_;
  std::int64_t length_;
  bool triangle_, diagonal_;
};

/// Calls `act(in the text, in the tile)` for the blocks that numbers `stripe` of the text and a
/// tile have in common; places in the text count from the stripe's first. With `mirrored` the tile
/// is looked at across the diagonal, which is left out.
template <class Act>
void for_common(const Range& stripe, const Placed& tile, const Order& order, bool mirrored,
                Act&& act) {
  const bool by_columns = order.by_columns() != mirrored;
  const Range rows{tile.row, tile.row + tile.rows};
  const Range columns{tile.column, tile.column + tile.columns};
  const Range major = by_columns ? columns : rows, minor = by_columns ? rows : columns;
  for (std::int64_t line = major.begin; line < major.end; ++line) {
    const std::int64_t first = std::max(order.first(line), mirrored ? line + 1 : 0);
    const std::int64_t from = std::max(minor.begin, first);
    if (from >= minor.end) continue;
    const std::int64_t text_begin = order.at(line, from);
    const std::int64_t begin = std::max(text_begin, stripe.begin);
    const std::int64_t end = std::min(text_begin + minor.end - from, stripe.end);
    if (begin >= end) continue;
    const auto count = static_cast<std::size_t>(end - begin);
    const Block text{.offset = begin - stripe.begin, .count = {1, 1, count}};
    const std::int64_t number = from + begin - text_begin;
    const std::int64_t row = (by_columns ? number : line) - tile.row;
    const std::int64_t column = (by_columns ? line : number) - tile.column;
    Block there{.offset = tile.at + row * tile.columns + column, .count = {1, 1, count}};
    if (by_columns) there = {there.offset, {1, count, 1}, {0, tile.columns}};
    act(text, there);
  }
}

/// Both sides of the diagonal, if the text has one of them.
template <class Act>
void for_common(const Range& stripe, const Placed& tile, const Order& order, const Act& act) {
  for_common(stripe, tile, order, false, act);
  if (order.triangle()) for_common(stripe, tile, order, true, act);
}

/// From the ranks that have read numbers to those that own them.
void deal(MPI_Comm comm, const std::vector<double>& numbers, const Spread& matrix,
          const Order& order) {
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
  Pattern pattern;
  const auto own = static_cast<std::size_t>(me);
  for (int peer = 0; peer < ranks; ++peer) {
    const auto other = static_cast<std::size_t>(peer);
    for (const Placed& tile : tiles[other])
      for_common(stripes[own], tile, order, [&](const Block& text, const Block& there) {
        if (peer == me)
          pattern.copy(text, there);
        else
          pattern.send(peer, text);
      });
    if (peer == me) continue;
    for (const Placed& tile : mine)
      for_common(stripes[other], tile, order,
                 [&](const Block&, const Block& there) { pattern.receive(peer, there); });
  }
  std::vector<double> all(static_cast<std::size_t>(next));
  std::ranges::copy(numbers, all.begin());
  Exchange(comm, pattern, field(all.data(), all.size()), "p2p:nonblocking").run();
  for (std::size_t t = 0; t < mine.size(); ++t)
    std::copy_n(all.begin() + mine[t].at, matrix.tiles[t].box.size(),
                matrix.data + matrix.tiles[t].at);
}

/// The other triangle of a skew-symmetric matrix has the opposite sign.
void turn_signs(const Spread& matrix) {
  for (const Tile& tile : matrix.tiles) {
    const auto& [rows, columns] = tile.box;
    double* number = matrix.data + tile.at;
    for (std::int64_t row = rows.begin; row < rows.end; ++row)
      for (std::int64_t column = columns.begin; column < columns.end; ++column, ++number)
        if (column > row) *number = -*number;
  }
}

void read_text(MPI_Comm comm, const MatrixFile& file, const Spread& matrix) {
  const std::vector<double> numbers = numbers_of(comm, file);
  std::int64_t count = static_cast<std::int64_t>(numbers.size());
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, comm);
  if (count != file.header.entries)
    throw Error(file.name + ": has " + std::to_string(count) + " numbers; a matrix of " +
                std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns) + " needs " +
                std::to_string(file.header.entries));
  deal(comm, numbers, matrix, Order(file));
  if (file.header.symmetry == formats::Symmetry::skew) turn_signs(matrix);
}

}  // namespace

void read(MPI_Comm comm, const MatrixFile& file, const Spread& matrix) {
  if (file.kind != MatrixFile::Kind::npy) return read_text(comm, file, matrix);
  try {
    read_npy(comm, file, matrix);
  } catch (const std::exception& problem) {
    throw Error(file.name + ": " + frame::one_line(problem.what()));
  }
}

}  // namespace matmul
