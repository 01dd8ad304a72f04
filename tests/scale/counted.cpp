#include "counted.hpp"

#include <malloc.h>
#include <mpi.h>
#include <algorithm>
#include <bitset>
#include <cstdlib>
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

int made(int result, MPI_Win window, MPI_Aint size) {
  ++counts[windows];
  if (size == 0) return result;
  const auto free = std::ranges::find(of_windows, MPI_WIN_NULL, &OfWindow::window);
  if (free == of_windows.end()) std::abort();
  *free = {window, size};
  taken(static_cast<std::size_t>(size));
  grown(size);
  return result;
}

int made(int result) {
  ++counts[communicators];
  return result;
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

extern "C" {

// --- messages --------------------------------------------------------------------------------

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  sent(count, type, to, comm);
  return PMPI_Send(data, count, type, to, tag, comm);
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  sent(count, type, to, comm);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  sent(count, type, to, comm);
  return PMPI_Issend(data, count, type, to, tag, comm, request);
}
int MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag, void* in,
                 int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  sent(count, type, to, comm);
  return PMPI_Sendrecv(data, count, type, to, tag, in, in_count, in_type, from, in_tag, comm,
                       status);
}
int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  note_peer(comm, to);
  return PMPI_Send_init(data, count, type, to, tag, comm, request);
}
#if MPI_VERSION >= 4
int MPI_Psend_init(const void* data, int parts, MPI_Count count, MPI_Datatype type, int to, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  note_peer(comm, to);
  return PMPI_Psend_init(data, parts, count, type, to, tag, comm, info, request);
}
#endif
int MPI_Put(const void* data, int count, MPI_Datatype type, int to, MPI_Aint at, int there,
            MPI_Datatype as, MPI_Win window) {
  moved(count, type, to, window);
  return PMPI_Put(data, count, type, to, at, there, as, window);
}
int MPI_Get(void* data, int count, MPI_Datatype type, int from, MPI_Aint at, int there,
            MPI_Datatype as, MPI_Win window) {
  moved(count, type, from, window);
  return PMPI_Get(data, count, type, from, at, there, as, window);
}
int MPI_Accumulate(const void* data, int count, MPI_Datatype type, int to, MPI_Aint at, int there,
                   MPI_Datatype as, MPI_Op op, MPI_Win window) {
  moved(count, type, to, window);
  return PMPI_Accumulate(data, count, type, to, at, there, as, op, window);
}
int MPI_Get_accumulate(const void* data, int count, MPI_Datatype type, void* in, int in_count,
                       MPI_Datatype in_type, int to, MPI_Aint at, int there, MPI_Datatype as,
                       MPI_Op op, MPI_Win window) {
  moved(in_count, in_type, to, window);
  return PMPI_Get_accumulate(data, count, type, in, in_count, in_type, to, at, there, as, op,
                             window);
}

// --- of all ranks, as much on each -----------------------------------------------------------

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  reduced(reductions, count, type);
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  reduced(reductions, count, type);
  return PMPI_Iallreduce(in, out, count, type, op, comm, request);
}
int MPI_Iexscan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request* request) {
  reduced(reductions, count, type);
  return PMPI_Iexscan(in, out, count, type, op, comm, request);
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  reduced(broadcasts, count, type);
  return PMPI_Bcast(data, count, type, root, comm);
}
int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  reduced(broadcasts, count, type);
  return PMPI_Ibcast(data, count, type, root, comm, request);
}
int MPI_Barrier(MPI_Comm comm) {
  ++counts[barriers];
  return PMPI_Barrier(comm);
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  ++counts[barriers];
  return PMPI_Ibarrier(comm, request);
}

// --- of all ranks, something of each ---------------------------------------------------------

int MPI_Allgather(const void* in, int count, MPI_Datatype type, void* out, int each,
                  MPI_Datatype as, MPI_Comm comm) {
  gathered(size_of(comm) * bytes_of(each, as));
  return PMPI_Allgather(in, count, type, out, each, as, comm);
}
int MPI_Iallgather(const void* in, int count, MPI_Datatype type, void* out, int each,
                   MPI_Datatype as, MPI_Comm comm, MPI_Request* request) {
  gathered(size_of(comm) * bytes_of(each, as));
  return PMPI_Iallgather(in, count, type, out, each, as, comm, request);
}
int MPI_Gather(const void* in, int count, MPI_Datatype type, void* out, int each, MPI_Datatype as,
               int root, MPI_Comm comm) {
  gathered_at(root, bytes_of(count, type), each, as, comm);
  return PMPI_Gather(in, count, type, out, each, as, root, comm);
}
int MPI_Igather(const void* in, int count, MPI_Datatype type, void* out, int each, MPI_Datatype as,
                int root, MPI_Comm comm, MPI_Request* request) {
  gathered_at(root, bytes_of(count, type), each, as, comm);
  return PMPI_Igather(in, count, type, out, each, as, root, comm, request);
}
int MPI_Igatherv(const void* in, int count, MPI_Datatype type, void* out, const int* sizes,
                 const int* begins, MPI_Datatype as, int root, MPI_Comm comm,
                 MPI_Request* request) {
  gathered(rank_in(comm) == root ? bytes_of(all_of(sizes, comm), as) : bytes_of(count, type));
  return PMPI_Igatherv(in, count, type, out, sizes, begins, as, root, comm, request);
}
int MPI_Scatter(const void* in, int count, MPI_Datatype type, void* out, int each, MPI_Datatype as,
                int root, MPI_Comm comm) {
  gathered_at(root, bytes_of(each, as), count, type, comm);
  return PMPI_Scatter(in, count, type, out, each, as, root, comm);
}
int MPI_Iscatter(const void* in, int count, MPI_Datatype type, void* out, int each, MPI_Datatype as,
                 int root, MPI_Comm comm, MPI_Request* request) {
  gathered_at(root, bytes_of(each, as), count, type, comm);
  return PMPI_Iscatter(in, count, type, out, each, as, root, comm, request);
}
int MPI_Alltoall(const void* in, int count, MPI_Datatype type, void* out, int each, MPI_Datatype as,
                 MPI_Comm comm) {
  gathered(size_of(comm) * (bytes_of(count, type) + bytes_of(each, as)));
  return PMPI_Alltoall(in, count, type, out, each, as, comm);
}
int MPI_Ialltoall(const void* in, int count, MPI_Datatype type, void* out, int each,
                  MPI_Datatype as, MPI_Comm comm, MPI_Request* request) {
  gathered(size_of(comm) * (bytes_of(count, type) + bytes_of(each, as)));
  return PMPI_Ialltoall(in, count, type, out, each, as, comm, request);
}
int MPI_Ialltoallv(const void* in, const int* out_sizes, const int* out_begins, MPI_Datatype type,
                   void* out, const int* sizes, const int* begins, MPI_Datatype as, MPI_Comm comm,
                   MPI_Request* request) {
  gathered(bytes_of(all_of(out_sizes, comm), type) + bytes_of(all_of(sizes, comm), as));
  return PMPI_Ialltoallv(in, out_sizes, out_begins, type, out, sizes, begins, as, comm, request);
}

// --- objects ---------------------------------------------------------------------------------

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* other) {
  return made(PMPI_Comm_dup(comm, other));
}
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* other) {
  return made(PMPI_Comm_split(comm, colour, key, other));
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* other) {
  if (type == MPI_COMM_TYPE_SHARED && node_of)
    return made(PMPI_Comm_split(comm, node_of(rank_in(MPI_COMM_WORLD)), key, other));
  return made(PMPI_Comm_split_type(comm, type, key, info, other));
}
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* other) {
  return made(PMPI_Comm_create_group(comm, group, tag, other));
}
int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int* from, const int* weights,
                                   int out, const int* to, const int* others, MPI_Info info,
                                   int reorder, MPI_Comm* graph) {
  return made(PMPI_Dist_graph_create_adjacent(comm, in, from, weights, out, to, others, info,
                                              reorder, graph));
}
int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* window) {
  return made(PMPI_Win_create(base, size, unit, info, comm, window), *window, 0);
}
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* window) {
  return made(PMPI_Win_create_dynamic(info, comm, window), *window, 0);
}
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                     MPI_Win* window) {
  const int result = PMPI_Win_allocate(size, unit, info, comm, base, window);
  return made(result, *window, size);
}
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                            MPI_Win* window) {
  const int result = PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
  return made(result, *window, size);
}
int MPI_Win_free(MPI_Win* window) {
  const auto found = std::ranges::find(of_windows, *window, &OfWindow::window);
  if (found != of_windows.end()) {
    in_use -= found->size;
    *found = {};
  }
  return PMPI_Win_free(window);
}

}  // extern "C"
