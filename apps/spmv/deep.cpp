#include "deep.hpp"

#include "deal.hpp"

#include <halocline/more/mpi.hpp>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace spmv {

using namespace halocline;

namespace {

using Indices = std::vector<std::int64_t>;

/// Some rows by global index, with global columns.
struct Collected {
  Indices rows{}, begin{0}, columns{};
  std::vector<double> values{};
};

/// Appends rows that others own. Collective.
void fetch(MPI_Comm comm, const Matrix& matrix, const Indices& ends, const Indices& wanted,
           Collected& all) {
  std::vector<Indices> of_owners(ends.size());
  for (const std::int64_t row : wanted) of_owners[owner_of(ends, row)].push_back(row);
  const std::vector<Indices> asked = deal(comm, of_owners);
  std::vector<Indices> lengths(ends.size()), columns(ends.size());
  std::vector<std::vector<double>> values(ends.size());
  for (std::size_t peer = 0; peer < ends.size(); ++peer)
    for (const std::int64_t row : asked[peer]) {
      const auto r = static_cast<std::size_t>(row - matrix.rows.begin);
      const std::int64_t from = matrix.begin[r], to = matrix.begin[r + 1];
      lengths[peer].push_back(to - from);
      columns[peer].insert(columns[peer].end(), matrix.columns.begin() + from,
                           matrix.columns.begin() + to);
      values[peer].insert(values[peer].end(), matrix.values.begin() + from,
                          matrix.values.begin() + to);
    }
  // Owners follow each other as their rows do.
  all.rows.insert(all.rows.end(), wanted.begin(), wanted.end());
  for (const auto& list : deal(comm, lengths))
    for (const std::int64_t length : list) all.begin.push_back(all.begin.back() + length);
  for (const auto& list : deal(comm, columns))
    all.columns.insert(all.columns.end(), list.begin(), list.end());
  for (const auto& list : deal(comm, values))
    all.values.insert(all.values.end(), list.begin(), list.end());
}

}  // namespace

Deep deep_of(MPI_Comm comm, const Matrix& matrix, int steps) {
  const Range own = matrix.rows;
  const Indices ends = ends_of(comm, own.end);
  // Ring by ring: what the last one needs and nobody before it.
  std::unordered_map<std::int64_t, int> away;
  Collected outside;
  Indices ring;
  const auto reach = [&](const Indices& columns, std::size_t from, int step) {
    for (std::size_t e = from; e < columns.size(); ++e) {
      const std::int64_t column = columns[e];
      if (column >= own.begin && column < own.end) continue;
      if (away.emplace(column, step).second) ring.push_back(column);
    }
  };
  reach(matrix.columns, 0, 1);
  for (int step = 1; step < steps; ++step) {
    std::ranges::sort(ring);
    const std::size_t known = outside.columns.size();
    fetch(comm, matrix, ends, std::exchange(ring, {}), outside);
    reach(outside.columns, known, step + 1);
  }

  Deep deep;
  for (const auto& [index, step] : away) deep.indices.push_back(index);
  for (std::int64_t index = own.begin; index < own.end; ++index) deep.indices.push_back(index);
  std::ranges::sort(deep.indices);
  mpi::agree(comm, std::ssize(deep.indices) < std::numeric_limits<std::int32_t>::max()
                       ? ""
                       : "a rank needs more than 2^31 elements; take more ranks or fewer steps");
  const auto place = [&](std::int64_t index) {
    return std::ranges::lower_bound(deep.indices, index) - deep.indices.begin();
  };
  deep.own = static_cast<std::size_t>(place(own.begin));
  const auto own_place = [&](std::int64_t index) {
    return index - own.begin + static_cast<std::int64_t>(deep.own);
  };
  for (const std::int64_t index : deep.indices) {
    const auto found = away.find(index);
    deep.steps.push_back(found == away.end() ? 0 : found->second);
  }

  // Rows in the order of their places.
  std::unordered_map<std::int64_t, std::size_t> fetched;
  for (std::size_t i = 0; i < outside.rows.size(); ++i) fetched.emplace(outside.rows[i], i);
  const auto append = [&](const Indices& columns, const std::vector<double>& values,
                          std::int64_t from, std::int64_t to) {
    for (auto e = static_cast<std::size_t>(from); e < static_cast<std::size_t>(to); ++e) {
      const std::int64_t column = columns[e];
      const bool mine = column >= own.begin && column < own.end;
      deep.columns.push_back(static_cast<std::int32_t>(mine ? own_place(column) : place(column)));
      deep.values.push_back(values[e]);
    }
    deep.begin.push_back(std::ssize(deep.columns));
  };
  for (std::size_t at = 0; at < deep.indices.size(); ++at) {
    if (deep.steps[at] == steps) {
      deep.begin.push_back(deep.begin.back());
      continue;
    }
    deep.rows.push_back(static_cast<std::int32_t>(at));
    if (deep.steps[at] == 0) {
      const auto r = static_cast<std::size_t>(deep.indices[at] - own.begin);
      append(matrix.columns, matrix.values, matrix.begin[r], matrix.begin[r + 1]);
    } else {
      const std::size_t r = fetched.at(deep.indices[at]);
      append(outside.columns, outside.values, outside.begin[r], outside.begin[r + 1]);
    }
  }

  std::vector<Indices> wanted(ends.size());
  for (std::size_t at = 0; at < deep.indices.size(); ++at)
    if (deep.steps[at] > 0) wanted[owner_of(ends, deep.indices[at])].push_back(deep.indices[at]);
  const std::vector<Indices> asked = deal(comm, wanted);
  std::vector<int> peers;
  std::vector<std::vector<std::ptrdiff_t>> leaving, landing;
  for (std::size_t peer = 0; peer < ends.size(); ++peer) {
    peers.push_back(static_cast<int>(peer));
    leaving.emplace_back();
    landing.emplace_back();
    for (const std::int64_t index : asked[peer]) leaving.back().push_back(own_place(index));
    for (const std::int64_t index : wanted[peer]) landing.back().push_back(place(index));
  }
  deep.pattern = Pattern::from_indices(peers, leaving, peers, landing);
  return deep;
}

}  // namespace spmv
