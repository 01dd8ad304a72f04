// The lock of a file on a file system that has no flock, which this file plays.

#include <base/lock_file.hpp>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>

using halocline::base::LockFile;
namespace fs = std::filesystem;

namespace {

bool has_locks = true;

class LockOfFile : public testing::Test {
 protected:
  ~LockOfFile() override { has_locks = true; }

  const fs::path path = fs::path(testing::TempDir()) / ("locked-" + std::to_string(getpid()));
  const fs::path held = path.string() + ".lock.held";
};

TEST_F(LockOfFile, IsAFileThatOneCanMakeWhereThereIsNoFlock) {
  has_locks = false;
  {
    const LockFile lock(path);
    EXPECT_EQ(lock.problem(), "");
    EXPECT_TRUE(fs::exists(held));
    EXPECT_EQ(LockFile(path).problem(), "somebody has held it for 5 s");
    EXPECT_TRUE(fs::exists(held));  // it stays with who holds it
  }
  EXPECT_FALSE(fs::exists(held));
}

TEST_F(LockOfFile, IsTakenFromADeadHolder) {
  has_locks = false;
  std::ofstream(held) << "";
  fs::last_write_time(held, fs::file_time_type::clock::now() - std::chrono::minutes(2));
  EXPECT_EQ(LockFile(path).problem(), "");
  EXPECT_FALSE(fs::exists(held));
}

TEST_F(LockOfFile, IsFlockWhereThereIsOne) {
  const LockFile lock(path);
  EXPECT_EQ(lock.problem(), "");
  EXPECT_FALSE(fs::exists(held));
}

}  // namespace

/// In place of the C library's.
extern "C" int flock(int, int) noexcept {
  if (has_locks) return 0;
  errno = ENOLCK;
  return -1;
}
