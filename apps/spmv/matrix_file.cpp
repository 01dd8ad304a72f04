#include "matrix_file.hpp"

#include "deal.hpp"

#include <formats/share.hpp>
#include <frame/shared_file.hpp>

#include <array>
#include <filesystem>
#include <numeric>

namespace spmv {

using namespace halocline;
using formats::Lines, formats::MarketHeader, formats::Symmetry;

namespace {

MatrixFile parse(const std::string& name) {
  MatrixFile file;
  file.name = name;
  Lines lines(name);
  file.header = read_market_header(lines, {.array = false});
  const MarketHeader& header = file.header;
  if (header.rows < 1 || header.columns < 1)
    lines.refuse("is " + std::to_string(header.rows) + " x " + std::to_string(header.columns) +
                 ", but must have rows and columns");
  file.lines = lines.number();
  file.begin = lines.end();
  file.bytes = static_cast<std::int64_t>(std::filesystem::file_size(name));
  return file;
}

/// What this rank has read.
struct Share {
  std::vector<formats::Entry> entries{};
  formats::Triangles triangles{};
};

Share parse(Lines& lines, const MarketHeader& header) {
  Share share;
  while (next_of_market(lines)) share.entries.push_back(read_entry(lines, header, share.triangles));
  return share;
}

/// The sum over the ranks before this one. Collective.
std::int64_t before(MPI_Comm comm, std::int64_t mine) {
  std::int64_t sum = 0;
  HALOCLINE_MPI(MPI_Exscan, &mine, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
  return mpi::rank(comm) == 0 ? 0 : sum;
}

/// This rank's share of the entries. Throws the same Error on all ranks, about the first line that
/// is wrong. Collective.
std::vector<formats::Entry> share_of(MPI_Comm comm, const MatrixFile& file) {
  std::string text;
  frame::each(comm, [&] {
    text = formats::share_of_lines(file.name, file.begin, file.bytes, mpi::size(comm),
                                   mpi::rank(comm));
  });
  const std::int64_t count = formats::count_lines(text);
  const std::int64_t first = file.lines + before(comm, count);
  Lines lines(text, file.name, first);
  Share share;
  mpi::together(comm, [&] { share = parse(lines, file.header); });

  const std::int64_t wanted = file.header.entries - before(comm, std::ssize(share.entries));
  mpi::together(comm, [&] {
    if (wanted < 0 || wanted >= std::ssize(share.entries)) return;
    Lines again(text, file.name, first);
    for (std::int64_t i = 0; i <= wanted; ++i) next_of_market(again);
    again.refuse("has more entries than it says");
  });
  const std::int64_t all = over_ranks(comm, std::ssize(share.entries));
  const Lines behind({}, file.name, file.lines + over_ranks(comm, count));
  if (all < file.header.entries)
    behind.end_of_file("an entry", ": there are " + std::to_string(all) + " of " +
                                       std::to_string(file.header.entries));
  std::array<std::int64_t, 2> sides{share.triangles.below, share.triangles.above};
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, sides.data(), 2, MPI_INT64_T, MPI_MIN, comm);
  check({sides[0], sides[1]}, file.header, behind);
  return std::move(share.entries);
}

}  // namespace

MatrixFile look_into(MPI_Comm comm, const std::string& name) {
  MatrixFile file;
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) file = parse(name);
  });
  MarketHeader& header = file.header;
  std::array<std::int64_t, 9> facts{
      header.pattern, header.whole,   static_cast<std::int64_t>(header.symmetry),
      header.rows,    header.columns, header.entries,
      file.lines,     file.begin,     file.bytes};
  HALOCLINE_MPI(MPI_Bcast, facts.data(), 9, MPI_INT64_T, 0, comm);
  header.pattern = facts[0] != 0;
  header.whole = facts[1] != 0;
  header.symmetry = static_cast<Symmetry>(facts[2]);
  header.rows = facts[3], header.columns = facts[4], header.entries = facts[5];
  return {name, header, facts[6], facts[7], facts[8]};
}

Matrix read(MPI_Comm comm, const MatrixFile& file) {
  const MarketHeader& header = file.header;
  std::vector<formats::Entry> share = share_of(comm, file);
  const int ranks = mpi::size(comm);
  const Range mine = part_of(header.rows, ranks, mpi::rank(comm));
  const std::vector<std::int64_t> ends = ends_of(comm, mine.end);
  std::vector<std::vector<formats::Entry>> outgoing(static_cast<std::size_t>(ranks));
  const auto give = [&](const formats::Entry& entry) {
    outgoing[owner_of(ends, entry.row)].push_back(entry);
  };
  for (const formats::Entry& entry : share) {
    give(entry);
    if (header.symmetry != Symmetry::general && entry.row != entry.column)
      give({entry.column, entry.row, mirrored(entry.value, header.symmetry)});
  }
  share = {};
  std::vector<formats::Entry> entries;
  for (const auto& list : deal(comm, outgoing))
    entries.insert(entries.end(), list.begin(), list.end());
  formats::Rows rows = formats::by_rows(std::move(entries), mine.begin, mine.size());
  Matrix matrix;
  matrix.rows = mine;
  matrix.all_rows = header.rows;
  matrix.all_columns = header.columns;
  matrix.begin = std::move(rows.begin);
  matrix.columns = std::move(rows.columns);
  matrix.values = std::move(rows.values);
  return matrix;
}

std::int64_t line_of(MPI_Comm comm, const MatrixFile& file, std::int64_t row, std::int64_t column) {
  std::int64_t found = 0;
  mpi::together(comm, [&] {
    if (mpi::rank(comm) != 0) return;
    Lines lines(file.name);
    read_market_header(lines, {.array = false});
    formats::Triangles triangles;
    while (next_of_market(lines)) {
      const formats::Entry entry = read_entry(lines, file.header, triangles);
      if (entry.row == row && entry.column == column) found = lines.number();
    }
  });
  HALOCLINE_MPI(MPI_Bcast, &found, 1, MPI_INT64_T, 0, comm);
  return found;
}

}  // namespace spmv
