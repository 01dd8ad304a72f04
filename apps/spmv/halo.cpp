#include "halo.hpp"

#include "deal.hpp"

#include <algorithm>

namespace spmv {

using namespace halocline;

namespace {

using Indices = std::vector<std::int64_t>;

Indices needed(const Matrix& matrix, const Range& own) {
  Indices all;
  for (const std::int64_t column : matrix.columns)
    if (column < own.begin || column >= own.end) {
      // Rows beside each other need much the same; what repeats at once is not kept.
      if (all.empty() || all.back() != column) all.push_back(column);
    }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Runs of consecutive indices, as blocks whose first element `place` tells.
template <class Place, class Add>
void for_runs(const Indices& indices, const Place& place, const Add& add) {
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t length = 1;
    while (i + length < indices.size() &&
           indices[i + length] == indices[i] + static_cast<std::int64_t>(length))
      ++length;
    add(Block{.offset = place(indices[i]), .count = {1, 1, length}});
    i += length;
  }
}

}  // namespace

std::int64_t Halo::place(std::int64_t column) const {
  if (owns(column)) return column - own.begin;
  return own.size() + (std::ranges::lower_bound(outside, column) - outside.begin());
}

std::vector<Indices> wanted_of(const Matrix& matrix, const Range& own, const Indices& ends) {
  std::vector<Indices> wanted(ends.size());
  for (const std::int64_t column : needed(matrix, own))
    wanted[owner_of(ends, column)].push_back(column);
  return wanted;
}

bool needs_nobody(const Matrix& matrix, std::size_t row, const Range& own) {
  return std::all_of(matrix.columns.begin() + matrix.begin[row],
                     matrix.columns.begin() + matrix.begin[row + 1],
                     [&](std::int64_t column) { return column >= own.begin && column < own.end; });
}

Halo halo_of(MPI_Comm comm, const Matrix& matrix) {
  Halo halo;
  halo.own = columns_of(comm, matrix);
  const Indices ends = ends_of(comm, halo.own.end);
  const std::vector<Indices> wanted = wanted_of(matrix, halo.own, ends);
  for (const Indices& of_one : wanted)
    halo.outside.insert(halo.outside.end(), of_one.begin(), of_one.end());
  const std::vector<Indices> asked = deal(comm, wanted);
  const auto place = [&](std::int64_t column) { return halo.place(column); };
  for (std::size_t peer = 0; peer < ends.size(); ++peer) {
    const int rank = static_cast<int>(peer);
    for_runs(asked[peer], place, [&](const Block& block) { halo.pattern.send(rank, block); });
    for_runs(wanted[peer], place, [&](const Block& block) { halo.pattern.receive(rank, block); });
  }
  return halo;
}

}  // namespace spmv
