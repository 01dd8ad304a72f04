// Whatever stands at a file's name: it is written whole, in place, or refused.

#include "common/complaint.hpp"

#include <base/whole_file.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace {

namespace fs = std::filesystem;
using namespace halocline;
using base::Writing;

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void make(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

mode_t mode_of(const fs::path& file) {
  struct stat facts {};
  return stat(file.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
}

/// Runs `act` in a process of its own, where a false result or an error is a failure.
template <class Act>
int status_of(Act&& act) {
  const pid_t child = fork();
  if (child == 0) {
    int code = 1;
    try {
      code = act();
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "%s\n", problem.what());
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
constexpr int skipped = 77;

class WholeFile : public testing::Test {
 protected:
  WholeFile() {
    char name[] = "/tmp/halocline-whole-file-XXXXXX";
    folder_ = mkdtemp(name);
    chmod(folder_.c_str(), 0755);
  }
  ~WholeFile() override { fs::remove_all(folder_); }

  fs::path in(const std::string& name) const { return folder_ / name; }
  std::set<std::string> all() const {
    std::set<std::string> names;
    for (const auto& one : fs::directory_iterator(folder_)) names.insert(one.path().filename());
    return names;
  }
  std::string look(const std::string& name, Writing how = Writing::in_sequence) const {
    return complaint([&] { base::check_file({"--json", in(name), how}); });
  }
  std::string refusal(const std::string& name, const std::string& reason) const {
    return "--json " + in(name).string() + ": " + reason;
  }

  fs::path folder_;
};

void write(const fs::path& file, const std::string& content = "new") {
  base::write_whole("--json", file, content);
}

TEST_F(WholeFile, NewFilesHaveTheUsersMask) {
  const mode_t before = umask(027);
  write(in("r.json"));
  umask(before);
  EXPECT_EQ(content_of(in("r.json")), "new");
  EXPECT_EQ(mode_of(in("r.json")), 0640u);
  EXPECT_EQ(all(), std::set<std::string>{"r.json"});
}

TEST_F(WholeFile, KeepsTheMode) {
  make(in("r.json"), "an old one");
  chmod(in("r.json").c_str(), 0640);
  write(in("r.json"));
  EXPECT_EQ(content_of(in("r.json")), "new");
  EXPECT_EQ(mode_of(in("r.json")), 0640u);
}

TEST_F(WholeFile, KeepsTheOwner) {
  make(in("r.json"), "old");
  if (chown(in("r.json").c_str(), 12345, 54321) != 0) GTEST_SKIP() << "needs a privileged user";
  write(in("r.json"));
  struct stat facts {};
  ASSERT_EQ(stat(in("r.json").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, 12345u);
  EXPECT_EQ(facts.st_gid, 54321u);
}

TEST_F(WholeFile, StaysAsItWasUntilTheNewOneIsWhole) {
  make(in("r.json"), "old");
  {
    base::WholeFile out("--json", in("r.json"));
    out.write(std::string(1 << 20, 'x'));
    EXPECT_EQ(content_of(in("r.json")), "old");
    EXPECT_EQ(all().size(), 2u);
  }
  EXPECT_EQ(content_of(in("r.json")), "old");
  EXPECT_EQ(all(), std::set<std::string>{"r.json"});
}

TEST_F(WholeFile, LeavesTheUsersPartialAlone) {
  make(in("r.json.partial"), "mine");
  write(in("r.json"));
  EXPECT_EQ(content_of(in("r.json.partial")), "mine");
  EXPECT_EQ(all(), (std::set<std::string>{"r.json", "r.json.partial"}));
}

TEST_F(WholeFile, FollowsLinks) {
  fs::create_directory(in("behind"));
  make(in("behind/old.json"), "old");
  fs::create_symlink("behind/old.json", in("to-old"));
  fs::create_symlink("to-old", in("to-link"));
  fs::create_symlink("behind/none.json", in("dangling"));
  fs::create_directory_symlink("behind", in("folder"));
  write(in("to-link"), "one");
  write(in("dangling"), "two");
  write(in("folder/three.json"), "three");
  EXPECT_EQ(content_of(in("behind/old.json")), "one");
  EXPECT_EQ(content_of(in("behind/none.json")), "two");
  EXPECT_EQ(content_of(in("behind/three.json")), "three");
  for (const char* link : {"to-old", "to-link", "dangling", "folder"})
    EXPECT_TRUE(fs::is_symlink(in(link))) << link;
  EXPECT_EQ(std::distance(fs::directory_iterator(in("behind")), {}), 3);
}

TEST_F(WholeFile, KeepsOtherNamesOfTheFile) {
  make(in("a"), "a longer old one");
  fs::create_hard_link(in("a"), in("b"));
  write(in("a"));
  EXPECT_EQ(content_of(in("b")), "new");
  EXPECT_TRUE(fs::equivalent(in("a"), in("b")));
  EXPECT_EQ(all(), (std::set<std::string>{"a", "b"}));
}

TEST_F(WholeFile, RefusesWhatCannotBeWritten) {
  fs::create_directory(in("folder"));
  make(in("readonly"), "old");
  chmod(in("readonly").c_str(), 0444);
  make(in("file"), "old");
  fs::create_symlink("round", in("round"));
  fs::create_symlink("none/x", in("lost"));
  fs::create_symlink("folder", in("to-folder"));
  const std::string long_name(300, 'n');
  EXPECT_EQ(look("folder"), refusal("folder", "is a folder"));
  EXPECT_EQ(look("to-folder"), refusal("to-folder", "is a folder"));
  EXPECT_EQ(look("new/"), refusal("new/", "names a folder, where a file is needed"));
  EXPECT_EQ(look("readonly"), refusal("readonly", "may not be written to: Permission denied"));
  EXPECT_EQ(look("none/x"), refusal("none/x", "No such file or directory"));
  EXPECT_EQ(look("file/x"), refusal("file/x", "Not a directory"));
  EXPECT_EQ(look("lost"), refusal("lost", "No such file or directory"));
  EXPECT_EQ(look("round"), refusal("round", "Too many levels of symbolic links"));
  EXPECT_EQ(look(long_name), refusal(long_name, "File name too long"));
  EXPECT_EQ(complaint([] {
              base::check_file({"--json", ""});
            }),
            "--json '': a file must have a name");
  EXPECT_EQ(complaint([&] {
              base::check_file({"", in("folder")});
            }),
            in("folder").string() + ": is a folder");
  const std::set<std::string> before = all();
  EXPECT_NE(complaint([&] { write(in("folder")); }), "");
  EXPECT_NE(complaint([&] { write(in("readonly")); }), "");
  EXPECT_EQ(content_of(in("readonly")), "old");
  EXPECT_EQ(all(), before);
}

TEST_F(WholeFile, RefusesSockets) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, in("s").c_str(), sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(look("s"), refusal("s", "is a socket"));
  close(socket);
}

TEST_F(WholeFile, LooksWithoutWriting) {
  make(in("old"), "old");
  base::check_files(std::vector<base::Planned>{{"--json", in("new")}, {"--image", in("old")}});
  EXPECT_EQ(all(), std::set<std::string>{"old"});
  EXPECT_EQ(content_of(in("old")), "old");
}

TEST_F(WholeFile, OneFileOfTwoOptionsIsRefused) {
  const auto both = [&](const fs::path& one, const fs::path& other) {
    return complaint([&] {
      base::check_files(std::vector<base::Planned>{{"--image", one}, {"--json", other}});
    });
  };
  make(in("old"), "");
  fs::create_symlink("new", in("link"));
  fs::create_hard_link(in("old"), in("other"));
  EXPECT_EQ(both(in("new"), in("new")), refusal("new", "is the file of --image, too"));
  EXPECT_EQ(both(in("new"), in("link")), refusal("link", "is the file of --image, too"));
  EXPECT_EQ(both(in("./new"), in("new")), refusal("new", "is the file of --image, too"));
  EXPECT_EQ(both(in("old"), in("other")), refusal("other", "is the file of --image, too"));
  EXPECT_EQ(both(in("old"), in("new")), "");
  EXPECT_EQ(both("/dev/stdout", "/dev/stdout"), "");
}

TEST_F(WholeFile, WritesPipesInPlace) {
  ASSERT_EQ(mkfifo(in("pipe").c_str(), 0600), 0);
  const std::string much(1 << 18, 'm');
  const pid_t writer = fork();
  if (writer == 0) {
    write(in("pipe"), much);
    _exit(0);
  }
  EXPECT_EQ(content_of(in("pipe")), much);
  waitpid(writer, nullptr, 0);
  EXPECT_TRUE(fs::is_fifo(in("pipe")));
  EXPECT_EQ(look("pipe"), "");
  EXPECT_EQ(look("pipe", Writing::anywhere),
            refusal("pipe",
                    "is a pipe, where a regular file is needed: the format is not written "
                    "in order"));
  EXPECT_EQ(look("pipe", Writing::shared),
            refusal("pipe",
                    "is a pipe, where a regular file is needed: several processes or a "
                    "library write it"));
}

TEST_F(WholeFile, SaysThatAPipesReaderHasGone) {
  ASSERT_EQ(mkfifo(in("pipe").c_str(), 0600), 0);
  EXPECT_EQ(status_of([&] {
              std::signal(SIGPIPE, SIG_IGN);
              const int reader = open(in("pipe").c_str(), O_RDONLY | O_NONBLOCK);
              base::WholeFile out("--json", in("pipe"));
              close(reader);
              out.write("new");
              return complaint([&] { out.finish(); }) == refusal("pipe", "Broken pipe") ? 0 : 1;
            }),
            0);
}

TEST_F(WholeFile, WritesDevicesInPlace) {
  if (mknod(in("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 ||
      mknod(in("full").c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
    GTEST_SKIP() << "no devices can be made here";
  if (open(in("null").c_str(), O_WRONLY) < 0) GTEST_SKIP() << "devices cannot be used here";
  write(in("null"));
  EXPECT_TRUE(fs::is_character_file(in("null")));
  EXPECT_EQ(complaint([&] { write(in("full")); }), refusal("full", "No space left on device"));
  EXPECT_TRUE(fs::is_character_file(in("full")));
  EXPECT_EQ(look("null", Writing::anywhere),
            refusal("null",
                    "is a device, where a regular file is needed: the format is not "
                    "written in order"));
}

/// /dev/stdout and what a shell's >(command) becomes.
TEST_F(WholeFile, WritesDescriptorsWhereTheyStand) {
  EXPECT_EQ(status_of([&] {
              const int out = open(in("out").c_str(), O_WRONLY | O_CREAT, 0600);
              dup2(out, 1);
              std::printf("printed before, ");
              write("/dev/stdout", "then the file");
              std::printf(", and after");
              std::fflush(stdout);
              return 0;
            }),
            0);
  EXPECT_EQ(content_of(in("out")), "printed before, then the file, and after");

  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  write("/dev/fd/" + std::to_string(ends[1]), "through a pipe");
  close(ends[1]);
  char got[32] = "";
  EXPECT_EQ(read(ends[0], got, sizeof got), 14);
  EXPECT_STREQ(got, "through a pipe");
  EXPECT_NE(complaint([&] { write("/dev/fd/" + std::to_string(ends[0])); }), "")
      << "open for reading";
  close(ends[0]);
  EXPECT_NE(complaint([&] { write("/dev/fd/" + std::to_string(ends[1])); }), "") << "not open";
}

TEST_F(WholeFile, WritesAMountInPlace) {
  make(in("outside"), "an old one");
  make(in("r.json"), "what is mounted over");
  const int status = status_of([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", "", MS_REC | MS_PRIVATE, "") != 0 ||
        mount(in("outside").c_str(), in("r.json").c_str(), "", MS_BIND, "") != 0)
      return skipped;
    write(in("r.json"));
    return content_of(in("r.json")) == "new" ? 0 : 1;
  });
  if (status == skipped) GTEST_SKIP() << "nothing can be mounted here";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content_of(in("outside")), "new");
  EXPECT_EQ(content_of(in("r.json")), "what is mounted over");
  EXPECT_EQ(all(), (std::set<std::string>{"outside", "r.json"}));
}

TEST_F(WholeFile, AsAUserWithoutPrivileges) {
  fs::create_directory(in("closed"));
  make(in("closed/open.json"), "an old one");
  chmod(in("closed/open.json").c_str(), 0666);
  make(in("theirs.json"), "old");
  chmod(in("theirs.json").c_str(), 0644);
  const int status = status_of([&] {
    if (setgid(65534) != 0 || setuid(65534) != 0) return skipped;
    write(in("closed/open.json"));
    const bool refused =
        look("closed/new.json") ==
            refusal("closed/new.json", "its folder may not be written to: Permission denied") &&
        look("theirs.json") == refusal("theirs.json", "may not be written to: Permission denied");
    return refused ? 0 : 1;
  });
  if (status == skipped) GTEST_SKIP() << "needs a privileged user";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content_of(in("closed/open.json")), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(in("closed")), {}), 1);
}

TEST_F(WholeFile, ManyWritersLeaveOneWholeFile) {
  for (const bool linked : {false, true}) {  // renamed, and copied into
    if (linked) fs::create_hard_link(in("r.json"), in("other"));
    std::vector<pid_t> writers;
    for (int i = 0; i < 4; ++i) {
      const pid_t writer = fork();
      if (writer == 0) {
        for (int k = 0; k < 25; ++k)
          write(in("r.json"), std::string(static_cast<std::size_t>(50'000 * (i + 1)),
                                          static_cast<char>('a' + i)));
        _exit(0);
      }
      writers.push_back(writer);
    }
    for (const pid_t writer : writers) {
      int status = 1;
      waitpid(writer, &status, 0);
      EXPECT_EQ(status, 0);
    }
    const std::string content = content_of(in("r.json"));
    ASSERT_FALSE(content.empty());
    EXPECT_EQ(content.size(), static_cast<std::size_t>(50'000 * (content[0] - 'a' + 1)));
    EXPECT_EQ(content.find_first_not_of(content[0]), content.npos);
    EXPECT_EQ(all().size(), linked ? 2u : 1u);
  }
}

TEST_F(WholeFile, OfTheLongestName) {
  const std::string name(255, 'n');
  write(in(name));
  EXPECT_EQ(content_of(in(name)), "new");
  EXPECT_EQ(all(), std::set<std::string>{name});
}

TEST_F(WholeFile, NotEnoughRoom) {
  make(in("r.json"), "old");
  make(in("linked"), "old");
  fs::create_hard_link(in("linked"), in("other"));
  const auto all_before = all();
  EXPECT_EQ(status_of([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              const rlimit few{1000, 1000};
              setrlimit(RLIMIT_FSIZE, &few);
              const std::string much(5000, 'x');
              return complaint([&] { write(in("r.json"), much); }) ==
                                 refusal("r.json", "File too large") &&
                             complaint([&] { write(in("linked"), much); }) ==
                                 refusal("linked", "File too large")
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_EQ(content_of(in("r.json")), "old");
  EXPECT_EQ(content_of(in("linked")), "old");
  EXPECT_EQ(all(), all_before);
}

TEST_F(WholeFile, AnyPlaceCanBeWrittenTo) {
  base::WholeFile out("--json", in("r.gsd"), Writing::anywhere);
  out.write("head");
  out.write_at(8, "there");
  out.write_at(0, "HE");
  out.write("!");
  out.finish();
  EXPECT_EQ(content_of(in("r.gsd")), std::string("HEad\0\0\0\0there!", 14));
}

TEST_F(WholeFile, OthersWriteByItsName) {
  make(in("r.h5"), "old");
  base::WholeFile out("--json", in("r.h5"), Writing::shared);
  make(out.name(), "by a library");
  EXPECT_EQ(content_of(in("r.h5")), "old");
  out.finish();
  EXPECT_EQ(content_of(in("r.h5")), "by a library");
  EXPECT_EQ(all(), std::set<std::string>{"r.h5"});
}

}  // namespace
