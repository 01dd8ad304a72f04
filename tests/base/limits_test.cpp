// What control groups and ulimit leave, from copies of the files in which Linux tells it.

#include <base/limits.hpp>

#include <halocline/error.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace halocline::base;
namespace fs = std::filesystem;

namespace {

class Limits : public testing::Test {
 protected:
  Limits() {
    fs::remove_all(root);
    write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 1 kB\nMemAvailable:    8000 kB\n");
  }
  ~Limits() override { fs::remove_all(root); }

  void write(const std::string& file, const std::string& text) const {
    const fs::path path = fs::path(root) / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  /// Writes a group of version 2, as a machine has it.
  void unified(const std::string& group) const {
    write("proc/self/cgroup", "0::" + group + "\n");
    write("proc/self/mountinfo",
          "31 23 0:28 / /sys rw - tmpfs tmpfs rw\n"
          "41 31 0:38 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }

  const std::string root = testing::TempDir() + "limits-" +
                           testing::UnitTest::GetInstance()->current_test_info()->name();
};

}  // namespace

TEST_F(Limits, AreTheMachinesWithoutGroups) {
  EXPECT_EQ(memory_left(root).node, 8000.0 * 1024);
  EXPECT_EQ(memory_left(root).node_limit, "");
  EXPECT_EQ(processor_quota(root), MemoryLeft::unknown);
  fs::remove_all(root);
  EXPECT_EQ(memory_left(root).node, MemoryLeft::unknown);
}

TEST_F(Limits, AreTheTightestOfAllGroupsAbove) {
  unified("/job/step");
  write("sys/fs/cgroup/job/step/memory.max", "max\n");
  write("sys/fs/cgroup/job/step/memory.current", "100\n");
  EXPECT_EQ(memory_left(root).node, 8000.0 * 1024);
  write("sys/fs/cgroup/job/memory.max", "5000000\n");
  write("sys/fs/cgroup/job/memory.current", "3000000\n");
  EXPECT_EQ(memory_left(root).node, 2000000);
  EXPECT_EQ(memory_left(root).node_limit, "the control group's limit");
  // What files take is given up first.
  write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 500000\nactive_file 500000\n");
  EXPECT_EQ(memory_left(root).node, 3000000);
  write("sys/fs/cgroup/job/memory.high", "4000000\n");
  EXPECT_EQ(memory_left(root).node, 2000000);
  write("sys/fs/cgroup/job/memory.current", "9000000\n");
  EXPECT_EQ(memory_left(root).node, 0);

  write("sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  EXPECT_EQ(processor_quota(root), MemoryLeft::unknown);
  write("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  EXPECT_EQ(processor_quota(root), 1.5);
}

TEST_F(Limits, AreSeenFromWithinAContainer) {
  write("proc/self/cgroup", "12:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/docker/abc\n");
  write("proc/self/mountinfo",
        "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
        "36 31 0:33 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "4000000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "2500000\n");
  write("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 500000\n");
  EXPECT_EQ(memory_left(root).node, 2000000);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  EXPECT_EQ(memory_left(root).node, 8000.0 * 1024);
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processor_quota(root), MemoryLeft::unknown);
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
  EXPECT_EQ(processor_quota(root), 0.5);
}

TEST(Shortage, SaysWhatIsNeededAndWhere) {
  MemoryLeft left{.node = 0x1p31, .process = 0x1p30, .process_limit = "ulimit -v"};
  EXPECT_EQ(shortage(0x1p30, 0x1p31, "it", left), "");
  const std::string node = shortage(0x1p30, 0x1p32, "it", left);
  EXPECT_TRUE(node.starts_with("out of memory: it needs 4.0 GiB on node ")) << node;
  EXPECT_TRUE(node.ends_with(", where 2.0 GiB are available")) << node;
  const std::string process = shortage(0x1.8p30, 0x1.8p30, "it", left);
  EXPECT_TRUE(process.ends_with(", where 1.0 GiB are available (ulimit -v of a process)"))
      << process;
  left.node_limit = "the control group's limit";
  left.node = 0x1p20;
  const std::string group = shortage(1, 0x1p30, "it", left);
  EXPECT_TRUE(group.ends_with("1.0 MiB are available (the control group's limit)")) << group;
  // What overflows is too much, too.
  EXPECT_NE(shortage(1, MemoryLeft::unknown, "it", left), "");
  EXPECT_THROW(check_memory(1e30, "it"), halocline::Error);
}
