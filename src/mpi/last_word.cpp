#include "last_word.hpp"

#include "own.hpp"

#include <halocline/more/mpi.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

namespace halocline::detail {

namespace {

/// What the ranks of a node share.
struct LastWord {
  std::atomic<int> taken{0};    ///< by the one that speaks
  std::atomic<int> exiting{0};  ///< so many ranks
};
static_assert(std::atomic<int>::is_always_lock_free);

LastWord own;
std::atomic<LastWord*> last_word{&own};
int ranks_here = 1;

/// Null where it cannot be had. The file is not written to before all of it is there: a full
/// /dev/shm would end the process.
LastWord* map(const char* name, int flags) {
  const int file = shm_open(name, flags | O_RDWR, S_IRUSR | S_IWUSR);
  if (file < 0) return nullptr;
  void* place = MAP_FAILED;
  if (posix_fallocate(file, 0, sizeof(LastWord)) == 0)
    place = mmap(nullptr, sizeof(LastWord), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return place == MAP_FAILED ? nullptr : static_cast<LastWord*>(place);
}

}  // namespace

void share_last_word(MPI_Comm comm) {
  const mpi::Comm node = mpi::node_of(comm);
  const bool first = mpi::rank(node) == 0;
  std::string name;
  LastWord* shared = nullptr;
  if (first) {
    name = "/halocline-" + std::to_string(getpid()) + "-" + std::to_string(std::random_device()());
    shared = map(name.c_str(), O_CREAT | O_EXCL);
  }
  name = mpi::from_root(node, name);
  if (!first) shared = map(name.c_str(), 0);
  const bool everywhere = mpi::all_of(node, shared != nullptr);
  if (first) shm_unlink(name.c_str());
  if (everywhere) {
    last_word = shared;
    ranks_here = mpi::size(node);
  } else if (shared != nullptr) {
    munmap(shared, sizeof(LastWord));
  }
}

bool take_last_word() noexcept {
  return last_word.load()->taken.exchange(1) == 0;
}

void exit_together() noexcept {
  std::atomic<int>& exiting = last_word.load()->exiting;
  ++exiting;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (exiting < ranks_here && std::chrono::steady_clock::now() < limit)
    std::this_thread::yield();
}

void exit_silently() noexcept {
  std::this_thread::sleep_for(std::chrono::seconds(5));
  std::_Exit(EXIT_FAILURE);
}

}  // namespace halocline::detail
