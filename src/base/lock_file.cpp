#include "lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

namespace halocline::base {

LockFile::LockFile(const std::string& path) {
  // One file has one lock, by whichever link it is reached.
  std::error_code problem;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, problem);
  const std::string beside = (problem ? path : real.string()) + ".lock";
  file_ = open(beside.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (file_ < 0) {
    problem_ = std::strerror(errno);
    return;
  }
  constexpr int seconds = 5;  // others hold it for milliseconds
  for (int tries = 0; tries < 100 * seconds; ++tries) {
    if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    if (errno != EWOULDBLOCK) {
      problem_ = std::strerror(errno);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  problem_ = "somebody has held it for " + std::to_string(seconds) + " s";
}

LockFile::~LockFile() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace halocline::base
