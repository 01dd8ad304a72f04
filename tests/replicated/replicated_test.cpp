// Replicated arrays: every version arrives whole, everywhere, and nobody's reading is disturbed.

#include "common/complaint.hpp"
#include "common/ranks.hpp"

#include <halocline/more/replicated.hpp>
#include <halocline/more/waiting.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <string>

using namespace halocline;

namespace {

std::int64_t value(std::int64_t version, std::int64_t i) {
  return version * 1'000'003 + i;
}

/// Elements that are not of this version.
std::int64_t wrong(std::span<const std::int64_t> all, std::int64_t version) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    count += all[i] != value(version, static_cast<std::int64_t>(i));
  return count;
}

struct Delayed {
  explicit Delayed(unsigned seed) { inject_delays(std::chrono::microseconds(200), seed); }
  ~Delayed() { inject_delays(std::chrono::microseconds(0), 0); }
};

class Islands : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Replicated, Islands, testing::Values("node", "1", "2"),
                         [](const auto& info) { return "of_" + std::string(info.param); });

TEST_P(Islands, EveryVersionOfAnyOwnerArrivesWhole) {
  const Delayed delayed(static_cast<unsigned>(me()));
  for (const std::size_t elements : {std::size_t{0}, std::size_t{1}, std::size_t{1000},
                                     std::size_t{40'000}}) {  // the last travels in blocks
    Replicated<std::int64_t> array(world(), elements, {.island = GetParam()});
    ASSERT_TRUE(array.shared()) << array.note();
    EXPECT_EQ(array.size(), elements);
    for (const std::int64_t zero : array.read()) ASSERT_EQ(zero, 0);
    const int versions = elements < 10'000 ? 20 : 5;
    for (int version = 1; version <= versions; ++version) {
      const int owner = version * 7 % ranks();
      array.write(owner, [&](std::span<std::int64_t> all) {
        ASSERT_EQ(me(), owner);
        ASSERT_TRUE(version == 1 || wrong(all, version - 1) == 0) << "the version before";
        for (std::size_t i = 0; i < all.size(); ++i)
          all[i] = value(version, static_cast<std::int64_t>(i));
      });
      maybe_delay();
      // Twice: nobody may write while others still read.
      ASSERT_EQ(wrong(array.read(), version), 0) << "version " << version;
      maybe_delay();
      ASSERT_EQ(wrong(array.read(), version), 0) << "version " << version;
    }
  }
}

TEST_P(Islands, PartsMeetInEveryCopy) {
  const Delayed delayed(static_cast<unsigned>(me()));
  for (const std::size_t elements : {std::size_t{1}, std::size_t{1001}, std::size_t{40'001}}) {
    Replicated<std::int64_t> array(world(), elements, {.island = GetParam()});
    for (int version = 1; version <= 8; ++version) {
      array.write_parts([&](std::span<std::int64_t> part, Range where) {
        ASSERT_EQ(static_cast<std::int64_t>(part.size()), where.size());
        for (std::int64_t i = where.begin; i < where.end; ++i)
          part[static_cast<std::size_t>(i - where.begin)] = value(version, i);
      });
      ASSERT_EQ(wrong(array.read(), version), 0) << "version " << version;
    }
  }
}

TEST(Replicated, HeadsUseAnySchemeThatFillsTheirCopies) {
  for (const char* scheme : {"p2p:persistent", "rma:put:fence", "shm:signal"}) {
    Replicated<std::int64_t> array(world(), 5000, {.island = "1", .scheme = scheme});
    EXPECT_EQ(array.islands(), ranks());
    for (int version = 1; version <= 5; ++version) {
      array.write(version % ranks(), [&](std::span<std::int64_t> all) {
        for (std::size_t i = 0; i < all.size(); ++i)
          all[i] = value(version, static_cast<std::int64_t>(i));
      });
      ASSERT_EQ(wrong(array.read(), version), 0) << scheme;
    }
  }
}

TEST(Replicated, RanksInReverseHaveTheSameParts) {
  MPI_Comm raw = MPI_COMM_NULL;
  MPI_Comm_split(world(), 0, ranks() - me(), &raw);
  const mpi::Comm reversed(raw);
  Replicated<std::int64_t> array(reversed, 100, {.island = "2"});
  array.write_parts([&](std::span<std::int64_t> part, Range where) {
    for (std::int64_t i = where.begin; i < where.end; ++i)
      part[static_cast<std::size_t>(i - where.begin)] = value(1, i);
  });
  EXPECT_EQ(wrong(array.read(), 1), 0);
}

TEST(Replicated, ElementsMayBeAnythingThatIsCopiedByBytes) {
  struct Particle {
    double x[3];
    int kind;
  };
  Replicated<Particle> array(world(), 333, {.island = "1"});
  array.write(ranks() - 1, [](std::span<Particle> all) {
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = {{1.0 * static_cast<double>(i), 2, 3}, static_cast<int>(i)};
  });
  for (std::size_t i = 0; i < array.size(); ++i) {
    ASSERT_EQ(array[i].kind, static_cast<int>(i));
    ASSERT_EQ(array[i].x[0], static_cast<double>(i));
  }
}

// docs/how-to/share-replicated-data.md
TEST(Replicated, DoesWhatItsPageSays) {
  Replicated<double> table(world(), 1000, {.island = "node", .scheme = "p2p:persistent"});
  table.write(0, [](std::span<double> all) { std::iota(all.begin(), all.end(), 0.0); });

  double sum = 0;
  for (const double value : table.read()) sum += value;
  EXPECT_EQ(sum, 499'500);

  table.write_parts([](std::span<double> part, Range where) {
    std::iota(part.begin(), part.end(), 2.0 * static_cast<double>(where.begin));
  });
  const Range mine = table.part();
  for (std::int64_t i = mine.begin; i < mine.end; ++i)
    EXPECT_EQ(table[static_cast<std::size_t>(i)], static_cast<double>(mine.begin + i));
}

TEST(Replicated, SaysWhatDoesNotFit) {
  if (ranks() > 1) {
    const std::string sizes =
        complaint([] { Replicated<double> array(world(), 10 + static_cast<std::size_t>(me())); });
    EXPECT_NE(sizes.find("between 10 and " + std::to_string(9 + ranks())), sizes.npos) << sizes;
  }
  Replicated<double> array(world(), 10);
  const std::string owner = complaint([&] { array.write(ranks(), [](auto) {}); });
  EXPECT_NE(owner.find("rank " + std::to_string(ranks()) + " of " + std::to_string(ranks())),
            owner.npos)
      << owner;
}

}  // namespace
