// The lock of a file on file systems that have no flock, or one that sees nothing, which this file
// plays.

#include <base/lock_file.hpp>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>

using namespace halocline::base;
namespace fs = std::filesystem;

namespace {

enum class Locks { there, none, blind } locks = Locks::there;

class LockOfFile : public testing::Test {
 protected:
  ~LockOfFile() override { locks = Locks::there; }

  const fs::path path = fs::path(testing::TempDir()) / ("locked-" + std::to_string(getpid()));
  const fs::path held = path.string() + ".lock.held";
};

TEST_F(LockOfFile, IsAFileThatOneCanMakeWhereThereIsNoFlock) {
  locks = Locks::none;
  {
    const LockFile lock(path);
    EXPECT_EQ(lock.problem(), "");
    EXPECT_TRUE(fs::exists(held));
    EXPECT_EQ(LockFile(path).problem(), "somebody has held it for 5 s");
    EXPECT_TRUE(fs::exists(held));  // it stays with who holds it
  }
  EXPECT_FALSE(fs::exists(held));
}

TEST_F(LockOfFile, IsSuchAFileWhereFlockSeesNothing) {
  locks = Locks::blind;
  const LockFile lock(path);
  EXPECT_TRUE(fs::exists(held));
  EXPECT_EQ(LockFile(path, false).problem(), "somebody holds it");
}

TEST_F(LockOfFile, IsTakenFromADeadHolder) {
  locks = Locks::blind;
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

TEST_F(LockOfFile, SaysWhetherItsHolderIsThere) {
  const std::string file = path.string() + ".lock", here = own_host();
  pid_t dead = fork();
  if (dead == 0) _exit(0);
  waitpid(dead, nullptr, 0);
  {
    const LockFile lock(path);
    EXPECT_EQ(writer_of(file, here, dead), Writer::lives);  // whatever it is called
    locks = Locks::blind;
    EXPECT_EQ(writer_of(file, here, getpid()), Writer::unknown);
    EXPECT_EQ(writer_of(file, "elsewhere", dead), Writer::unknown);
    EXPECT_EQ(writer_of(file, here, dead), Writer::gone);
  }
  locks = Locks::none;
  EXPECT_EQ(writer_of(file, here, getpid()), Writer::unknown);
  EXPECT_EQ(writer_of(file, here, dead), Writer::gone);
  locks = Locks::there;
  EXPECT_EQ(writer_of(file, "elsewhere", getpid()), Writer::gone);
  EXPECT_EQ(writer_of("none", here, getpid()), Writer::gone);
}

}  // namespace

/// In place of the C library's.
extern "C" int flock(int file, int operation) noexcept {
  if (locks == Locks::there) return static_cast<int>(syscall(SYS_flock, file, operation));
  if (locks == Locks::blind) return 0;
  errno = ENOLCK;
  return -1;
}
