#include "machine.hpp"

#include "bounded.hpp"
#include "ending.hpp"
#include "writing.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace recorder {

namespace {

struct Other {
  std::int32_t rank;
  pid_t process;
  std::uint64_t birth;
};
Other* others = nullptr;
std::int32_t other_count = 0;

// When a process began, in ticks since the machine did: numbers of processes are used again. 0: it
// is gone.
std::uint64_t time_of_birth(pid_t process) {
  char path[32] = "/proc/", text[1024];
  char digits[12];
  int count = 0;
  char* at = path + 6;
  for (pid_t rest = process; rest > 0; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  while (count > 0) *at++ = digits[--count];
  std::memcpy(at, "/stat", 6);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t size = read(file, text, sizeof(text) - 1);
  close(file);
  text[size > 0 ? size : 0] = 0;
  // The second field is a name in brackets, which may have anything in it; wanted is the 22nd.
  const char* place = std::strrchr(text, ')');
  for (int field = 2; place && field < 22; ++field) place = std::strchr(place + 1, ' ');
  std::uint64_t time = 0;
  for (; place && place[1] >= '0' && place[1] <= '9'; ++place) {
    time = 10 * time + static_cast<std::uint64_t>(place[1] - '0');
  }
  return time;
}

// Few programs have a use for one of the last.
int asking_signal() {
  return SIGRTMAX - 3;
}

void on_asked(int) {
  int error = errno;
  end_recording("aborted", true);
  errno = error;
}

}  // namespace

std::uint64_t machine_identity() {
  char words[64] = {};
  int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    (void)!read(file, words, sizeof(words) - 1);
    close(file);
  }
  if (!words[0]) gethostname(words, sizeof(words) - 1);
  return hash_of(words, std::strlen(words));
}

std::size_t memory_left() {
  unsigned long pages[6] = {};  // all of it, ..., data and stack
  if (FILE* file = std::fopen("/proc/self/statm", "re")) {
    for (unsigned long& one : pages)
      if (std::fscanf(file, "%lu", &one) != 1) break;
    std::fclose(file);
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t left = SIZE_MAX;
  const auto limit = [&](auto resource, std::size_t used) {
    rlimit found{};
    if (getrlimit(resource, &found) != 0 || found.rlim_cur == RLIM_INFINITY) return;
    left = std::min<std::size_t>(left, found.rlim_cur > used ? found.rlim_cur - used : 0);
  };
  limit(RLIMIT_AS, pages[0] * page);
  limit(RLIMIT_DATA, pages[5] * page);
  return left;
}

void meet_machine(MPI_Comm world) {
  int rank = 0, ranks = 1;
  PMPI(Comm_rank)(world, &rank);
  PMPI(Comm_size)(world, &ranks);
  // Numbers of processes mean something to those that share them: not to another container.
  struct stat names {};
  stat("/proc/self/ns/pid", &names);
  std::uint64_t own[3] = {mixed(machine_identity(), names.st_ino),
                          static_cast<std::uint64_t>(getpid()), time_of_birth(getpid())};
  struct sigaction action {};
  if (sigaction(asking_signal(), nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) ||
      action.sa_handler != SIG_DFL) {
    own[2] = 0;  // the program has its own use for it
  } else {
    action = {};
    action.sa_handler = on_asked;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(asking_signal(), &action, nullptr);
  }
  std::vector<std::uint64_t> all(3 * static_cast<std::size_t>(ranks));
  PMPI(Allgather)(own, 3, MPI_UINT64_T, all.data(), 3, MPI_UINT64_T, world);
  others = static_cast<Other*>(reserve(static_cast<std::size_t>(ranks) * sizeof(Other)));
  for (std::int32_t other = 0; others && other < ranks; ++other) {
    const std::uint64_t* known = &all[3 * static_cast<std::size_t>(other)];
    if (other == rank || known[0] != own[0] || known[2] == 0) continue;
    others[other_count++] = {other, static_cast<pid_t>(known[1]), known[2]};
  }
}

void have_others_write() {
  constexpr int kTries = 250;
  bool asked = false;
  for (std::int32_t at = 0; at < other_count; ++at) {
    Other& other = others[at];
    // To its first thread: that is the one that calls MPI.
    bool there = !is_written(other.rank) && time_of_birth(other.process) == other.birth &&
                 syscall(SYS_tgkill, other.process, other.process, asking_signal()) == 0;
    if (!there) other.birth = 0;
    asked = asked || there;
  }
  for (int attempt = 0; asked && attempt < kTries; ++attempt) {
    timespec pause{0, 2'000'000};
    nanosleep(&pause, nullptr);
    asked = false;
    for (std::int32_t at = 0; at < other_count; ++at) {
      Other& other = others[at];
      if (other.birth == 0) continue;
      if (is_written(other.rank) || time_of_birth(other.process) != other.birth) {
        other.birth = 0;
      } else {
        asked = true;
      }
    }
  }
}

}  // namespace recorder
