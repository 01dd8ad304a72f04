// What exchanges of as much work on each rank take there when they are made, while they live and
// when they end: one line of JSON for each. growth.py compares them by the number of ranks.
//
//   scale_counts [CASE...]     on 16, 64, 256 ... ranks
//
// Nodes are of four ranks, as MPI is made to say: what a node bounds is the same, however many
// there are.

#include "common/known_faults.hpp"
#include "counted.hpp"
#include "exchange/core/ghosts.hpp"

#include <halocline/gather_scatter.hpp>
#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/section.hpp>
#include <halocline/ragged_exchange.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

using namespace halocline;
using counted::Counts;

namespace {

/// Called when all is made.
using Made = std::function<void()>;

/// The ranks of a square, each with eight neighbours, of which three are on its node.
int side_of(MPI_Comm comm) {
  return static_cast<int>(std::lround(std::sqrt(mpi::size(comm))));
}

/// 8 x 8 x 8 cells a rank, cut along two axes, with edges and corners.
Grid squares(MPI_Comm comm, bool renumber = false) {
  const int side = side_of(comm);
  return {comm,
          {8 * side, 8 * side, 8},
          {.periodic = {true, true, false}, .dims = {side, side, 1}, .renumber = renumber}};
}

/// The same in a row, so that each node has two neighbours.
Grid row(MPI_Comm comm) {
  const int ranks = mpi::size(comm);
  return {comm, {8 * ranks, 8, 8}, {.periodic = {true, false, false}, .dims = {ranks, 1, 1}}};
}

void expect(bool holds, const std::string& what) {
  if (!holds) throw Error(what);
}

/// Each rank's cells hold its number.
void check_halo(const Grid& grid, Array<double>& cells, const std::function<void()>& run,
                const std::string& what) {
  const int before = grid.neighbour({-1, 0, 0}), me = mpi::rank(grid.comm());
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = 100 * step + me;
    run();
    // The first plane is halo; in it, a cell in the middle.
    const auto rows = static_cast<std::size_t>(grid.local(1) * grid.local(2));
    expect(cells[rows / 2 + 5] == 100 * step + before, what + ": the halo holds something else");
  }
}

void exchange(const Grid& grid, const std::string& scheme, const Made& made) {
  Array<double> cells(grid, Scheme(scheme));
  Exchange halo(grid.comm(), grid.halo(), cells, scheme);
  made();
  check_halo(
      grid, cells, [&] { halo.run(); }, scheme);
}

void in_laps(MPI_Comm comm, const Made& made) {
  const Grid grid = squares(comm);
  const std::string scheme = "auto+when=running";
  Array<double> cells(grid, Scheme(scheme));
  Exchange halo(comm, grid.halo(), cells, scheme);
  Section section(comm, {&halo});
  made();
  for (int lap = 0; lap < 40; ++lap) {
    const Section::Lap one = section.lap();
    halo.run();
  }
}

void asynchronous(MPI_Comm comm, const std::string& scheme, const Made& made) {
  const Grid grid = squares(comm);
  Array<double> cells(grid, "p2p:nonblocking");
  AsyncExchange halo(comm, grid.halo(), sizeof(double), scheme);
  made();
  halo.send(cells.data(), 1);
  halo.drain(cells.data());
}

/// Rows of a sparse matrix: of the vector's 64 entries here every third goes to each of four ranks,
/// near and far.
Pattern sparse_rows(MPI_Comm comm) {
  const int ranks = mpi::size(comm), me = mpi::rank(comm), side = side_of(comm);
  std::vector<int> targets, sources;
  std::vector<std::vector<int>> sent, received;
  int next = 64;
  for (const int far : {1, side, ranks - side, ranks - 1}) {
    targets.push_back((me + far) % ranks);
    sources.push_back((me + ranks - far) % ranks);
    auto& out = sent.emplace_back();
    for (int i = far % 3; i < 64; i += 3) out.push_back(i);
    auto& in = received.emplace_back(out.size());
    std::iota(in.begin(), in.end(), next);
    next += static_cast<int>(in.size());
  }
  return Pattern::from_indices<int>(targets, sent, sources, received);
}

void index_lists(MPI_Comm comm, const std::string& scheme, bool changes, const Made& made) {
  const Pattern pattern = sparse_rows(comm);
  std::vector<double> entries(64 + 4 * 22);
  Exchange exchange(comm, pattern, field(entries.data(), entries.size()), scheme,
                    {.changes = changes});
  made();
  for (int step = 0; step < 3; ++step) {
    exchange.run();
    if (changes) exchange.change(pattern);
  }
}

/// The same where a rank knows the columns of its rows alone: near ones and those half around.
void ghosts(MPI_Comm comm, const Made& made) {
  const std::int64_t rows = 5 + mpi::rank(comm) % 3;
  const auto [mine, all] = detail::rows_of_rank(comm, rows);
  std::vector<std::int64_t> columns;
  for (const std::int64_t far : {-2, -1}) columns.push_back((mine.begin + far + all) % all);
  for (const std::int64_t far : {std::int64_t{0}, std::int64_t{1}, all / 2})
    columns.push_back((mine.end + far) % all);
  std::ranges::sort(columns);
  const Pattern pattern = detail::ghost_pattern(comm, rows, columns);
  std::vector<double> entries(static_cast<std::size_t>(rows) + columns.size(), -1);
  Exchange exchange(comm, pattern, field(entries.data(), entries.size()), "p2p:nonblocking");
  made();
  std::iota(entries.begin(), entries.begin() + rows, static_cast<double>(mine.begin));
  exchange.run();
  for (std::size_t i = 0; i < columns.size(); ++i)
    expect(entries[static_cast<std::size_t>(rows) + i] == static_cast<double>(columns[i]),
           "a ghost is another row's");
}

void ragged(MPI_Comm comm, const std::string& scheme, const Made& made) {
  const Pattern pattern = sparse_rows(comm);
  std::vector<int> targets, sources;
  for (const Link& link : pattern.sends()) targets.push_back(link.peer);
  for (const Link& link : pattern.receives()) sources.push_back(link.peer);
  RaggedExchange exchange(comm, targets, sources, sizeof(double), 4, scheme);
  made();
  for (std::size_t count = 0; count < 12; count += 4) {
    const std::vector<double> some(count, 1);
    for (std::size_t link = 0; link < targets.size(); ++link) exchange.send<double>(link, some);
    exchange.run();
  }
}

/// An element a rank, whose corners three others have, too; numbered so that those who know of a
/// corner are other ranks than those who have it.
void shared_nodes(MPI_Comm comm, const Made& made) {
  const int side = side_of(comm), me = mpi::rank(comm), all = mpi::size(comm);
  std::vector<std::int64_t> numbers;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int corner = (me / side + i) % side * side + (me % side + j) % side;
      numbers.push_back((5 * corner + 3) % all);
    }
  std::vector<double> nodes(numbers.size(), 1);
  GatherScatter sums(comm, numbers, field(nodes.data(), nodes.size()), "p2p:nonblocking");
  made();
  sums.run();
  expect(nodes[0] == 4 && nodes[3] == 4, "a gather-scatter has other sums");
}

int square_of_four(int rank) {
  const int side = side_of(world());
  return rank / side / 2 * side + rank % side / 2;
}

int four_in_a_row(int rank) {
  return rank / 4;
}

struct Case {
  std::string name;
  std::function<void(MPI_Comm, const Made&)> live;
  int (*node)(int rank) = square_of_four;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto halo = [&](const std::string& scheme) {
    all.push_back(
        {scheme, [=](MPI_Comm comm, const Made& made) { exchange(squares(comm), scheme, made); }});
  };
  const auto in_a_row = [&](const std::string& scheme) {
    all.push_back({scheme + ", in a row",
                   [=](MPI_Comm comm, const Made& made) { exchange(row(comm), scheme, made); },
                   four_in_a_row});
  };
  // What a process makes once and keeps is in here alone.
  all.push_back({"the first", [](MPI_Comm comm, const Made& made) {
                   exchange(squares(comm), "p2p:nonblocking", made);
                 }});
  for (const SchemeFacts& known : known_schemes())
    if (is_usable(known.scheme)) halo(known.scheme);
  for (const std::string scheme :
       {"shm:signal+access=copy", "shm:signal+access=direct", "shm:signal+outer=p2p:persistent",
        "rma:put:fence+group=neighbors", "rma:put:flush+notify=flag",
        "rma:put:flush+notify=counter", "rma:put:pscw+alloc=allocate",
        "rma:put:pscw+windows=per-link", "p2p:nonblocking+corners=forwarded"})
    if (is_usable(Scheme(scheme).method())) halo(scheme);
  for (const std::string scheme : {"p2p:nonblocking+heads=node", "shm:signal+heads=node"})
    in_a_row(scheme);
  halo("auto");
  all.push_back({"auto+when=running, 40 laps of a section", in_laps});
  for (const std::string scheme : {"p2p:nonblocking", "shm:signal"})
    all.push_back({scheme + ", index lists", [=](MPI_Comm comm, const Made& made) {
                     index_lists(comm, scheme, false, made);
                   }});
  all.push_back({"p2p:nonblocking, index lists that change", [](MPI_Comm comm, const Made& made) {
                   index_lists(comm, "p2p:nonblocking", true, made);
                 }});
  all.push_back({"p2p:nonblocking, columns of sparse rows", ghosts});
  for (const std::string scheme : {"p2p:nonblocking", "shm:signal"})
    all.push_back({scheme + ", ragged",
                   [=](MPI_Comm comm, const Made& made) { ragged(comm, scheme, made); }});
  all.push_back({"p2p:nonblocking, gather-scatter", shared_nodes});
  for (const std::string& scheme : async_schemes())
    all.push_back({scheme + ", asynchronous",
                   [=](MPI_Comm comm, const Made& made) { asynchronous(comm, scheme, made); }});
  all.push_back({"p2p:nonblocking, ranks renumbered", [](MPI_Comm comm, const Made& made) {
                   exchange(squares(comm, true), "p2p:nonblocking", made);
                 }});
  return all;
}

/// The most of any rank, without rank 0 if asked.
Counts most(Counts mine, bool without_root) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (without_root && rank == 0) mine.fill(0);
  PMPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_MAX,
                 MPI_COMM_WORLD);
  return mine;
}

std::string json(const Counts& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i)
    text += (i == 0 ? "\"" : ", \"") + std::string(counted::names[i]) +
            "\": " + std::to_string(counts[i]);
  return "{" + text + "}";
}

void count(const Case& one) {
  counted::pretend_nodes(one.node);
  Counts made{};
  MPI_Comm fresh = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  counted::begin();
  one.live(fresh, [&] { made = counted::now(); });
  MPI_Comm_free(&fresh);
  const Counts all = counted::now();
  const Counts to_make = most(made, false), to_live = most(all, false), others = most(all, true);
  if (mpi::rank(world()) != 0) return;
  std::printf("{\"case\": \"%s\", \"made\": %s, \"life\": %s, \"others\": %s}\n", one.name.c_str(),
              json(to_make).c_str(), json(to_live).c_str(), json(others).c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "scale_counts", [](int words, char** word) {
    make_collectives_yield(world());
    const int side = side_of(world());
    if (side * side != mpi::size(world()) || side < 4 || side % 2 != 0)
      throw Error("scale_counts: needs 16, 36, 64 ... ranks");
    const std::vector<std::string> asked(word + 1, word + words);
    for (const Case& one : cases())
      if (asked.empty() || std::ranges::find(asked, one.name) != asked.end()) count(one);
    return EXIT_SUCCESS;
  });
}
