// Small uses of a window, some of them wrong: what the emulated windows must report, and what they
// must carry out and not report. Three ranks; the argument names the case.

#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

namespace {

MPI_Win window;
int* mine;
int rank;

void put(const int* value, MPI_Aint place) {
  MPI_Put(value, 1, MPI_INT, 1, place, 1, MPI_INT, window);
}
void get(int* value, MPI_Aint place) {
  MPI_Get(value, 1, MPI_INT, 1, place, 1, MPI_INT, window);
}

/// An epoch between fences, in which each rank does something.
void fenced(const std::function<void()>& first, const std::function<void()>& second,
            const std::function<void()>& third) {
  MPI_Win_fence(0, window);
  std::array{first, second, third}[static_cast<std::size_t>(rank)]();
  MPI_Win_fence(0, window);
}
void nothing() {}

/// Rank 0 in an epoch of its own.
void locked(int kind, const std::function<void()>& work) {
  MPI_Win_lock(kind, 1, 0, window);
  work();
  MPI_Win_unlock(1, window);
}
void alone(const std::function<void()>& work) {
  if (rank == 0) locked(MPI_LOCK_SHARED, work);
}

void expect(int value, int right) {
  if (value == right) return;
  std::fprintf(stderr, "rank %d has %d, not %d\n", rank, value, right);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

int one = 1, two = 2;
float half = 0.5F;

void add_float(MPI_Aint place) {
  MPI_Accumulate(&half, 1, MPI_FLOAT, 1, place, 1, MPI_FLOAT, MPI_SUM, window);
}
void add_int(MPI_Aint place) {
  MPI_Accumulate(&one, 1, MPI_INT, 1, place, 1, MPI_INT, MPI_SUM, window);
}

const std::map<std::string, std::function<void()>> cases{
    // Races.
    {"race:two puts of one rank", [] { alone([] { put(&one, 0), put(&two, 0); }); }},
    {"race:a put and a get of one rank", [] { alone([] { put(&one, 0), get(&two, 0); }); }},
    {"race:two kinds of numbers of one rank", [] { alone([] { add_int(0), add_float(0); }); }},
    {"race:two gets into one place", [] { alone([] { get(&one, 0), get(&one, 1); }); }},
    {"race:a put of what is got", [] { alone([] { get(&one, 0), put(&one, 1); }); }},
    {"race:a store to what is put", [] { alone([] { put(&one, 0), one = 7; }); }},
    {"race:a store to what is got", [] { alone([] { get(&one, 0), one = 7; }); }},
    {"race:two ranks put", [] { fenced([] { put(&one, 0); }, nothing, [] { put(&two, 0); }); }},
    {"race:a get and a put", [] { fenced([] { get(&one, 0); }, nothing, [] { put(&two, 0); }); }},
    {"race:a get and a store", [] { fenced([] { get(&one, 0); }, [] { mine[0] = 7; }, nothing); }},
    {"race:a put and a store", [] { fenced([] { put(&one, 0); }, [] { mine[0] = 7; }, nothing); }},
    {"race:two ranks add two kinds of numbers",
     [] { fenced([] { add_int(0); }, nothing, [] { add_float(0); }); }},
    {"race:two ranks put into one locked window",
     [] {
       if (rank != 1) locked(MPI_LOCK_SHARED, [] { put(&one, 0); });
     }},

    // None.
    {"right:gets of one place",
     [] { fenced([] { get(&one, 0); }, nothing, [] { get(&two, 0); }); }},
    {"right:two ranks add", [] { fenced([] { add_int(0); }, nothing, [] { add_int(0); }); }},
    {"right:beside each other",
     [] { alone([] { put(&one, 0), put(&two, 1), get(&rank, 0 + 2); }); }},
    {"right:a flush between",
     [] {
       alone([] {
         put(&one, 0);
         MPI_Win_flush(1, window);
         one = 7;
         put(&one, 0);
         MPI_Win_flush(1, window);
         get(&two, 0);
       });
       if (rank == 0) expect(two, 7);
     }},
    {"right:a message between",
     [] {
       int token = 0;
       if (rank == 0) {
         locked(MPI_LOCK_SHARED, [] { put(&one, 0); });
         MPI_Send(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
       } else if (rank == 2) {
         MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
         locked(MPI_LOCK_SHARED, [] { put(&two, 0); });
       }
     }},
    {"right:epochs of a target between",
     [] {
       MPI_Group all = MPI_GROUP_NULL, others = MPI_GROUP_NULL;
       MPI_Win_get_group(window, &all);
       for (const int origin : {0, 2}) {
         const int other = rank == 1 ? origin : 1;
         if (rank != 1 && rank != origin) continue;
         MPI_Group_incl(all, 1, &other, &others);
         if (rank == 1) MPI_Win_post(others, 0, window), MPI_Win_wait(window);
         if (rank == origin) MPI_Win_start(others, 0, window);
         if (rank == origin) rank == 0 ? put(&one, 0) : get(&two, 0);
         if (rank == origin) MPI_Win_complete(window);
         MPI_Group_free(&others);
       }
       MPI_Group_free(&all);
       if (rank == 2) expect(two, 1);
     }},
    {"right:exclusive locks",
     [] {
       for (int turn = 0; turn < 5; ++turn)
         locked(MPI_LOCK_EXCLUSIVE, [] {
           static int value;
           get(&value, 0);
           MPI_Win_flush(1, window);
           ++value;
           put(&value, 0);
         });
       MPI_Barrier(MPI_COMM_WORLD);
       locked(MPI_LOCK_SHARED, [] { get(&two, 0); });
       expect(two, 15);
     }},
    {"right:fetch and op",
     [] {
       int before = 0, sum = 0;
       locked(MPI_LOCK_SHARED,
              [&] { MPI_Fetch_and_op(&one, &before, MPI_INT, 1, 0, MPI_SUM, window); });
       MPI_Allreduce(&before, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
       expect(sum, 0 + 1 + 2);
     }},
    {"right:compare and swap",
     [] {
       int zero = 0, before = 0, won = 0;
       locked(MPI_LOCK_SHARED,
              [&] { MPI_Compare_and_swap(&one, &zero, &before, MPI_INT, 1, 0, window); });
       const int swapped = before == 0 ? 1 : 0;
       MPI_Allreduce(&swapped, &won, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
       expect(won, 1);
     }},
    {"right:requests",
     [] {
       alone([] {
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_Rput(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
         MPI_Wait(&request, MPI_STATUS_IGNORE);
         one = 7;  // its memory is free, though the put may be under way
         MPI_Win_flush(1, window);
         MPI_Rget(&two, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
         for (int over = 0; over == 0;) MPI_Test(&request, &over, MPI_STATUS_IGNORE);
         expect(two, 1);
       });
     }},
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  std::memset(mine, 0, 16 * sizeof(int));
  MPI_Win_unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string name = argc > 1 ? argv[1] : "";
  // Whether two ranks meet is left to chance.
  const int turns = name.starts_with("race:") ? 50 : 1;
  for (int turn = 0; turn < turns; ++turn) cases.at(name)();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Finalize();
}
