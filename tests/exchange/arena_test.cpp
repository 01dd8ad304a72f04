// Containers in the memory of a scheme: they grow on one rank alone, and exchanges know where they
// are.

#include "common/complaint.hpp"
#include "common/ranks.hpp"

#include <halocline/arena.hpp>
#include <halocline/exchange.hpp>

#include <gtest/gtest.h>
#include <numeric>

using namespace halocline;

namespace {

using Vector = std::vector<double, ArenaAllocator<double>>;

TEST(Arena, KeepsContainersThatGrowOnOneRankAlone) {
  const Arena arena(world(), 1 << 16, "shm:signal");
  const std::size_t all = arena.bytes_free();
  {
    Vector x(arena);
    for (int i = 0; i < 100 * (me() + 1); ++i) x.push_back(i);
    std::vector<std::byte, ArenaAllocator<std::byte>> y(7, std::byte{1}, x.get_allocator());
    Vector z = x;
    x.clear();
    x.shrink_to_fit();
    EXPECT_EQ(z.back(), 100 * (me() + 1) - 1);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(z.data()) % 64, 0U);
    z.swap(x);
    EXPECT_EQ(x.size(), static_cast<std::size_t>(100 * (me() + 1)));
  }
  // All pieces are one again.
  EXPECT_EQ(arena.bytes_free(), all);
  Vector whole(all / sizeof(double), arena);
  EXPECT_EQ(arena.bytes_free(), 0U);
  EXPECT_EQ(complaint([&] { Vector more(1, arena); }).substr(0, 43),
            "arena: 8 bytes do not fit in one piece; of ");
}

TEST(Arena, TakesBackWhatItHasGivenOnce) {
  const Arena arena(world(), 1 << 12, "shm:signal");
  const std::size_t all = arena.bytes_free();
  void* const piece = arena.allocate(64);
  const auto refused = [&](void* begin) {
    return complaint([&] { arena.deallocate(begin); }).starts_with("arena: nothing that it has");
  };
  int foreign = 0;
  EXPECT_TRUE(refused(&foreign));
  EXPECT_TRUE(refused(static_cast<std::byte*>(piece) + 8));
  arena.deallocate(nullptr);
  arena.deallocate(piece);
  EXPECT_TRUE(refused(piece));
  EXPECT_EQ(arena.bytes_free(), all);
}

TEST(Arena, HasFieldsThatSchemesReachInPlace) {
  for (const char* scheme :
       {"p2p:persistent", "shm:signal+access=copy", "rma:put:fence+pack=off+alloc=allocate",
        "rma:get:flush+alloc=shared"}) {
    const Arena arena(world(), 1 << 14, scheme);
    const Vector before(static_cast<std::size_t>(10 + 7 * me()), -1.0, arena);  // unlike elsewhere
    Vector x(4, arena), y(4, arena);
    const int next = (me() + 1) % ranks(), last = (me() + ranks() - 1) % ranks();
    Pattern ring;
    const Block received{.offset = 3};
    if (ranks() == 1)
      ring.copy({.offset = 1}, received);
    else
      ring.send(next, {.offset = 1}), ring.receive(last, received);
    Exchange exchange(world(), ring, {field(x), field(y)}, scheme);
    for (int step = 0; step < 4; ++step) {
      x[1] = 10 * step + me(), y[1] = 1000 + x[1];
      exchange.run();
      ASSERT_EQ(x[3], 10 * step + last) << scheme;
      ASSERT_EQ(y[3], 1000 + 10 * step + last) << scheme;
    }
  }
}

}  // namespace
