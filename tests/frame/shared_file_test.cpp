// Files that all ranks write at once, a block by one of them, and what fails on one rank alone.

#include "common/complaint.hpp"
#include "common/job_folder.hpp"

#include <halocline/environment.hpp>
#include <halocline/more/mpi.hpp>

#include <base/lock_file.hpp>
#include <frame/shared_file.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <cerrno>

namespace {

using namespace frame;
using halocline::world;
namespace mpi = halocline::mpi;

char letter(std::int64_t place) {
  return static_cast<char>('a' + place * 7919 % 23);
}

/// `bytes` of a file in pieces of `piece`, in turns of all ranks, some at a time.
std::string written(std::int64_t bytes, std::int64_t piece) {
  const JobFolder folder;
  const int ranks = mpi::size(world()), me = mpi::rank(world());
  replace_file(world(), "--output", folder / "f", [&](SharedFile& file) {
    std::string text;
    int turn = 0;
    for (std::int64_t place = 0; place < bytes; place += piece, ++turn) {
      if (turn % ranks == me) {
        text.clear();
        for (std::int64_t i = place; i < std::min(bytes, place + piece); ++i) text += letter(i);
        file.put(place, text.data(), std::ssize(text));
      }
      if (turn % 1000 == 999) file.deal();
    }
  });
  return content_of(folder / "f");
}

TEST(SharedFile, HasAllBytesHoweverTheyAreSharedOut) {
  for (const auto& [bytes, piece] : {std::pair{10, 3},
                                     {100'000, 77},
                                     {3'333'333, 1 << 20},
                                     {5'000'000, 1'600'000},
                                     {2 << 20, 1 << 20}}) {
    const std::string content = written(bytes, piece);
    ASSERT_EQ(std::ssize(content), bytes);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < bytes; ++i)
      wrong += content[static_cast<std::size_t>(i)] != letter(i);
    EXPECT_EQ(wrong, 0) << bytes << " in pieces of " << piece;
  }
}

TEST(SharedFile, WhatFailsOnOneRankNamesItAndItsHost) {
  const int last = mpi::size(world()) - 1;
  const std::string here = last == 0 ? ""
                                     : " (on rank " + std::to_string(last) + ", host " +
                                           halocline::base::own_host() + ")";
  const auto fails = [](const char* why) { throw halocline::Error(why); };
  EXPECT_EQ(complaint([&] {
              each(world(), [&] {
                if (mpi::rank(world()) == last) fails("no disk");
              });
            }),
            "no disk" + here);
  EXPECT_EQ(complaint([&] { each(world(), [&] { fails("no disk"); }); }), "no disk");
}

TEST(SharedFile, NeedsNoLock) {
  const JobFolder folder;
  check_shared(world(), "--output", folder / "f");
  EXPECT_EQ(content_of(folder / "f"), "");
  EXPECT_EQ(complaint([&] { check_shared(world(), "--output", folder / "none/f"); }),
            "--output " + (folder / "none/f") + ": No such file or directory");
  // `flock` below fails.
  EXPECT_EQ(std::ssize(written(100'000, 500)), 100'000);
}

}  // namespace

/// In place of the C library's, which writing with locks would call.
extern "C" int flock(int, int) noexcept {
  ADD_FAILURE() << "a lock was asked for";
  errno = ENOSYS;
  return -1;
}
