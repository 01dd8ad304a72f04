#include "lock_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

namespace halocline::base {

namespace {

constexpr int most_s = 5;    // others hold it for milliseconds
constexpr int stale_s = 30;  // who has held one by name for so long has died

/// Whether flock says that there are no locks here: on network file systems, mounted so.
bool no_locks(int error) {
  return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

/// 0, or why not.
int lock(int file) {
  return flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

/// Whether a lock on this file, which this process holds, is seen by who opens it again. Some
/// mounts give everybody what he asks for.
bool seen(const std::string& file) {
  const int again = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (again < 0) return true;
  const bool is_seen = lock(again) == EWOULDBLOCK;
  ::close(again);
  return is_seen;
}

/// Try until an attempt is 0, or once; EWOULDBLOCK is that another has it. The last error
/// otherwise.
template <typename Attempt>
int attempts(bool waits, const Attempt& attempt) {
  int error = EWOULDBLOCK;
  for (int tries = 0; tries < (waits ? 100 * most_s : 1) && error == EWOULDBLOCK; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    error = attempt();
  }
  return error;
}

/// Make the file that is the lock; one whose maker has died goes.
int make(const std::string& held) {
  const int file = open(held.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
  if (file >= 0) {
    ::close(file);
    return 0;
  }
  if (errno != EEXIST) return errno;
  struct stat found {};
  if (stat(held.c_str(), &found) == 0 && std::time(nullptr) - found.st_mtime > stale_s) {
    // Under a name of its own, so that only one who finds it removes it.
    const std::string gone = held + "." + std::to_string(getpid());
    if (std::rename(held.c_str(), gone.c_str()) == 0) unlink(gone.c_str());
  }
  return EWOULDBLOCK;
}

}  // namespace

LockFile::LockFile(const std::string& path, bool waits) {
  // One file has one lock, by whichever link it is reached.
  std::error_code problem;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, problem);
  const std::string beside = (problem ? path : real.string()) + ".lock";
  file_ = open(beside.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (file_ < 0) {
    problem_ = std::strerror(errno);
    return;
  }
  int error = attempts(waits, [&] { return lock(file_); });
  if (no_locks(error) || (error == 0 && !seen(beside))) {
    error = attempts(waits, [&] { return make(beside + ".held"); });
    if (error == 0) held_ = beside + ".held";
  }
  if (error == EWOULDBLOCK) {
    problem_ =
        waits ? "somebody has held it for " + std::to_string(most_s) + " s" : "somebody holds it";
  } else if (error != 0) {
    problem_ = std::strerror(error);
  }
}

LockFile::~LockFile() {
  if (!held_.empty()) unlink(held_.c_str());
  if (file_ >= 0) ::close(file_);
}

std::string own_host() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "?";
}

Writer writer_of(const std::string& file, const std::string& host, pid_t process) {
  const int mine = open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (mine < 0) return errno == ENOENT ? Writer::gone : Writer::unknown;
  const int error = lock(mine);
  const bool free = error == 0 && seen(file);
  ::close(mine);
  if (error == EWOULDBLOCK) return Writer::lives;
  const bool dead = host == own_host() && process > 0 && kill(process, 0) != 0 && errno == ESRCH;
  return free || dead ? Writer::gone : Writer::unknown;
}

}  // namespace halocline::base
