#include "matrix_system.hpp"

#include <algorithm>
#include <map>

namespace laplace {

using namespace halocline;

namespace {

using Integers = std::vector<std::int64_t>;

/// Those of other workers' unknowns that these rows need, ascending.
Integers needed(const Matrix& matrix, const Range& range) {
  Integers all;
  for (std::int64_t e = matrix.begin[static_cast<std::size_t>(range.begin)];
       e < matrix.begin[static_cast<std::size_t>(range.end)]; ++e) {
    const std::int64_t column = matrix.columns[static_cast<std::size_t>(e)];
    if (column < range.begin || column >= range.end) all.push_back(column);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void append(Integers& list, std::int64_t peer, const Integers& which) {
  if (which.empty()) return;
  list.push_back(peer);
  list.push_back(static_cast<std::int64_t>(which.size()));
  list.insert(list.end(), which.begin(), which.end());
}

/// Calls act(peer, indices) for every entry of such a list.
template <class Act>
void each_peer(const Integers& list, Act&& act) {
  for (auto at = list.begin(); at != list.end();) {
    const auto peer = static_cast<int>(*at++);
    const std::ptrdiff_t count = *at++;
    act(peer, std::vector<std::ptrdiff_t>(at, at + count));
    at += count;
  }
}

template <class Number>
void send(const std::vector<Number>& values, int to, MPI_Comm comm) {
  const auto count = static_cast<std::int64_t>(values.size());
  HALOCLINE_MPI(MPI_Send, &count, 1, MPI_INT64_T, to, 0, comm);
  const mpi::Bytes bytes(values.size() * sizeof(Number));
  HALOCLINE_MPI(MPI_Send, values.data(), bytes.count(), bytes.type(), to, 0, comm);
}

template <class Number>
void receive(std::vector<Number>& values, MPI_Comm comm) {
  std::int64_t count = 0;
  HALOCLINE_MPI(MPI_Recv, &count, 1, MPI_INT64_T, 0, 0, comm, MPI_STATUS_IGNORE);
  values.resize(static_cast<std::size_t>(count));
  const mpi::Bytes bytes(values.size() * sizeof(Number));
  HALOCLINE_MPI(MPI_Recv, values.data(), bytes.count(), bytes.type(), 0, 0, comm,
                MPI_STATUS_IGNORE);
}

}  // namespace

Rows rows_of(const Matrix& matrix, const std::vector<double>& right_side, int worker, int workers) {
  const auto range_of = [&](int of) { return part_of(matrix.rows, workers, of); };
  Rows rows;
  rows.range = range_of(worker);
  rows.all = matrix.rows;
  rows.right_side.assign(right_side.begin() + rows.range.begin,
                         right_side.begin() + rows.range.end);
  const Integers beside = needed(matrix, rows.range);
  const auto local = [&](std::int64_t column) {
    if (column >= rows.range.begin && column < rows.range.end) return column - rows.range.begin;
    return rows.range.size() +
           (std::lower_bound(beside.begin(), beside.end(), column) - beside.begin());
  };
  rows.begin.push_back(0);
  for (auto row = static_cast<std::size_t>(rows.range.begin);
       row < static_cast<std::size_t>(rows.range.end); ++row) {
    for (auto e = static_cast<std::size_t>(matrix.begin[row]);
         e < static_cast<std::size_t>(matrix.begin[row + 1]); ++e) {
      rows.columns.push_back(local(matrix.columns[e]));
      rows.values.push_back(matrix.values[e]);
    }
    rows.begin.push_back(static_cast<std::int64_t>(rows.columns.size()));
  }
  for (int peer = 0; peer < workers; ++peer) {
    if (peer == worker) continue;
    const Range theirs = range_of(peer);
    Integers in, out;
    for (const std::int64_t column : beside)
      if (column >= theirs.begin && column < theirs.end) in.push_back(local(column));
    for (const std::int64_t column : needed(matrix, theirs))
      if (column >= rows.range.begin && column < rows.range.end) out.push_back(local(column));
    append(rows.receives, peer, in);
    append(rows.sends, peer, out);
  }
  return rows;
}

Rows scatter_rows(MPI_Comm comm, const Matrix& matrix, const std::vector<double>& right_side) {
  const auto each_list = [](Rows& rows, auto&& act) {
    act(rows.begin), act(rows.columns), act(rows.values), act(rows.right_side), act(rows.sends),
        act(rows.receives);
  };
  const mpi::Unhurried others;  // rank 0 has read the matrix, and deals to one after the other
  Rows rows;
  std::int64_t facts[3] = {};
  if (mpi::rank(comm) != 0) {
    HALOCLINE_MPI(MPI_Recv, facts, 3, MPI_INT64_T, 0, 0, comm, MPI_STATUS_IGNORE);
    rows.range = {facts[0], facts[1]};
    rows.all = facts[2];
    each_list(rows, [&](auto& list) { receive(list, comm); });
    return rows;
  }
  const int ranks = mpi::size(comm);
  for (int rank = ranks - 1; rank >= 0; --rank) {
    rows = rows_of(matrix, right_side, rank, ranks);
    if (rank == 0) break;
    facts[0] = rows.range.begin, facts[1] = rows.range.end, facts[2] = rows.all;
    HALOCLINE_MPI(MPI_Send, facts, 3, MPI_INT64_T, rank, 0, comm);
    each_list(rows, [&](const auto& list) { send(list, rank, comm); });
  }
  return rows;
}

MatrixSystem::MatrixSystem(Rows rows) : rows_(std::move(rows)), new_(own()), diagonal_(own()) {
  std::int64_t unknowns = rows_.range.size();
  for (const std::int64_t column : rows_.columns) unknowns = std::max(unknowns, column + 1);
  unknowns_.resize(static_cast<std::size_t>(unknowns));
  for (std::size_t row = 0; row < own(); ++row)
    for (auto e = static_cast<std::size_t>(rows_.begin[row]);
         e < static_cast<std::size_t>(rows_.begin[row + 1]); ++e)
      if (rows_.columns[e] == static_cast<std::int64_t>(row)) diagonal_[row] = rows_.values[e];

  std::vector<int> to, from;
  std::vector<std::vector<std::ptrdiff_t>> out, in;
  each_peer(rows_.sends, [&](int peer, auto&& which) { to.push_back(peer), out.push_back(which); });
  each_peer(rows_.receives,
            [&](int peer, auto&& which) { from.push_back(peer), in.push_back(which); });
  pattern_ = Pattern::from_indices(to, out, from, in);
}

void MatrixSystem::initialise() {
  std::fill(unknowns_.begin(), unknowns_.end(), 0.0);
}

double MatrixSystem::residual(std::size_t row) const {
  double sum = rows_.right_side[row];
  for (auto e = static_cast<std::size_t>(rows_.begin[row]);
       e < static_cast<std::size_t>(rows_.begin[row + 1]); ++e)
    sum -= rows_.values[e] * unknowns_[static_cast<std::size_t>(rows_.columns[e])];
  return sum;
}

double MatrixSystem::sweep(int steps, bool) {
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    sum = 0;
    for (std::size_t row = 0; row < own(); ++row) {
      const double rest = residual(row);
      sum += rest * rest;
      new_[row] = unknowns_[row] + rest / diagonal_[row];
    }
    std::copy(new_.begin(), new_.end(), unknowns_.begin());
  }
  return sum;
}

double MatrixSystem::residual() const {
  double sum = 0;
  for (std::size_t row = 0; row < own(); ++row) sum += residual(row) * residual(row);
  return sum;
}

double MatrixSystem::source() const {
  double sum = 0;
  for (const double value : rows_.right_side) sum += value * value;
  return sum;
}

std::vector<Part> MatrixSystem::parts() const {
  if (own() == 0) return {};
  Part part;
  part.points = {Range{0, 1}, Range{0, 1}, rows_.range};
  part.data = unknowns_.data();
  return {part};
}

}  // namespace laplace
