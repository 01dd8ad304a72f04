// What it takes to set up an exchange when there is one of the same ranks, counted and not timed:
// messages and bytes to neighbours, calls that concern all ranks, and what the library allocates.
// The bounds are the same for any number of ranks.

#include <gtest/gtest.h>
#include <halocline/array.hpp>
#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>
#include <halocline/more/method.hpp>
#include <mpi_calls/calls.hpp>

#include <cstdlib>
#include <new>

using namespace halocline;

namespace {

struct Counts {
  std::int64_t messages = 0, bytes = 0;  ///< that this rank sends to others
  int reductions = 0, barriers = 0, broadcasts = 0;
  std::int64_t reduced = 0;   ///< bytes brought to reductions
  int with_all = 0;           ///< calls in which each rank has something for, or from, every other
  int objects = 0;            ///< communicators and windows
  std::size_t allocated = 0;  ///< bytes, but for MPI's own
};
Counts counts;

std::int64_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return std::int64_t{count} * size;
}

void sent(int count, MPI_Datatype type) {
  ++counts.messages;
  counts.bytes += bytes_of(count, type);
}

}  // namespace

// Not inlined, or gcc 12 takes malloc for another way to allocate than the one that frees.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  counts.allocated += bytes;
  if (void* const place = std::malloc(bytes)) return place;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* place) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept {
  std::free(place);
}

// Calls of the library come here first (MPI's profiling interface). Its collectives are polled.
BEFORE(Send, sent(count, datatype))
BEFORE(Isend, sent(count, datatype))
BEFORE(Issend, sent(count, datatype))
BEFORE(Iallreduce, ++counts.reductions; counts.reduced += bytes_of(count, datatype))
BEFORE(Ibcast, ++counts.broadcasts)
BEFORE(Ibarrier, ++counts.barriers)
BEFORE(Ialltoall, ++counts.with_all)
BEFORE(Iallgather, ++counts.with_all)
BEFORE(Comm_dup, ++counts.objects)
BEFORE(Comm_split, ++counts.objects)
BEFORE(Comm_split_type, ++counts.objects)
BEFORE(Comm_create_group, ++counts.objects)
BEFORE(Dist_graph_create_adjacent, ++counts.objects)
BEFORE(Win_allocate, ++counts.objects)
BEFORE(Win_allocate_shared, ++counts.objects)

namespace {

struct Second {
  Counts counts;
  std::int64_t neighbours;
  std::size_t bytes;  ///< of all its messages
};

/// Setting up the second exchange of a halo in three dimensions, periodic, with edges and corners.
Second second_of(const Scheme& scheme) {
  const Grid grid(world(), {32, 32, 32},
                  {.periodic = {true, true, true}, .decomposition = Decomposition::blocks});
  const Pattern halo = grid.halo();
  Array<double> one(grid, scheme), other(grid, scheme);
  Exchange first(grid.comm(), halo, one, scheme);
  first.run();
  mpi::agree(grid.comm(), "");  // and what it has let go of ends
  counts = {};
  Exchange second(grid.comm(), halo, other, scheme);
  const Counts counted = counts;
  second.run();
  return {counted, static_cast<std::int64_t>(halo.sends().size()), second.bytes_sent()};
}

}  // namespace

/// Setting up takes `rounds` messages to each neighbour.
void expect_few(const std::string& scheme, int rounds, int reductions, int objects) {
  SCOPED_TRACE(scheme);
  const auto [seen, neighbours, bytes] = second_of(scheme);
  EXPECT_EQ(seen.messages, rounds * neighbours);
  EXPECT_LE(seen.bytes, 16 * seen.messages);
  EXPECT_EQ(seen.barriers, 1);
  EXPECT_LE(seen.reductions, reductions);
  EXPECT_LE(seen.reduced, 64 * seen.reductions);
  EXPECT_EQ(seen.broadcasts, 0);
  EXPECT_EQ(seen.with_all, 0);
  EXPECT_EQ(seen.objects, objects);
  EXPECT_LE(seen.allocated, 4 * bytes + 4096 * static_cast<std::size_t>(neighbours + 1));
}

TEST(Setup, OfMessages) {
  for (const char* scheme : {"p2p:nonblocking", "p2p:persistent", "p2p:sendrecv"})
    expect_few(scheme, 1, 1, 0);
}
TEST(Setup, OfNeighbourhoodCollectives) {
  expect_few("neighbor:nonblocking", 1, 2, 0);
}
TEST(Setup, OfSharedMemory) {
  expect_few("shm:signal", 4, 3, 0);
}
TEST(Setup, OfSharedMemoryAndMessages) {
  expect_few("shm:message", 2, 3, 0);
}
TEST(Setup, OfSharedMemoryAndFences) {
  expect_few("shm:fence", 2, 4, 0);
}
/// A window is the library's to make. (One communicator is made and freed again.)
TEST(Setup, OfRemoteMemory) {
  // One of them: whether all nodes have room for the window.
  expect_few("rma:put:fence", 2, 6, 2);
}
