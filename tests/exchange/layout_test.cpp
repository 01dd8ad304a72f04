// Layouts: index lists and boxes, mixed, are packed, streamed, unpacked and copied element by
// element as a plain loop would.

#include "exchange/core/layout.hpp"

#include "memory/cache_line.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace halocline::detail {
namespace {

/// Elements of a field in an order of their own: single ones, in runs, and boxes between them.
std::vector<Block> some_blocks(std::mt19937& random, std::size_t elements, std::size_t lists) {
  std::vector<std::ptrdiff_t> order(elements);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<Block> blocks;
  std::size_t next = 0;
  for (std::size_t list = 0; list < lists; ++list) {
    const std::size_t length = list % 2 == 0 ? 2 : 300;  // shorter than what is taken for a list
    for (std::size_t i = 0; i < length; ++i) blocks.push_back({.offset = order[next++]});
    const auto box = static_cast<std::ptrdiff_t>(elements + 30 * list);
    blocks.push_back({.offset = box, .count = {2, 3, 4}, .stride = {15, 5}});
  }
  return blocks;
}

std::vector<std::byte> plainly(const std::vector<Block>& blocks, std::span<const Field> fields) {
  std::vector<std::byte> message;
  for (const Field& field : fields)
    for (const Block& block : blocks)
      for (std::size_t plane = 0; plane < block.count[0]; ++plane)
        for (std::size_t row = 0; row < block.count[1]; ++row) {
          const auto at = block.offset + static_cast<std::ptrdiff_t>(plane) * block.stride[0] +
                          static_cast<std::ptrdiff_t>(row) * block.stride[1];
          const auto* const from = static_cast<const std::byte*>(field.data) +
                                   static_cast<std::size_t>(at) * field.element_bytes;
          message.insert(message.end(), from, from + block.count[2] * field.element_bytes);
        }
  return message;
}

class Lists : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Layout, Lists, testing::Values(4u, 8u, 16u, 24u, 32u, 40u),
                         [](const auto& info) { return std::to_string(info.param) + "_bytes"; });

TEST_P(Lists, AreCopiedElementByElement) {
  constexpr std::size_t elements = 2000, lists = 4, all = elements + 30 * lists;
  std::mt19937 random(7);
  const auto from_blocks = some_blocks(random, elements, lists);
  const auto to_blocks = some_blocks(random, elements, lists);
  // The second field has elements of a word.
  std::vector<std::byte> memory[2][2];
  std::vector<Field> fields[2];
  for (int side = 0; side < 2; ++side)
    for (int f = 0; f < 2; ++f) {
      const std::size_t bytes = f == 0 ? GetParam() : 8;
      memory[side][f].resize(all * bytes);
      if (side == 0)
        for (std::byte& one : memory[side][f]) one = static_cast<std::byte>(random());
      fields[side].push_back({memory[side][f].data(), bytes, all});
    }
  const Layout from(from_blocks, fields[0]), to(to_blocks, fields[1]);
  EXPECT_EQ(from.lists().empty(), false);
  const std::vector<std::byte> expected = plainly(from_blocks, fields[0]);
  ASSERT_EQ(from.bytes(), expected.size());

  std::vector<std::byte> message(from.bytes());
  from.pack(bases_of(fields[0]), message.data());
  EXPECT_EQ(message, expected);

  const std::size_t room = whole_lines(from.bytes());
  auto* const lines = static_cast<std::byte*>(std::aligned_alloc(cache_line, room));
  from.stream(bases_of(fields[0]), lines);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), lines));
  std::free(lines);

  const auto empty = [&] {
    for (auto& field : memory[1]) std::fill(field.begin(), field.end(), std::byte{0});
  };
  empty();
  to.unpack(bases_of(fields[1]), expected.data());
  EXPECT_EQ(plainly(to_blocks, fields[1]), expected);

  empty();
  LayoutCopy(from, to).run(bases_of(fields[0]), bases_of(fields[1]));
  EXPECT_EQ(plainly(to_blocks, fields[1]), expected);

  // Nothing but lists, as particles have them.
  std::vector<Block> lone_from, lone_to;
  for (std::size_t i = 0; i < 500; ++i) {
    lone_from.push_back(from_blocks[3 + i % 200]);
    lone_to.push_back({.offset = static_cast<std::ptrdiff_t>(3 * i)});
  }
  empty();
  LayoutCopy(Layout(lone_from, fields[0]), Layout(lone_to, fields[1]))
      .run(bases_of(fields[0]), bases_of(fields[1]));
  EXPECT_EQ(plainly(lone_to, fields[1]), plainly(lone_from, fields[0]));
}

}  // namespace
}  // namespace halocline::detail
