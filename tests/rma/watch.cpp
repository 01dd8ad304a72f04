#include "watch.hpp"

#include "shared.hpp"

#include <mpi.h>

#include <unistd.h>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace emulated {

namespace {

constexpr std::uint64_t in_vain = 250;  // rests of every rank, after which nobody is in time

struct Counts {
  std::atomic<std::uint64_t> done, rests;
};

class Watch {
 public:
  Watch() : counts_(MPI_COMM_WORLD, sizeof(Counts)) {
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    rests_.resize(static_cast<std::size_t>(ranks_));
  }
  Counts& of(int rank) { return *reinterpret_cast<Counts*>(counts_.of(rank)); }
  Counts& mine() { return of(world_rank()); }

  void look() {
    if (++looks_ % 32 != 0) return;
    std::uint64_t done = 0;
    for (int rank = 0; rank < ranks_; ++rank) done += of(rank).done;
    bool all = done == done_;
    if (all) {
      usleep(2000);  // MPI's own threads, and the system's, may need the core
      ++mine().rests;
    }
    for (int rank = 0; rank < ranks_; ++rank) {
      std::uint64_t& before = rests_[static_cast<std::size_t>(rank)];
      if (done != done_)
        before = of(rank).rests;
      else
        all = all && of(rank).rests - before > in_vain;
    }
    done_ = done;
    if (all)
      end("hang", "every rank has rested " + std::to_string(in_vain) +
                      " times, with 32 looks between, since any of them has done anything");
  }

 private:
  Shared counts_;
  int ranks_ = 0;
  std::uint64_t done_ = 0;            // by all ranks, when I last saw it change
  std::vector<std::uint64_t> rests_;  // of each rank, then
  std::uint64_t looks_ = 0;
};

std::unique_ptr<Watch>& watch() {
  static auto& one = *new std::unique_ptr<Watch>;
  return one;
}

}  // namespace

int world_rank() {
  static const int rank = [] {
    int mine = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &mine);
    return mine;
  }();
  return rank;
}

void begin_watch() {
  watch() = std::make_unique<Watch>();
}
void done() {
  if (watch()) ++watch()->mine().done;
}
void looked() {
  if (watch()) watch()->look();
}

void end(const char* kind, const std::string& what) {
  std::fprintf(stderr, "emulated: %s: rank %d: %s\n", kind, world_rank(), what.c_str());
  std::fflush(stderr);
  usleep(100000);  // a launcher may drop what is still in its pipes when a job aborts
  PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  _exit(EXIT_FAILURE);
}

}  // namespace emulated
