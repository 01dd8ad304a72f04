// Layouts: index lists and boxes, mixed, are packed, streamed, unpacked and copied element by
// element as a plain loop would.

#include "exchange/core/layout.hpp"

#include "exchange/routes/combine.hpp"
#include "memory/cache_line.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <limits>
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
    // Some have neighbours beside them, as lists of random elements do.
    for (std::size_t i = 0; i < length; i += 16) {
      const auto run = static_cast<std::ptrdiff_t>(elements + 30 * lists + 4 * (next - i));
      blocks.push_back({.offset = run, .count = {1, 1, 2}});
    }
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
INSTANTIATE_TEST_SUITE_P(Layout, Lists,
                         testing::Values(1u, 2u, 4u, 6u, 8u, 12u, 16u, 24u, 32u, 40u),
                         [](const auto& info) { return std::to_string(info.param) + "_bytes"; });

TEST_P(Lists, AreCopiedElementByElement) {
  constexpr std::size_t elements = 2000, lists = 4, all = 2 * elements + 6000;
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
    lone_from.push_back(from_blocks[4 + i % 200]);
    lone_to.push_back({.offset = static_cast<std::ptrdiff_t>(3 * i)});
  }
  empty();
  LayoutCopy(Layout(lone_from, fields[0]), Layout(lone_to, fields[1]))
      .run(bases_of(fields[0]), bases_of(fields[1]));
  EXPECT_EQ(plainly(lone_to, fields[1]), plainly(lone_from, fields[0]));
}

// One end has other runs than the other.
TEST(Lists, AreCopiedWhereverTheirRunsEnd) {
  std::mt19937 random(3);
  std::vector<double> from(400), to(400);
  std::iota(from.begin(), from.end(), 1.0);
  const auto runs = [&] {
    std::vector<Block> blocks;
    std::ptrdiff_t next = 0;
    for (std::size_t left = 120, length = 0; left > 0; left -= length) {
      length = std::min<std::size_t>(left, 1 + random() % 4);
      blocks.push_back({.offset = next, .count = {1, 1, length}});
      next += static_cast<std::ptrdiff_t>(length + random() % 3);
    }
    std::shuffle(blocks.begin(), blocks.end(), random);
    return blocks;
  };
  const std::vector<Field> source{field(from.data(), from.size())},
      target{field(to.data(), to.size())};
  for (int trial = 0; trial < 20; ++trial) {
    const auto sent = runs(), received = runs();
    std::fill(to.begin(), to.end(), 0);
    LayoutCopy(Layout(sent, source), Layout(received, target))
        .run(bases_of(source), bases_of(target));
    ASSERT_EQ(plainly(received, target), plainly(sent, source));
  }
}

TEST(Lists, CountWordsIn32BitsAsFarAsTheyReach) {
  const auto indices = [](std::int64_t farthest, std::int64_t bytes) {
    std::vector<Piece> pieces;
    for (const std::int64_t at : {std::int64_t{0}, 7 * bytes, 3 * bytes, farthest, 5 * bytes})
      pieces.push_back({.field = 0,
                        .offset = at,
                        .planes = 1,
                        .rows = 1,
                        .row_bytes = bytes,
                        .plane_stride = bytes,
                        .row_stride = bytes,
                        .words = 1});
    const Layout layout(pieces);
    const ElementList& list = layout.lists().at(0);
    EXPECT_EQ(list.wide, farthest / 8 > std::numeric_limits<std::int32_t>::max());
    return layout.with_indices(list, [&](auto some) {
      std::vector<std::int64_t> offsets;
      for (const auto index : some) offsets.push_back(index * list.unit);
      return offsets;
    });
  };
  for (const std::int64_t farthest :
       {std::int64_t{800}, std::int64_t{1} << 33, std::int64_t{1} << 40})
    EXPECT_EQ(indices(farthest, 24), (std::vector<std::int64_t>{0, 168, 72, farthest, 120}));
}

/// How the numbers of an index list are combined, by layout and block by block: as a plain loop
/// would, one after the other, also those that are named twice.
template <class T, class How>
void expect_combined(const Combine& combine, How how) {
  std::mt19937 random(5);
  constexpr std::size_t elements = 300, numbers = 3;
  using Element = std::array<T, numbers>;
  std::vector<Element> cells(elements), expected, message;
  const auto value = [&] { return static_cast<T>(static_cast<double>(random() % 100) / 8); };
  for (Element& cell : cells)
    for (T& number : cell) number = value();
  expected = cells;
  Link link{0, {}};
  for (int i = 0; i < 200; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(random() % (elements - 2));
    link.blocks.push_back({.offset = at, .count = {1, 1, random() % 8 == 0 ? 2u : 1u}});
    for (std::size_t e = 0; e < link.blocks.back().count[2]; ++e) {
      Element& arrived = message.emplace_back();
      for (std::size_t k = 0; k < numbers; ++k) {
        arrived[k] = value();
        T& here = expected[static_cast<std::size_t>(at) + e][k];
        here = how(here, arrived[k]);
      }
    }
  }
  std::vector<Element> again = cells;
  const auto* const bytes = reinterpret_cast<const std::byte*>(message.data());
  std::vector<Field> fields{field(cells.data(), elements)};
  const Layout layout(link.blocks, fields);
  EXPECT_EQ(layout.lists().size(), 1u);
  detail::combine(layout, bases_of(fields), bytes, combine, fields);
  EXPECT_EQ(cells, expected);
  fields = {field(again.data(), elements)};
  detail::combine(link, fields, bytes, combine);
  EXPECT_EQ(again, expected);
}

template <class T>
void expect_all_ways() {
  expect_combined<T>(Combine::sum, [](T a, T b) { return static_cast<T>(a + b); });
  expect_combined<T>(Combine::min, [](T a, T b) { return std::min(a, b); });
  expect_combined<T>(Combine::max, [](T a, T b) { return std::max(a, b); });
  const auto either = [](const T& a, const T& b) { return static_cast<T>(a * b - b); };
  expect_combined<T>(Combine::of<T>(either), either);
}

TEST(Combining, IsThatOfAPlainLoopForAllNumbers) {
  expect_all_ways<float>();
  expect_all_ways<double>();
  expect_all_ways<long double>();
  expect_all_ways<std::int32_t>();
  expect_all_ways<std::int64_t>();
  expect_all_ways<std::uint32_t>();
  expect_all_ways<std::uint64_t>();
#ifdef HALOCLINE_HAS_FLOAT16
  expect_all_ways<_Float16>();
#endif
  expect_combined<std::complex<float>>(Combine::sum, std::plus<>());
  expect_combined<std::complex<double>>(Combine::sum, std::plus<>());
  expect_combined<std::complex<double>>(Combine::of<std::complex<double>>(std::multiplies<>()),
                                        std::multiplies<>());
  expect_combined<bool>(Combine::sum, std::logical_or<>());
  expect_combined<bool>(Combine::max, std::logical_or<>());
  expect_combined<bool>(Combine::min, std::logical_and<>());
}

TEST(Combining, TakesAFunctionOfAState) {
  const double factor = 0.25;
  const auto relaxed = [factor](double a, double b) { return a + factor * (b - a); };
  expect_combined<double>(Combine::of<double>(relaxed), relaxed);
}

}  // namespace
}  // namespace halocline::detail
