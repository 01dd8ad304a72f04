#include "place.hpp"

#include "machine.hpp"
#include "writing.hpp"

#include <preload/behind.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace recorder {

namespace {

// The file in a folder that says whose it is.
constexpr const char* kClaim = "run.json";

std::int64_t calendar() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * std::int64_t{1'000} + time.tv_nsec / 1'000'000;
}

std::int64_t number_in(const char* words, const char* key) {
  const char* place = std::strstr(words, key);
  return place ? std::strtoll(place + std::strlen(key), nullptr, 10) : -1;
}

// Is there a program in this folder that belongs to the same launch, or may still run?
bool is_taken(const char* claim, const char* host, std::int64_t launched) {
  int file = open(claim, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char words[1024] = "";
  ssize_t size = read(file, words, sizeof(words) - 1);
  close(file);
  words[size > 0 ? size : 0] = 0;
  std::int64_t started = number_in(words, "\"started\": ");
  if (started < 0 || started >= launched) return true;
  char here[300];
  std::snprintf(here, sizeof(here), "\"host\": \"%s\"", host);
  std::int64_t process = number_in(words, "\"pid\": ");
  return std::strstr(words, here) && process > 0 && kill(static_cast<pid_t>(process), 0) == 0;
}

// Says that the folder belongs to this program; false: it belongs to another one.
bool claim(const Whose& whose, const char* host) {
  char path[4200], own[4300], words[1024];
  std::snprintf(path, sizeof(path), "%s/%s", whose.folder, kClaim);
  std::snprintf(own, sizeof(own), "%s.%d", path, static_cast<int>(getpid()));
  int size = std::snprintf(
      words, sizeof(words), "{\"run\": \"%s\", \"host\": \"%s\", \"pid\": %d, \"started\": %lld}\n",
      whose.run, host, static_cast<int>(getpid()), static_cast<long long>(whose.started));
  int file = open(own, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return true;  // whose files will not be written either
  bool written = write(file, words, static_cast<std::size_t>(size)) == size;
  close(file);
  // A whole file, and of several that come at once one's only.
  bool mine = written && link(own, path) == 0;
  if (!mine && !is_taken(path, host, whose.launched)) mine = rename(own, path) == 0;
  unlink(own);
  return mine;
}

// A folder in the folder, of this program alone.
void go_apart(Whose& whose) {
  char base[4096];
  std::snprintf(base, sizeof(base), "%s", whose.folder);
  for (int attempt = 1; attempt < 1000; ++attempt) {
    int size = std::snprintf(whose.folder, sizeof(whose.folder), "%.3800s/%.100s-%d", base,
                             program_invocation_short_name, static_cast<int>(getpid()));
    if (attempt > 1)
      std::snprintf(whose.folder + size, sizeof(whose.folder) - static_cast<std::size_t>(size),
                    ".%d", attempt);
    if (mkdir(whose.folder, 0777) == 0 || errno != EEXIST) return;
  }
}

}  // namespace

void find_place(const Recording& run, MPI_Comm world, Whose& whose) {
  const char* folder = std::getenv("HALOCLINE_RECORDING");
  if (!folder || !*folder) folder = "program.recording";
  char here[2048] = "";
  if (folder[0] != '/' && !getcwd(here, sizeof(here))) here[0] = 0;
  std::snprintf(whose.folder, sizeof(whose.folder), "%.2000s%s%.2000s", here,
                folder[0] == '/' ? "" : "/", folder);
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  const char* launched = std::getenv("HALOCLINE_RECORDING_LAUNCHED");
  const char* named = std::getenv("HALOCLINE_RECORDING_NAMED");
  whose.started = calendar();
  whose.launched = launched ? std::strtoll(launched, nullptr, 10) : whose.started;
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "JOB_ID"}) {
    if (const char* job = std::getenv(name); job && !*whose.job)
      std::snprintf(whose.job, sizeof(whose.job), "%s", job);
  }
  whose.named = named && std::atoi(named) == getpid();
  // What this program starts is another one.
  constexpr const char* kWithin = "HALOCLINE_RECORDING_WITHIN";
  const bool within = std::getenv(kWithin) != nullptr || run.spawned;
  setenv(kWithin, "1", 1);
  if (run.rank == 0) {
    std::snprintf(whose.run, sizeof(whose.run), "%s.%d.%lld", host, static_cast<int>(getpid()),
                  static_cast<long long>(whose.started));
    make_folder(whose.folder);
    if (within || !claim(whose, host)) go_apart(whose);
  }
  PMPI(Bcast)(&whose, offsetof(Whose, launched), MPI_BYTE, 0, world);
}

}  // namespace recorder
