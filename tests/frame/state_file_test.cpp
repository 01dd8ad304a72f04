// States in files: whoever has written a part of an array, whoever reads one, whoever else writes;
// and what is wrong with damaged ones.

#include "common/complaint.hpp"
#include "common/job_folder.hpp"

#include <halocline/environment.hpp>
#include <halocline/more/mpi.hpp>

#include <base/lock_file.hpp>
#include <frame/state_file.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>

namespace {

using namespace frame;
using halocline::part_of;
using halocline::Range;
using halocline::world;
namespace mpi = halocline::mpi;
namespace fs = std::filesystem;

const StateHead head{"program", {{"grid", {5, 7, 9}}}, {{"step", 12}, {"alpha", 0.1}}};

/// 5 x 7 x 9 points, cut along an axis, in an array with a margin of two around them.
struct Points {
  static constexpr std::array<std::int64_t, 3> all{5, 7, 9};
  explicit Points(std::size_t axis) {
    for (std::size_t a = 0; a < 3; ++a) mine[a] = {0, all[a]};
    mine[axis] = part_of(all[axis], mpi::size(world()), mpi::rank(world()));
    row = mine[2].size() + 4, plane = row * (mine[1].size() + 4);
    numbers.assign(static_cast<std::size_t>(plane * (mine[0].size() + 4)), -1);
  }
  double& at(std::int64_t k, std::int64_t j, std::int64_t i) {
    return numbers[static_cast<std::size_t>((k - mine[0].begin + 2) * plane +
                                            (j - mine[1].begin + 2) * row + i - mine[2].begin + 2)];
  }
  static double value(std::int64_t k, std::int64_t j, std::int64_t i) {
    return 1.0 / static_cast<double>(1 + (k * all[1] + j) * all[2] + i);
  }
  template <class Act>
  void each(const Act& act) {
    for (std::int64_t k = mine[0].begin; k < mine[0].end; ++k)
      for (std::int64_t j = mine[1].begin; j < mine[1].end; ++j)
        for (std::int64_t i = mine[2].begin; i < mine[2].end; ++i) act(k, j, i);
  }
  Share share() {
    return {"u", all, mine, &at(mine[0].begin, mine[1].begin, mine[2].begin), {plane, row, 1}};
  }
  std::array<Range, 3> mine;
  std::ptrdiff_t row = 0, plane = 0;
  std::vector<double> numbers;
};

/// A state of points and a vector.
void write(const std::string& file, std::size_t axis = 0, bool keeps = true) {
  Points points(axis);
  points.each([&](auto k, auto j, auto i) { points.at(k, j, i) = Points::value(k, j, i); });
  const Range mine = part_of(1000, mpi::size(world()), mpi::rank(world()));
  std::vector<double> vector;
  for (std::int64_t i = mine.begin; i < mine.end; ++i) vector.push_back(1.0 / (3.0 + double(i)));
  write_state(world(), "--checkpoint", file, head,
              std::array{points.share(), Share::of_vector("x", 1000, mine, vector.data())}, keeps);
}

/// How flock is: as it is, or one that sees nothing.
bool blind = false;

/// Files beside this one, but for those that states have in the end.
std::vector<std::string> left_beside(const std::string& file) {
  HALOCLINE_MPI(MPI_Barrier, world());
  std::vector<std::string> left;
  for (const auto& found : fs::directory_iterator(fs::path(file).parent_path()))
    if (found.path() != file && found.path() != previous_state(file))
      left.push_back(found.path().filename());
  std::ranges::sort(left);
  HALOCLINE_MPI(MPI_Barrier, world());
  return left;
}

TEST(StateFile, ComesBackBitForBitHoweverItIsCut) {
  const JobFolder folder;
  for (const std::size_t written : {0u, 1u, 2u}) {
    write(folder / "f", written);
    const StateFile state(world(), "--restart", folder / "f", "program");
    EXPECT_EQ(state.head().settings, head.settings);
    EXPECT_EQ(state.head().progress, head.progress);
    EXPECT_EQ(state.length("x"), 1000);
    for (const std::size_t read : {0u, 1u, 2u}) {
      Points points(read);
      // All ranks read all of the vector.
      std::vector<double> vector(1000);
      state.read(world(),
                 std::array{Share::of_vector("x", 1000, {0, 1000}, vector.data()), points.share()});
      points.each([&](auto k, auto j, auto i) {
        EXPECT_EQ(points.at(k, j, i), Points::value(k, j, i)) << k << ' ' << j << ' ' << i;
      });
      EXPECT_EQ(std::ranges::count(points.numbers, -1),
                std::ssize(points.numbers) - points.share().words());
      for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(vector[i], 1.0 / (3.0 + double(i)));
    }
  }
}

TEST(StateFile, HasLongRows) {
  const JobFolder folder;
  constexpr std::int64_t all = 3 << 19;  // as of a matrix: all of its points in one row
  const Range mine = part_of(all, mpi::size(world()), mpi::rank(world()));
  std::vector<double> numbers(static_cast<std::size_t>(mine.size()));
  const auto share = [&] {
    return std::array{
        Share{"x", {1, 1, all}, {Range{0, 1}, Range{0, 1}, mine}, numbers.data(), {1, 1, 1}}};
  };
  const auto value = [&](std::size_t i) { return static_cast<double>(mine.begin) + double(i); };
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = value(i);
  write_state(world(), "--checkpoint", folder / "f", head, share(), true);
  std::ranges::fill(numbers, 0);
  StateFile(world(), "--restart", folder / "f", "program").read(world(), share());
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) wrong += numbers[i] != value(i);
  EXPECT_EQ(wrong, 0);
}

TEST(StateFile, IsTheSameBytesHoweverItIsCut) {
  const JobFolder folder;
  write(folder / "f", 0);
  write(folder / "g", 2);
  EXPECT_TRUE(content_of(folder / "f") == content_of(folder / "g"));
}

TEST(StateFile, TheOneBeforeIsKept) {
  const JobFolder folder;
  const std::string file = folder / "f";
  write(file);
  EXPECT_FALSE(fs::exists(previous_state(file)));
  write(file, 1);
  EXPECT_TRUE(content_of(file) == content_of(previous_state(file)));
  put(file, "damaged");
  write(file, 0, false);
  EXPECT_TRUE(content_of(file) == content_of(previous_state(file)));
  EXPECT_TRUE(left_beside(file).empty());
}

TEST(StateFile, WhoeverElseWritesItIsWhole) {
  const JobFolder folder;
  const std::string file = folder / "f", here = file + "." + halocline::base::own_host() + "-";
  const bool root = mpi::rank(world()) == 0;
  const std::string dead = here + "999999999-01234567.new",
                    there = file + ".elsewhere-1-01234567.new",
                    mine = file + ".1-x.new";  // of no writer
  for (const bool sees_nothing : {false, true}) {
    blind = sees_nothing;
    for (const std::string& other : {dead, there, mine}) put(other, "half");
    write(file);
    // Nobody knows more of another host than locks do.
    std::vector<std::string> left{"f.1-x.new"};
    if (blind) left.push_back("f.elsewhere-1-01234567.new");
    EXPECT_EQ(left_beside(file), left);
    if (root)
      for (const std::string& other : {there})
        if (fs::exists(other))
          fs::last_write_time(other, fs::file_time_type::clock::now() - std::chrono::hours(3));
    write(file, 1);
    EXPECT_EQ(left_beside(file), std::vector<std::string>{"f.1-x.new"});
  }
  blind = false;
  put(there, "half");
  const int held = open(there.c_str(), O_RDWR);
  HALOCLINE_MPI(MPI_Barrier, world());
  if (root) {
    EXPECT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
  }
  const std::string before = content_of(file);
  HALOCLINE_MPI(MPI_Barrier, world());
  EXPECT_EQ(complaint([&] { write(file); }),
            "--checkpoint " + file + ": another run is writing it");
  EXPECT_TRUE(content_of(file) == before);
  close(held);
}

TEST(StateFile, WhatIsThereIsNotReplacedUnlessItIsOne) {
  const JobFolder folder;
  const std::string file = folder / "f", begin = "--checkpoint " + file + ": ";
  const auto check = [&](const char* program = "program") {
    return complaint([&] { check_replaceable("--checkpoint", file, program); });
  };
  EXPECT_EQ(check(), "");
  write(file);
  EXPECT_EQ(check(), "");
  EXPECT_EQ(check("other"),
            begin + "it is a checkpoint of program, not of other; name another file");
  put(file, "a matrix");
  EXPECT_EQ(check(), begin + "it is no checkpoint of program; name another file");
  put(file, "");
  EXPECT_THROW(check_replaceable("--checkpoint", file, "program"), NoState);
}

TEST(StateFile, DamageIsFound) {
  const JobFolder folder;
  const std::string file = folder / "f", begin = "--restart " + file + ": ";
  write(file);
  const std::string whole = content_of(file);
  const auto refusal = [&](const std::string& content, const char* program = "program") {
    put(file, content);
    return complaint([&] { StateFile(world(), "--restart", file, program); });
  };
  EXPECT_EQ(refusal(whole), "");
  EXPECT_EQ(refusal(whole, "other"), begin + "it is a checkpoint of program, not of other");
  EXPECT_EQ(refusal(whole.substr(0, whole.size() - 56)),
            begin + "it has " + std::to_string(whole.size() - 56) +
                " bytes, which are not those that it should have: it is incomplete or damaged");
  EXPECT_EQ(refusal("HELLO"), begin + "it is no checkpoint of program");
  // Another file may stand in for what is damaged or missing, and for nothing else.
  const auto another_may = [&](const std::string& content, const char* program = "program") {
    put(file, content);
    try {
      StateFile(world(), "--restart", file, program);
    } catch (const NoState&) {
      return true;
    } catch (const halocline::Error&) {
    }
    return false;
  };
  EXPECT_TRUE(another_may(whole.substr(0, 100)));
  EXPECT_TRUE(another_may(""));
  EXPECT_TRUE(another_may(std::string(whole.size(), '\0')));
  EXPECT_TRUE(another_may("H" + whole.substr(1)));
  EXPECT_FALSE(another_may("HELLO"));
  EXPECT_FALSE(another_may(whole, "other"));
  EXPECT_EQ(refusal(std::string(whole.size(), 'x')), begin + "it is no checkpoint of program");
  std::string newer = whole;
  newer[16] = 3;
  EXPECT_FALSE(another_may(newer));
  EXPECT_EQ(refusal(newer), begin + "it is of version 3, this program reads version 2");
  // Any bit, of the checksum, of what it says, of the arrays.
  for (const std::size_t at :
       {std::size_t{41}, std::size_t{60}, whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_EQ(refusal(damaged),
              begin + "its checksum is not that of its content: it has been damaged")
        << at;
  }
  put(file, whole);
  const StateFile state(world(), "--restart", file, "program");
  double number = 0;
  EXPECT_EQ(complaint([&] {
              state.read(world(), std::array{Share::of_vector("x", 7, {0, 1}, &number)});
            }),
            begin + "its array x has another shape");
  EXPECT_EQ(state.progress<int>("step"), 12);
  EXPECT_EQ(complaint([&] { static_cast<void>(state.progress<int>("none")); }),
            begin + "it does not say none as this program reads it");
  EXPECT_EQ(complaint([&] { static_cast<void>(state.progress<std::string>("step")); }),
            begin + "it does not say step as this program reads it");
  EXPECT_EQ(complaint([&] { static_cast<void>(state.length("y")); }), begin + "it has no array y");
  HALOCLINE_MPI(MPI_Barrier, world());
  if (mpi::rank(world()) == 0) fs::remove(file);
  HALOCLINE_MPI(MPI_Barrier, world());
  EXPECT_EQ(complaint([&] { StateFile(world(), "--restart", file, "program"); }),
            begin + "No such file or directory");
  EXPECT_THROW(StateFile(world(), "--restart", file, "program"), NoState);
}

TEST(StateFile, ContentIsKnownUnderAnyName) {
  const JobFolder folder;
  const std::string one = folder / "one", other = folder / "other";
  const auto told = [&](const std::string& file) {
    return content_of_file(world(), "--rhs", file);
  };
  for (const std::size_t bytes : {0, 1, 7, 8, 9, 100'001}) {
    const std::string content(bytes, 'x');
    put(one, content);
    put(other, content);
    const std::string words = told(one);
    EXPECT_EQ(words, told(other));
    EXPECT_TRUE(words.starts_with(std::to_string(bytes) + " bytes with the checksum ")) << words;
    put(other, content + '\0');
    EXPECT_NE(words, told(other));
    if (bytes == 0) continue;
    put(other, content.substr(1) + 'y');
    EXPECT_NE(words, told(other));
  }
  EXPECT_EQ(told("/dev/null"), "/dev/null");
  EXPECT_EQ(told(folder / "none"), folder / "none");
}

TEST(StateFile, WhatWasThereStaysWhenANewOneFails) {
  const JobFolder folder;
  const std::string file = folder / "f";
  put(file, "the old one");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  const std::string said = complaint([&] { write(file); });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(said, "--checkpoint " + file + ": File too large");
  EXPECT_EQ(content_of(file), "the old one");
  EXPECT_TRUE(left_beside(file).empty());
  EXPECT_FALSE(fs::exists(previous_state(file)));
  EXPECT_EQ(complaint([&] { write(folder / "none/f"); }),
            "--checkpoint " + (folder / "none/f") + ": No such file or directory");
}

}  // namespace

/// In place of the C library's.
extern "C" int flock(int file, int operation) noexcept {
  return blind ? 0 : static_cast<int>(syscall(SYS_flock, file, operation));
}
