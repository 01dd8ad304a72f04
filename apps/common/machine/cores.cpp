#include "cores.hpp"

#include <halocline/more/islands.hpp>

#include <algorithm>
#include <chrono>

namespace machine {

using namespace halocline;

namespace {

constexpr const char* what = "limit:cache-line";
constexpr double enough_s = 1e-3;
constexpr int at_once = 10, fewest = 5, most = 500;

/// The other one of ranks 0 and 1.
std::vector<int> partner(MPI_Comm comm) {
  const int rank = mpi::rank(comm);
  return rank > 1 ? std::vector<int>{} : std::vector<int>{1 - rank};
}

double in_island(MPI_Comm island) {
  CacheLine line(island);
  const auto seconds = [&] {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < at_once; ++i) line.there_and_back();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
           at_once;
  };
  seconds();  // whoever comes first waits
  int count = std::clamp(static_cast<int>(enough_s / (at_once * seconds())), fewest, most);
  HALOCLINE_MPI(MPI_Bcast, &count, 1, MPI_INT, 0, island);
  std::vector<double> samples(static_cast<std::size_t>(count));
  for (double& sample : samples) sample = seconds();
  const auto middle = samples.begin() + count / 2;
  std::nth_element(samples.begin(), middle, samples.end());
  return mpi::rank(island) == 0 ? *middle : 0;
}

}  // namespace

CacheLine::CacheLine(MPI_Comm comm) : rank_(mpi::rank(comm)), words_(comm, what, partner(comm)) {}

void CacheLine::there_and_back() {
  if (rank_ > 1) return;
  turn_ += 2;
  const auto word = words_.of(0, 0);
  // Rank 0 makes it odd, rank 1 even again.
  if (rank_ == 0) {
    word.store(turn_ - 1, std::memory_order_release);
    words_.await(word, turn_);
  } else {
    words_.await(word, turn_ - 1);
    word.store(turn_, std::memory_order_release);
  }
}

std::optional<double> core_distance(MPI_Comm comm) {
  const Islands islands(comm);
  double seconds = 0;
  // Ranks that share a core would measure its scheduler.
  if (!crowded(comm) && mpi::size(islands.island()) > 1) {
    try {
      seconds = in_island(islands.island());
    } catch (const mpi::CallFailed&) {
      throw;
    } catch (const Timeout&) {
      throw;
    } catch (const Error&) {
      // Too little shared memory is no reason not to measure anything else.
    }
  }
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace machine
