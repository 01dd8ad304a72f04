#include "matrix_file.hpp"

#include "deal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>

namespace spmv {

using namespace halocline;
namespace market = numerics::market;

namespace {

std::ifstream opened(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  if (!in) throw Error(name + ": " + std::strerror(errno));
  if (std::filesystem::is_directory(name)) throw Error(name + ": is a folder");
  return in;
}

/// Bytes of a file, fewer at its end.
std::string piece(std::ifstream& in, std::int64_t begin, std::int64_t bytes) {
  std::string text(static_cast<std::size_t>(std::max<std::int64_t>(0, bytes)), '\0');
  in.clear();
  in.seekg(begin);
  in.read(text.data(), std::ssize(text));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

MatrixFile parse(const std::string& name) {
  MatrixFile file;
  file.name = name;
  std::ifstream in = opened(name);
  file.bytes = static_cast<std::int64_t>(std::filesystem::file_size(name));
  // Comments may be long.
  const std::string head = piece(in, 0, std::int64_t{1} << 20);
  market::Lines lines(head);
  try {
    file.header = market::read_banner(lines);
    if (file.header.dense) lines.fail("is 'array', but must be coordinate (a sparse matrix)");
    market::read_size(lines, file.header);
    if (file.header.rows < 1 || file.header.columns < 1)
      lines.fail("is " + std::to_string(file.header.rows) + " x " +
                 std::to_string(file.header.columns) + ", but must have rows and columns");
    if (file.header.symmetry != market::Symmetry::general &&
        file.header.rows != file.header.columns)
      lines.fail("is " + std::to_string(file.header.rows) + " x " +
                 std::to_string(file.header.columns) + ", but must be square to be symmetric");
  } catch (const market::Problem& problem) {
    throw Error(problem.in(name));
  }
  file.lines = lines.number();
  file.begin = std::ssize(head) - std::ssize(lines.rest());
  return file;
}

/// The lines that begin in this rank's share of the bytes, whole.
std::string share_of(MPI_Comm comm, const MatrixFile& file) {
  std::ifstream in = opened(file.name);
  const Range mine = part_of(file.bytes - file.begin, mpi::size(comm), mpi::rank(comm));
  if (mine.size() == 0) return {};
  const std::int64_t begin = file.begin + mine.begin, end = file.begin + mine.end;
  // The letter before tells whether a line begins; before the first one there is an end of a line.
  const std::int64_t before = mine.begin > 0 ? 1 : 0;
  std::string text = piece(in, begin - before, mine.size() + before);
  if (std::ssize(text) != mine.size() + before) throw Error(file.name + ": cannot be read");
  const bool goes_on = text.back() != '\n';
  if (before == 1) {
    const std::size_t first = text.find('\n');
    if (first == text.npos || first + 1 == text.size()) return {};
    text.erase(0, first + 1);
  }
  constexpr std::int64_t some = 4096;
  for (std::int64_t at = end; goes_on && at < file.bytes; at += some) {
    const std::string more = piece(in, at, some);
    const std::size_t stop = more.find('\n');
    text += more.substr(0, stop == more.npos ? stop : stop + 1);
    if (stop != more.npos) break;
  }
  return text;
}

/// What this rank has read.
struct Share {
  std::vector<market::Entry> entries{};
  std::int64_t lines = 0;
  std::optional<market::Problem> problem{};
};

Share parse(const std::string& text, const market::Header& header) {
  Share share;
  market::Lines lines(text);
  try {
    while (lines.next()) share.entries.push_back(market::read_entry(lines, header));
  } catch (const market::Problem& problem) {
    share.problem = problem;
  }
  share.lines = lines.number();
  return share;
}

/// Of those before this rank. Collective.
std::int64_t before(MPI_Comm comm, std::int64_t mine) {
  std::int64_t sum = 0;
  HALOCLINE_MPI(MPI_Exscan, &mine, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
  return mpi::rank(comm) == 0 ? 0 : sum;
}

/// Throws the same Error on all ranks, about the first line that is wrong. Collective.
void check(MPI_Comm comm, const MatrixFile& file, const std::string& text, const Share& share) {
  const std::int64_t first_line = file.lines + before(comm, share.lines);
  mpi::agree(comm, share.problem ? share.problem->in(file.name, first_line) : "");
  const std::int64_t known = before(comm, std::ssize(share.entries));
  const std::int64_t there = std::ssize(share.entries), wanted = file.header.entries - known;
  std::string complaint;
  if (wanted >= 0 && there > wanted) {
    market::Lines lines(text);
    for (std::int64_t i = 0; i <= wanted; ++i) lines.next();
    complaint =
        market::Problem(lines.number(), "has more entries than it says").in(file.name, first_line);
  }
  mpi::agree(comm, complaint);
  const std::int64_t all = over_ranks(comm, there), lines = over_ranks(comm, share.lines);
  if (all < file.header.entries)
    throw Error(market::Problem(file.lines + lines + 1,
                                "ends where an entry should be: there are " + std::to_string(all) +
                                    " of " + std::to_string(file.header.entries))
                    .in(file.name));
}

/// Rows from entries that are in the order of the file.
Matrix compress(const Range& rows, const market::Header& header,
                std::vector<market::Entry> entries) {
  Matrix matrix;
  matrix.rows = rows;
  matrix.all_rows = header.rows;
  matrix.all_columns = header.columns;
  std::ranges::stable_sort(entries, [](const market::Entry& a, const market::Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  matrix.begin.assign(static_cast<std::size_t>(rows.size()) + 1, 0);
  const market::Entry* last = nullptr;
  for (const market::Entry& entry : entries) {
    if (last && last->row == entry.row && last->column == entry.column) {
      matrix.values.back() += entry.value;
    } else {
      matrix.columns.push_back(entry.column);
      matrix.values.push_back(entry.value);
      ++matrix.begin[static_cast<std::size_t>(entry.row - rows.begin) + 1];
    }
    last = &entry;
  }
  std::partial_sum(matrix.begin.begin(), matrix.begin.end(), matrix.begin.begin());
  return matrix;
}

}  // namespace

MatrixFile look_into(MPI_Comm comm, const std::string& name) {
  MatrixFile file;
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) file = parse(name);
  });
  market::Header& header = file.header;
  std::array<std::int64_t, 8> facts{header.ones,    static_cast<std::int64_t>(header.symmetry),
                                    header.rows,    header.columns,
                                    header.entries, file.lines,
                                    file.begin,     file.bytes};
  HALOCLINE_MPI(MPI_Bcast, facts.data(), 8, MPI_INT64_T, 0, comm);
  header = {false,    facts[0] != 0, static_cast<market::Symmetry>(facts[1]),
            facts[2], facts[3],      facts[4]};
  return {name, header, facts[5], facts[6], facts[7]};
}

Matrix read(MPI_Comm comm, const MatrixFile& file) {
  Share share;
  std::string text;
  mpi::together(comm, [&] {
    text = share_of(comm, file);
    share = parse(text, file.header);
  });
  check(comm, file, text, share);
  text = {};

  const int ranks = mpi::size(comm);
  const Range mine = part_of(file.header.rows, ranks, mpi::rank(comm));
  const std::vector<std::int64_t> ends = ends_of(comm, mine.end);
  std::vector<std::vector<market::Entry>> outgoing(static_cast<std::size_t>(ranks));
  const auto give = [&](const market::Entry& entry) {
    outgoing[owner_of(ends, entry.row)].push_back(entry);
  };
  const bool mirrored = file.header.symmetry != market::Symmetry::general;
  const double sign = file.header.symmetry == market::Symmetry::skew ? -1 : 1;
  for (const market::Entry& entry : share.entries) {
    give(entry);
    if (mirrored && entry.row != entry.column) give({entry.column, entry.row, sign * entry.value});
  }
  share = {};
  std::vector<market::Entry> entries;
  for (const auto& list : deal(comm, outgoing))
    entries.insert(entries.end(), list.begin(), list.end());
  return compress(mine, file.header, std::move(entries));
}

std::int64_t line_of(MPI_Comm comm, const MatrixFile& file, std::int64_t row, std::int64_t column) {
  std::int64_t found = 0;
  mpi::together(comm, [&] {
    if (mpi::rank(comm) != 0) return;
    std::ifstream in = opened(file.name);
    in.seekg(file.begin);
    std::string text;
    for (std::int64_t line = file.lines + 1; std::getline(in, text); ++line) {
      market::Lines lines(text);
      if (!lines.next()) continue;
      const market::Entry entry = market::read_entry(lines, file.header);
      if (entry.row == row && entry.column == column) found = line;
    }
  });
  HALOCLINE_MPI(MPI_Bcast, &found, 1, MPI_INT64_T, 0, comm);
  return found;
}

}  // namespace spmv
