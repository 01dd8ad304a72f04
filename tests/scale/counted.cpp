#include "counted.hpp"

#include <malloc.h>
#include <mpi.h>
#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <mpi_calls/calls.hpp>
#include <new>
#include <numeric>
#include <utility>

using namespace counted;

namespace {

constexpr std::size_t most_ranks = 4096;

Counts counts{};
std::bitset<most_ranks> sent_to;
std::int64_t in_use = 0, in_use_before = 0;
std::function<int(int)> node_of;

std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return count * size;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

// --- messages --------------------------------------------------------------------------------

void note_rank_of(MPI_Group group, int rank) {
  MPI_Group world = MPI_GROUP_NULL;
  int there = MPI_UNDEFINED;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, 1, &rank, world, &there);
  PMPI_Group_free(&world);
  if (there != MPI_UNDEFINED) sent_to.set(static_cast<std::size_t>(there));
}

void note_peer(MPI_Comm comm, int to) {
  if (to == MPI_PROC_NULL) return;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  note_rank_of(group, to);
  PMPI_Group_free(&group);
}

void sent(std::int64_t count, MPI_Datatype type, int to, MPI_Comm comm) {
  if (to == MPI_PROC_NULL) return;
  ++counts[messages];
  counts[bytes] += bytes_of(count, type);
  note_peer(comm, to);
}

void moved(std::int64_t count, MPI_Datatype type, int to, MPI_Win window) {
  if (to == MPI_PROC_NULL) return;
  ++counts[messages];
  counts[bytes] += bytes_of(count, type);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Win_get_group(window, &group);
  note_rank_of(group, to);
  PMPI_Group_free(&group);
}

// --- calls that concern all ranks ------------------------------------------------------------

void reduced(Count kind, std::int64_t count, MPI_Datatype type) {
  ++counts[kind];
  counts[largest_reduced] = std::max(counts[largest_reduced], bytes_of(count, type));
}

void gathered(std::int64_t here) {
  ++counts[gathers];
  counts[largest_gathered] = std::max(counts[largest_gathered], here);
}

void gathered_at(int root, std::int64_t mine, std::int64_t count, MPI_Datatype type,
                 MPI_Comm comm) {
  gathered(rank_in(comm) == root ? size_of(comm) * bytes_of(count, type) : mine);
}

std::int64_t all_of(const int* sizes, MPI_Comm comm) {
  return std::accumulate(sizes, sizes + size_of(comm), std::int64_t{0});
}

// --- memory ----------------------------------------------------------------------------------

void grown(std::int64_t by) {
  in_use += by;
  counts[peak] = std::max(counts[peak], in_use - in_use_before);
}

void taken(std::size_t wanted) {
  const auto size = static_cast<std::int64_t>(wanted);
  counts[allocated] += size;
  counts[largest] = std::max(counts[largest], size);
}

/// What the library asks MPI for is its own, too.
struct OfWindow {
  MPI_Win window = MPI_WIN_NULL;
  std::int64_t size = 0;
};
std::array<OfWindow, 512> of_windows{};

void note_memory(MPI_Win window, MPI_Aint size) {
  ++counts[windows];
  if (size == 0) return;
  const auto free = std::ranges::find(of_windows, MPI_WIN_NULL, &OfWindow::window);
  if (free == of_windows.end()) std::abort();
  *free = {window, size};
  taken(static_cast<std::size_t>(size));
  grown(size);
}

}  // namespace

namespace counted {

void begin() {
  counts = {};
  sent_to.reset();
  in_use_before = in_use;
}

Counts now() {
  Counts all = counts;
  all[peers] = static_cast<std::int64_t>(sent_to.count());
  return all;
}

void pretend_nodes(std::function<int(int rank)> node) {
  node_of = std::move(node);
}

}  // namespace counted

// The linker's --wrap: what the library and this program call, but not MPI and the system.
extern "C" {

void* __real_malloc(std::size_t);
void* __real_calloc(std::size_t, std::size_t);
void* __real_realloc(void*, std::size_t);
void* __real_aligned_alloc(std::size_t, std::size_t);
void __real_free(void*);

static void* noted(void* place, std::size_t size) {
  if (place == nullptr) return place;
  taken(size);
  grown(static_cast<std::int64_t>(malloc_usable_size(place)));
  return place;
}

static void forget(void* place) {
  if (place != nullptr) in_use -= static_cast<std::int64_t>(malloc_usable_size(place));
}

void* __wrap_malloc(std::size_t size) {
  return noted(__real_malloc(size), size);
}
void* __wrap_calloc(std::size_t number, std::size_t size) {
  return noted(__real_calloc(number, size), number * size);
}
void* __wrap_realloc(void* place, std::size_t size) {
  forget(place);
  return noted(__real_realloc(place, size), size);
}
void* __wrap_aligned_alloc(std::size_t unit, std::size_t size) {
  return noted(__real_aligned_alloc(unit, size), size);
}
void __wrap_free(void* place) {
  forget(place);
  __real_free(place);
}

}  // extern "C"

// Not inlined, or gcc 12 takes malloc for another way to allocate than the one that frees.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* const place = std::malloc(std::max<std::size_t>(size, 1))) return place;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t unit) {
  const auto line = static_cast<std::size_t>(unit);
  if (void* const place = std::aligned_alloc(line, (size + line - 1) / line * line)) return place;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* place) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::align_val_t) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::size_t, std::align_val_t) noexcept {
  std::free(place);
}

// --- messages --------------------------------------------------------------------------------

BEFORE(Send, sent(count, datatype, dest, comm))
BEFORE(Isend, sent(count, datatype, dest, comm))
BEFORE(Issend, sent(count, datatype, dest, comm))
BEFORE(Sendrecv, sent(sendcount, sendtype, dest, comm))
BEFORE(Send_init, note_peer(comm, dest))
#ifdef HAS_MPI_Psend_init
BEFORE(Psend_init, note_peer(comm, dest))
#endif
BEFORE(Put, moved(origin_count, origin_datatype, target_rank, win))
BEFORE(Get, moved(origin_count, origin_datatype, target_rank, win))
BEFORE(Accumulate, moved(origin_count, origin_datatype, target_rank, win))
BEFORE(Get_accumulate, moved(result_count, result_datatype, target_rank, win))

// --- of all ranks, as much on each -----------------------------------------------------------

BEFORE(Allreduce, reduced(reductions, count, datatype))
BEFORE(Iallreduce, reduced(reductions, count, datatype))
BEFORE(Iexscan, reduced(reductions, count, datatype))
BEFORE(Bcast, reduced(broadcasts, count, datatype))
BEFORE(Ibcast, reduced(broadcasts, count, datatype))
BEFORE(Barrier, ++counts[barriers])
BEFORE(Ibarrier, ++counts[barriers])

// --- of all ranks, something of each ---------------------------------------------------------

BEFORE(Allgather, gathered(size_of(comm) * bytes_of(recvcount, recvtype)))
BEFORE(Iallgather, gathered(size_of(comm) * bytes_of(recvcount, recvtype)))
BEFORE(Gather, gathered_at(root, bytes_of(sendcount, sendtype), recvcount, recvtype, comm))
BEFORE(Igather, gathered_at(root, bytes_of(sendcount, sendtype), recvcount, recvtype, comm))
BEFORE(Igatherv, gathered(rank_in(comm) == root ? bytes_of(all_of(recvcounts, comm), recvtype)
                                                : bytes_of(sendcount, sendtype)))
BEFORE(Scatter, gathered_at(root, bytes_of(recvcount, recvtype), sendcount, sendtype, comm))
BEFORE(Iscatter, gathered_at(root, bytes_of(recvcount, recvtype), sendcount, sendtype, comm))
BEFORE(Alltoall,
       gathered(size_of(comm) * (bytes_of(sendcount, sendtype) + bytes_of(recvcount, recvtype))))
BEFORE(Ialltoall,
       gathered(size_of(comm) * (bytes_of(sendcount, sendtype) + bytes_of(recvcount, recvtype))))
BEFORE(Ialltoallv, gathered(bytes_of(all_of(sendcounts, comm), sendtype) +
                            bytes_of(all_of(recvcounts, comm), recvtype)))

// --- objects ---------------------------------------------------------------------------------

BEFORE(Comm_dup, ++counts[communicators])
BEFORE(Comm_split, ++counts[communicators])
BEFORE(Comm_create_group, ++counts[communicators])
BEFORE(Dist_graph_create_adjacent, ++counts[communicators])
int WRAPPED(Comm_split_type) {
  ++counts[communicators];
  if (split_type == MPI_COMM_TYPE_SHARED && node_of)
    return PMPI_Comm_split(comm, node_of(rank_in(MPI_COMM_WORLD)), key, newcomm);
  return NATIVE(Comm_split_type);
}
BEFORE(Win_create, ++counts[windows])
BEFORE(Win_create_dynamic, ++counts[windows])
int WRAPPED(Win_allocate) {
  const int result = NATIVE(Win_allocate);
  note_memory(*win, size);
  return result;
}
int WRAPPED(Win_allocate_shared) {
  const int result = NATIVE(Win_allocate_shared);
  note_memory(*win, size);
  return result;
}
int WRAPPED(Win_free) {
  const auto found = std::ranges::find(of_windows, *win, &OfWindow::window);
  if (found != of_windows.end()) {
    in_use -= found->size;
    *found = {};
  }
  return NATIVE(Win_free);
}
