#pragma once
// All that can be made on a communicator, used for a few steps: for programs that are not ours.

#include "common/known_faults.hpp"

#include <halocline/gather_scatter.hpp>
#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/more/replicated.hpp>
#include <halocline/more/tuner.hpp>
#include <halocline/ragged_exchange.hpp>

#include <unistd.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// Counts what does not hold, with a line for each.
class Expected {
 public:
  explicit Expected(const char* program) : program_(program) {}
  void operator()(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "%s: %s\n", program_, what.c_str());
    ++wrong;
  }
  int wrong = 0;

 private:
  const char* program_;
};

/// A ring of cells by every method, and by `auto` and the routes.
inline void exchange_all(MPI_Comm comm, Expected& expect) {
  using namespace halocline;
  const int ranks = mpi::size(comm), me = mpi::rank(comm);
  const int before = (me + ranks - 1) % ranks, after = (me + 1) % ranks;
  std::vector<std::string> schemes{"auto", "shm:signal+island=2", "p2p:nonblocking+heads=2",
                                   "p2p:nonblocking+heads=node"};
  for (const SchemeFacts& known : known_schemes())
    if (is_usable(known.scheme)) schemes.push_back(known.scheme);
  const auto choices = std::filesystem::temp_directory_path() /
                       ("halocline_everything_" + std::to_string(getpid()) + ".json");
  Tuning::current().file = choices.string();
  Tuning::current().budget = 0.1;
  for (const std::string& scheme : schemes) {
    const Grid grid(comm, {8 * ranks}, {.halo = 1, .periodic = {true}});
    Array<double> cells(grid, Scheme(scheme));
    Exchange halos(comm, grid.halo(), cells, scheme);
    for (int step = 0; step < 20; ++step) {
      for (std::size_t i = 1; i < 9; ++i) cells[i] = 100 * step + me;
      halos.run();
      expect(cells[0] == 100 * step + before && cells[9] == 100 * step + after,
             scheme + " leaves other halos");
    }
  }
  std::filesystem::remove(choices);
}

/// One of each of the other classes.
inline void use_others(MPI_Comm comm, Expected& expect) {
  using namespace halocline;
  const int ranks = mpi::size(comm), me = mpi::rank(comm);
  const int before = (me + ranks - 1) % ranks, after = (me + 1) % ranks;
  double all = 0;
  for (int rank = 0; rank < ranks; ++rank) all += rank + 1;

  if (ranks > 1) {
    RaggedExchange ragged(comm, {after}, {before}, sizeof(int), 1, "p2p:nonblocking");
    for (std::size_t count = 0; count < 4; ++count) {
      const std::vector<int> sent(count, me);
      ragged.send<int>(0, sent);
      ragged.run();
      expect(ragged.received<int>(0).size() == count &&
                 (count == 0 || ragged.received<int>(0)[0] == before),
             "a ragged exchange brings something else");
    }
  }

  // Node 0 is everybody's, node 1 + rank its own.
  const std::array<std::int64_t, 2> numbers{0, 1 + me};
  std::array<double, 2> nodes{me + 1.0, me + 1.0};
  GatherScatter sums(comm, numbers, field(nodes.data(), nodes.size()), "shm:signal");
  sums.run();
  expect(nodes[0] == all && nodes[1] == me + 1, "a gather-scatter has other sums");

  Pattern ring;
  if (ranks > 1) {
    ring.send(after, {.offset = 0});
    ring.receive(before, {.offset = 1});
  }
  for (const std::string& scheme : async_schemes()) {
    AsyncExchange exchange(comm, ring, sizeof(double), scheme);
    std::array<double, 2> cells{me + 0.5, before + 0.5};
    if (ranks > 1) cells[1] = -1;
    exchange.send(cells.data(), 1);
    exchange.drain(cells.data());
    expect(cells[1] == before + 0.5, scheme + ", asynchronous, brings something else");
  }

  for (const char* island : {"node", "2"}) {
    Replicated<double> copies(comm, 100, {.island = island});
    copies.write_parts([](auto part, Range where) {
      for (std::int64_t i = where.begin; i < where.end; ++i)
        part[static_cast<std::size_t>(i - where.begin)] = 2.0 * static_cast<double>(i);
    });
    expect(copies[99] == 198, "a replicated array has other parts");
    copies.write(ranks - 1, [](auto whole) { whole[0] = 7; });
    expect(copies[0] == 7, "a replicated array has something else");
  }

  for (const char* kind : {"allreduce", "iallreduce", "chain", "last", "accumulate"}) {
    const auto most = make_max_reduction(comm, reduction_kind(kind), 2);
    most->contribute(me);
    most->complete();
    if (me == 0) expect(most->next() == ranks - 1, std::string(kind) + " has another maximum");
  }
  const auto sum = make_async_sum(comm);
  sum->drain();

  for (const MemoryKind kind : {MemoryKind::plain, MemoryKind::window, MemoryKind::shared}) {
    const Memory memory(comm, 4096, kind);
    expect(memory.data() != nullptr && memory.data()[4095] == std::byte{0},
           "memory of kind " + std::to_string(static_cast<int>(kind)) + " is not zero");
  }
}
