#include "offsets.hpp"

#include "machine.hpp"

namespace recorder {

namespace {

// Rank 0 with one rank of each other machine; and that one with its neighbours.
MPI_Comm heads;
MPI_Comm machine;
bool several_machines = false;

// Finds what to add to this rank's clock, and how sure that is.
void measure(std::int64_t& offset, std::int64_t& within) {
  constexpr int kTries = 8;
  std::int64_t result[2] = {0, 0};
  int rank = -1, ranks = 0;
  if (heads != MPI_COMM_NULL) {
    PMPI(Comm_rank)(heads, &rank);
    PMPI(Comm_size)(heads, &ranks);
  }
  for (int other = 1; other < ranks; ++other) {
    if (rank == 0) {
      for (int attempt = 0; attempt < kTries; ++attempt) {
        std::int64_t time = 0;
        PMPI(Recv)(&time, sizeof(time), MPI_BYTE, other, 0, heads, MPI_STATUS_IGNORE);
        time = monotonic();
        PMPI(Send)(&time, sizeof(time), MPI_BYTE, other, 0, heads);
      }
    } else if (rank == other) {
      std::int64_t shortest = INT64_MAX;
      for (int attempt = 0; attempt < kTries; ++attempt) {
        std::int64_t before = monotonic(), there = 0;
        PMPI(Send)(&before, sizeof(before), MPI_BYTE, 0, 0, heads);
        PMPI(Recv)(&there, sizeof(there), MPI_BYTE, 0, 0, heads, MPI_STATUS_IGNORE);
        std::int64_t after = monotonic();
        if (after - before >= shortest) continue;
        shortest = after - before;
        result[0] = there - (before + shortest / 2);
        result[1] = shortest / 2;
      }
    }
  }
  PMPI(Bcast)(result, sizeof(result), MPI_BYTE, 0, machine);
  offset = result[0];
  within = result[1];
}

void note(Recording& run) {
  std::int64_t offset = 0, within = 0;
  if (several_machines) measure(offset, within);
  run.offsets[run.offset_count][0] = monotonic();
  run.offsets[run.offset_count][1] = offset;
  ++run.offset_count;
  if (within > run.offset_within) run.offset_within = within;
}

}  // namespace

void measure_first_offset(Recording& run, MPI_Comm world) {
  std::uint64_t identity = machine_identity();
  std::uint64_t both[2] = {identity, ~identity}, least[2] = {};
  PMPI(Allreduce)(both, least, 2, MPI_UINT64_T, MPI_MIN, world);
  several_machines = least[0] != ~least[1];
  if (several_machines) {
    int rank = 0;
    PMPI(Comm_rank)(world, &rank);
    PMPI(Comm_split)(world, static_cast<int>(identity & 0x7fffffff), rank, &machine);
    int place = 0;
    PMPI(Comm_rank)(machine, &place);
    PMPI(Comm_split)(world, place == 0 ? 0 : MPI_UNDEFINED, rank, &heads);
  }
  note(run);
}

void measure_last_offset(Recording& run) {
  note(run);
  if (!several_machines) return;
  PMPI(Comm_free)(&machine);
  if (heads != MPI_COMM_NULL) PMPI(Comm_free)(&heads);
}

}  // namespace recorder
