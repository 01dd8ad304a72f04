// The code of docs/how-to/several-blocks-a-rank.md, where it can be compiled and run; test_code.py
// sees to it that it is the same.

#include <halocline/halocline.hpp>

#include <gtest/gtest.h>

namespace {

using namespace halocline;

constexpr const char* scheme = "shm:signal";

double initial(std::int64_t i, std::int64_t j) {
  return static_cast<double>(100 * i + j);
}

/// Whether a block holds its cells and, along the faces, those of others.
void expect_filled(const Distribution::Part& part, const double* first) {
  for (std::int64_t i = -1; i <= part.cells[0].size(); ++i)
    for (std::int64_t j = -1; j <= part.cells[1].size(); ++j) {
      const std::int64_t x = part.cells[0].begin + i, y = (part.cells[1].begin + j + 12) % 12;
      if (x < 0 || x >= 8) continue;
      EXPECT_EQ(first[i * part.stride[0] + j * part.stride[1]], initial(x, y)) << x << ", " << y;
    }
}

TEST(SeveralBlocks, OfARank) {
  if (mpi::size(world()) != 3) GTEST_SKIP() << "is for three ranks";
  const int me = mpi::rank(world());
  // A grid of 8 x 12 cells in four blocks: rank 0 has two of them.
  const std::vector<std::vector<Box>> boxes = {{{{0, 4}, {0, 6}}, {{4, 8}, {0, 3}}},  // rank 0
                                               {{{0, 8}, {6, 12}}},                   // rank 1
                                               {{{4, 8}, {3, 6}}}};                   // rank 2
  const Distribution blocks = Distribution::of_boxes(boxes, {.halos = {1, 1}});
  const Pattern halo = Pattern::halo_of(blocks, me, {.periodic = {false, true}, .cells = {8, 12}});
  {
    Array<double> u(world(), blocks.elements(me), scheme);
    for (const auto& part : blocks.parts_of(me))
      for (std::int64_t i = 0; i < part.cells[0].size(); ++i)
        for (std::int64_t j = 0; j < part.cells[1].size(); ++j)
          u[part.offset + i * part.stride[0] + j * part.stride[1]] =
              initial(part.cells[0].begin + i, part.cells[1].begin + j);
    Exchange exchange(world(), halo, u, scheme);
    exchange.run();
    for (const auto& part : blocks.parts_of(me)) expect_filled(part, u.data() + part.offset);
  }
  const Pattern apart = Pattern::halo_of(
      blocks, me, {.periodic = {false, true}, .cells = {8, 12}, .own_arrays = true});
  std::vector<std::vector<double>> arrays;
  std::vector<std::vector<Field>> fields;  // of each block; there may be several
  for (const auto& part : blocks.parts_of(me)) {
    arrays.emplace_back(part.elements);
    fields.push_back({field(arrays.back().data(), part.elements)});
  }
  Exchange exchange(world(), apart, fields, scheme);
  for (const auto& part : blocks.parts_of(me))
    for (std::int64_t i = 0; i < part.cells[0].size(); ++i)
      for (std::int64_t j = 0; j < part.cells[1].size(); ++j)
        arrays[part.number][static_cast<std::size_t>(part.offset - part.begin + i * part.stride[0] +
                                                     j * part.stride[1])] =
            initial(part.cells[0].begin + i, part.cells[1].begin + j);
  exchange.run();
  for (const auto& part : blocks.parts_of(me))
    expect_filled(part, arrays[part.number].data() + (part.offset - part.begin));
}

}  // namespace
