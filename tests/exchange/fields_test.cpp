// Fields as people have them: arrays of any order and stride, parts of arrays, constant ones;
// several patterns in one message; and what cannot be, which is an Error on all ranks.

#include <gtest/gtest.h>
#include <halocline/array.hpp>
#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>
#include <halocline/more/async_exchange.hpp>

#include "common/complaint.hpp"
#include "common/its_turn.hpp"
#include "common/ranks.hpp"
#include "common/tested_schemes.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

using namespace halocline;

namespace {

/// A view as std::mdspan and Kokkos have it.
template <class T>
struct Strided {
  T* first;
  std::array<std::size_t, 3> extents;
  std::array<std::ptrdiff_t, 3> strides;
  static constexpr std::size_t rank() { return 3; }
  T* data_handle() const { return first; }
  std::size_t extent(std::size_t axis) const { return extents[axis]; }
  std::ptrdiff_t stride(std::size_t axis) const { return strides[axis]; }
};

const Scheme scheme("p2p:nonblocking");

int after() {
  return (mpi::rank(world()) + 1) % mpi::size(world());
}
int before() {
  return (mpi::rank(world()) + mpi::size(world()) - 1) % mpi::size(world());
}

/// Sends elements [0, count) to the next rank, which receives them from element `at` on; alone,
/// copies them.
Pattern ring(std::size_t count, std::ptrdiff_t at) {
  const Block sent{.count = {1, 1, count}}, received{.offset = at, .count = {1, 1, count}};
  if (mpi::size(world()) > 1) return Pattern::shift(after(), sent, before(), received);
  Pattern alone;
  alone.copy(sent, received);
  return alone;
}

const Grid& grid() {
  static const Grid one(world(), {4 * mpi::size(world()), 3, 5},
                        {.periodic = {true, true, true}, .dims = {mpi::size(world()), 1, 1}});
  return one;
}

double value(int rank, std::size_t element) {
  return 1000.0 * rank + static_cast<double>(element);
}

/// What the grid's array holds after an exchange, if each element was `value` on its rank.
std::vector<double> reference() {
  std::vector<double> cells(grid().elements());
  for (std::size_t e = 0; e < cells.size(); ++e) cells[e] = value(mpi::rank(world()), e);
  Exchange(grid().halo(), field(cells.data(), cells.size()), scheme).run();
  return cells;
}

/// Fills a field, exchanges it, and compares it with the reference.
void expect_exchanged(const Field& of) {
  const auto at = [&](std::size_t e) -> double& {
    return *reinterpret_cast<double*>(static_cast<std::byte*>(of.data) + of.place(e));
  };
  for (std::size_t e = 0; e < grid().elements(); ++e) at(e) = value(mpi::rank(world()), e);
  Exchange(grid().halo(), of, scheme).run();
  const std::vector<double> expected = reference();
  for (std::size_t e = 0; e < expected.size(); ++e) ASSERT_EQ(at(e), expected[e]) << e;
}

std::vector<std::int64_t> extents() {
  return {grid().local(0), grid().local(1), grid().local(2)};
}

/// A grid of which each rank has 4 x 5 cells and a halo.
const Grid& plane() {
  static const Grid one(world(), {4 * mpi::size(world()), 5},
                        {.periodic = {true, true}, .dims = {mpi::size(world()), 1}});
  return one;
}

// However a pattern is made, elements of a field with several axes have the same numbers as in the
// array that it counts in; a field without axes is counted as it lies.
TEST(Fields, HaveTheExtentsInWhichThePatternCounts) {
  std::vector<double> cells(4 * 81), to(4 * 81);
  const auto of = [&](const std::vector<std::int64_t>& extents, double* data = nullptr) {
    return field(data == nullptr ? cells.data() : data, extents);
  };
  const bool last = mpi::rank(world()) == mpi::size(world()) - 1;
  const std::string begin = "exchange: rank " + std::to_string(mpi::size(world()) - 1) + ": ";
  const auto refused = [&](const std::string& said, const std::string& words) {
    EXPECT_NE(said.find(words), std::string::npos) << said << "\n" << words;
  };
  const auto halo = plane().halo();
  const std::string seven =
      "field 0 has 6 x 8 elements, but the pattern counts in an array of "
      "6 x 7 with its halos (slowest axis first)";
  const auto bind = [&](const Pattern& pattern, const Field& field) {
    return complaint([&] { Exchange(world(), pattern, {field}, scheme); });
  };
  EXPECT_EQ(bind(halo, of({6, last ? 8 : 7})), begin + seven);
  refused(bind(halo.reversed(), of({7, 7})), "field 0 has 7 x 7 elements");
  for (const Field& same : {of({42}), of({6, 1, 7}), of({2, 3, 7}),
                            field(cells.data(), {6, 7}, {9, 1}), field(cells.data(), 50)})
    EXPECT_EQ(bind(halo, same), "");
  refused(bind(halo, of({7, 6})), "7 x 6");
  refused(bind(halo, of({50})), "field 0 has 50 elements, but the pattern counts in");
  refused(bind(halo, of({6, 7, 2})), "6 x 7 x 2");
  refused(complaint([&] {
            Exchange(world(), {{halo, {of({6, 7})}}, {halo, {of({6, 8}, to.data())}}}, scheme);
          }),
          "field 1 has 6 x 8");
  const std::vector<std::vector<Field>> parts = {{of({6, 7})}, {of({6, 8}, to.data())}};
  refused(complaint([&] {
            Exchange(world(), Pattern::united(std::vector{halo, halo}), parts, scheme);
          }),
          "field 1 has 6 x 8");

  // Boxes: one a rank, two of the same size, and two arrays.
  std::vector<std::vector<Box>> one, two;
  for (int rank = 0; rank < mpi::size(world()); ++rank) {
    one.push_back({{{10 * rank, 10 * rank + 10}, {0, 10}}});
    two.push_back({one.back().front(), {{10 * rank, 10 * rank + 10}, {10, 20}}});
  }
  const DistributionOptions wide{.halos = {HaloWidth(1), HaloWidth(1)}};
  const auto halos_of = [&](const auto& boxes, bool own_arrays = false) {
    return Pattern::halo_of(Distribution::of_boxes(boxes, wide), mpi::rank(world()),
                            {.own_arrays = own_arrays});
  };
  EXPECT_EQ(bind(halos_of(one), of({12, 12})), "");
  refused(bind(halos_of(one), of({14, 14})),
          "14 x 14 elements, but the pattern counts in an array "
          "of 12 x 12");
  EXPECT_EQ(bind(halos_of(two), of({2, 12, 12})), "");
  refused(bind(halos_of(two), of({2, 12, 13})), "in an array of 288 with");
  const std::vector<std::vector<Field>> boxes = {{of({12, 12})}, {of({12, 13}, to.data())}};
  refused(complaint([&] { Exchange(world(), halos_of(two, true), boxes, scheme); }),
          "field 1 has 12 x 13");

  // Other arrays are received in; and a pattern that takes the place of another.
  const int ranks = mpi::size(world());
  const Pattern turn = Pattern::between(
      Distribution({4 * ranks, 6 * ranks}, {ranks, 1}),
      Distribution({4 * ranks, 6 * ranks}, {1, ranks}, {.order = {1, 0}}), mpi::rank(world()));
  const auto redistribute = [&](const Field& received) {
    return complaint([&] {
      Exchange(world(), turn, {of({4, 6 * ranks})}, std::vector{received}, scheme);
    });
  };
  EXPECT_EQ(redistribute(of({6, 4 * ranks}, to.data())), "");
  refused(redistribute(of({4 * ranks + 1, 6}, to.data())), "field 1 has ");
  Exchange changing(world(), halo, {of({6, 7})}, scheme, {.changes = true});
  refused(complaint([&] { changing.change(halo, {of({6, 8})}); }), seven);
  Exchange unbound_one(world(), halo, {unbound<double>()}, scheme);
  unbound_one.run(of({6, 7}));
  refused(complaint([&] { unbound_one.run(of({6, 8})); }), seven);
  AsyncExchange news(world(), halo, sizeof(double), scheme);
  EXPECT_EQ(news.cells_of(of({6, 7})), cells.data());
  refused(complaint([&] { news.cells_of(of({6, 8})); }), "the array has 6 x 8");
  refused(complaint([&] { news.cells_of(field(cells.data(), {6, 7}, {9, 1})); }), "follow");

  // Blocks say nothing but by count_in. What pads rows is another array.
  Pattern row = ring(2, 9);
  EXPECT_EQ(bind(row, of({5, 5})), "");
  row.count_in({}, {4, 4});
  refused(bind(row, of({5, 5})), "in an array of 4 x 4");
  refused(complaint([&] { row.count_in({}, {5, 5}); }), "an array of 5 x 5, but others");
  EXPECT_EQ(bind(halo.padded({0, 80, 8}, 6, 7), of({10, 8})), "");
}

}  // namespace

TEST(Fields, HaveAnyOrder) {
  std::vector<double> cells(grid().elements());
  expect_exchanged(field(cells.data(), extents()));
  expect_exchanged(field(cells.data(), extents(), fortran_order(extents())));
  expect_exchanged(field(std::span(cells)));
}

TEST(Fields, HavePaddedRowsAndGoBackwards) {
  const std::vector<std::int64_t> all = extents();
  std::vector<double> cells(static_cast<std::size_t>(all[0] * all[1] * (all[2] + 3)), -1);
  expect_exchanged(field(cells.data(), all, c_order({all[0], all[1], all[2] + 3})));
  EXPECT_EQ(cells[static_cast<std::size_t>(all[2])], -1);
  const std::int64_t last = all[0] * all[1] * all[2] - 1;
  expect_exchanged(field(cells.data() + last, all, {-all[1] * all[2], -all[2], -1}));
}

TEST(Fields, AreViewsOfOthers) {
  const auto size = [](int axis) { return static_cast<std::size_t>(grid().local(axis)); };
  const auto step = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  std::vector<double> cells(grid().elements());
  expect_exchanged(field(Strided<double>{
      cells.data(), {size(0), size(1), size(2)}, {1, step(size(0) * size(2)), step(size(0))}}));
}

TEST(Fields, AreMembersAndComponents) {
  struct Cell {
    float colour;
    double pressure;
    double velocity[3];
  };
  std::vector<Cell> cells(grid().elements());
  const Field all = field(cells.data(), cells.size());
  expect_exchanged(all.member(&Cell::pressure));
  EXPECT_EQ(all.member(&Cell::velocity).element_bytes, 3 * sizeof(double));
  expect_exchanged(field(cells.data(), extents()).member(&Cell::pressure));

  // Several components of one array, along its fastest and its slowest axis.
  const std::vector<std::int64_t> n = extents();
  for (const std::size_t axis : {3u, 0u}) {
    std::vector<std::int64_t> with = n;
    with.insert(axis == 3 ? with.end() : with.begin(), 2);
    std::vector<double> values(2 * grid().elements());
    for (std::size_t e = 0; e < values.size(); ++e)
      values[e] = value(mpi::rank(world()), axis == 3 ? e / 2 : e % grid().elements());
    const std::vector<Field> both = field(values.data(), with).components(axis);
    ASSERT_EQ(both.size(), 2u);
    Exchange(grid().halo(), both, "rma:put:fence+pack=off+alloc=create").run();
    const std::vector<double> expected = reference();
    for (std::size_t e = 0; e < values.size(); ++e)
      ASSERT_EQ(values[e], expected[axis == 3 ? e / 2 : e % grid().elements()]);
  }
}

TEST(Fields, ArePartsOfLargerOnes) {
  std::vector<std::int64_t> larger = extents();
  for (std::int64_t& extent : larger) extent += 4;
  Array<double> cells(world(), static_cast<std::size_t>(larger[0] * larger[1] * larger[2]),
                      "shm:signal+access=copy");
  std::fill(cells.begin(), cells.end(), -1.0);
  const Field all = Field(cells).shaped(larger, fortran_order(larger));
  expect_exchanged(all.box({1, 2, 3}, extents()));
  EXPECT_EQ(std::ranges::count(cells.span(), -1.0),
            static_cast<std::ptrdiff_t>(cells.size() - grid().elements()));
  EXPECT_NE(complaint([&] {
              all.box({1, 2, 5}, extents());
            }).find("not inside"),
            std::string::npos);
  EXPECT_NE(complaint([&] {
              Field(cells).shaped(larger, {1, 1, 1 << 20});
            }).find("does not lie"),
            std::string::npos);
}

TEST(Fields, AreViewedWhereTheyLie) {
  std::vector<double> cells(grid().elements());
  const Field of = field(cells.data(), extents(), fortran_order(extents()));
  Exchange exchange(grid().halo(), of, "shm:signal+access=direct", {.halos = Halos::in_place});
  EXPECT_FALSE(exchange.direct());
  EXPECT_EQ(exchange.scheme().option("access"), "copy");
  const auto* const base = reinterpret_cast<const std::byte*>(cells.data());
  for (std::size_t link = 0; link < exchange.pattern().receives().size(); ++link) {
    const std::vector<Block>& blocks = exchange.pattern().receives()[link].blocks;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const HaloView view = exchange.view(link, b);
      std::ptrdiff_t last = 0, number = blocks[b].offset;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto steps = static_cast<std::ptrdiff_t>(blocks[b].count[axis]) - 1;
        last += steps * view.stride[axis];
        number += steps * (axis < 2 ? blocks[b].stride[axis] : 1);
      }
      EXPECT_EQ(view.data, base + of.place(static_cast<std::size_t>(blocks[b].offset)));
      EXPECT_EQ(view.data + last, base + of.place(static_cast<std::size_t>(number)));
    }
  }
}

// An array of malloc's, a vector, and a part of a larger array, by every combination of options.
// On more ranks than cores it would take long.
TEST(Fields, InTheCallersOwnMemoryGoByEveryScheme) {
  if (ranks() != 2) GTEST_SKIP() << "is for two ranks";
  constexpr std::size_t count = 5, both = 2 * count;
  const std::unique_ptr<void, decltype(&std::free)> allocated(std::malloc(both * sizeof(double)),
                                                              &std::free);
  std::vector<float> vector(both);
  std::vector<double> larger(4 * both);
  const std::vector<Field> fields{field(static_cast<double*>(allocated.get())),
                                  field(vector.data(), both),
                                  field(larger.data() + 2, {both}, {4})};
  // The bytes of an element as `rank` has them in a step.
  const auto bytes = [](std::size_t f, int rank, std::size_t element, int step) {
    const double cell = value(rank, 20 * f + element) + 100 * step;
    const auto single = static_cast<float>(cell);
    std::array<std::byte, sizeof(double)> all{};
    std::memcpy(all.data(), f == 1 ? static_cast<const void*>(&single) : &cell,
                f == 1 ? sizeof(single) : sizeof(cell));
    return all;
  };
  const auto each = [&](std::size_t some, auto&& visit) {
    for (std::size_t f = 0; f < some; ++f)
      for (std::size_t e = 0; e < both; ++e)
        visit(f, e, static_cast<std::byte*>(fields[f].data) + fields[f].place(e));
  };
  // With the first fields, of which elements follow each other, halos could be read in place.
  const auto check = [&](const std::string& name, std::size_t some, std::size_t copied) {
    Exchange exchange(ring(count, count), std::span(fields).first(some), name,
                      {.halos = Halos::in_place});
    EXPECT_FALSE(exchange.direct()) << name;
    for (int step = 0; step < 2; ++step) {
      each(some, [&](std::size_t f, std::size_t e, std::byte* at) {
        std::memcpy(at, bytes(f, me(), e, step).data(), fields[f].element_bytes);
      });
      exchange.run();
      each(some, [&](std::size_t f, std::size_t e, std::byte* at) {
        const auto expected =
            e < count ? bytes(f, me(), e, step) : bytes(f, before(), e - count, step);
        EXPECT_EQ(std::memcmp(at, expected.data(), fields[f].element_bytes), 0)
            << name << ", field " << f << ", element " << e << ", step " << step;
      });
    }
    const std::string said = exchange.memory_hint(),
                      part = "copies " + std::to_string(copied) + " bytes more in a step";
    if (copied == 0)
      EXPECT_EQ(said, "") << name;
    else
      EXPECT_NE(said.find(part), said.npos) << name << ": " << said;
  };
  constexpr std::size_t dense = count * (sizeof(double) + sizeof(float)),
                        all = dense + count * sizeof(double);
  unsigned turn = 0;
  for (const std::string& name : without_broken(scheme_combinations())) {
    if (!its_turn(turn++)) continue;
    // Others would reach the cells themselves, which the caller may free before they have.
    const bool by_others = name.starts_with("rma:accumulate") ||
                           (name.starts_with("rma") && name.find("pack=off") != name.npos);
    const bool reached = Scheme(name).memory() == MemoryKind::plain && !by_others;
    check(name, 3, reached ? 0 : name.starts_with("shm") ? all : 2 * all);
    if (Scheme(name).reads_in_place()) check(name, 2, 2 * dense);
  }
}

TEST(Fields, InMemoryOfTheLibraryAreNotCopiedForIt) {
  if (ranks() != 2) GTEST_SKIP() << "is for two ranks";
  unsigned turn = 0;
  for (const std::string& name : without_broken(scheme_combinations())) {
    if (!its_turn(turn++) || Scheme(name).memory() == MemoryKind::plain) continue;
    Array<double> cells(world(), 6, name);
    EXPECT_EQ(Exchange(ring(3, 3), cells, name).memory_hint(), "") << name;
  }
}

TEST(Fields, OfConstantElementsAreSentOnly) {
  const std::vector<double> constant{1, 2, 3};
  std::vector<double> there(3, 0);
  const Field from = field(constant.data(), constant.size());
  Exchange(world(), ring(3, 0), from, field(there.data(), there.size()), scheme).run();
  EXPECT_EQ(there, constant);
  const std::string said = complaint([&] { Exchange(ring(1, 2), from, scheme); });
  EXPECT_NE(said.find("constant"), std::string::npos) << said;
  EXPECT_NE(complaint([&] {
              Exchange(world(), ring(3, 0), field(there.data(), 3), from, scheme);
            }).find("constant"),
            std::string::npos);
}

// Whoever is wrong, all ranks say the same.
TEST(Fields, MustHoldWhatThePatternNames) {
  std::vector<double> cells(8, 0);
  const bool last = mpi::rank(world()) == mpi::size(world()) - 1;
  const auto refusal = [&](const Field& of) {
    return complaint([&] { Exchange(ring(2, 4), of, scheme); });
  };
  const std::string rank = "rank " + std::to_string(mpi::size(world()) - 1);
  EXPECT_EQ(refusal(field(cells.data(), last ? 5 : 6)),
            "exchange: " + rank + ": field 0 has 5 elements, but the pattern reaches to 6");
  EXPECT_EQ(refusal(field(cells.data(), last ? 0 : 6)),
            "exchange: " + rank + ": field 0 has 0 elements, but the pattern reaches to 6");
  EXPECT_EQ(refusal(last ? field(cells.data(), {1, 5}, {5, 1}) : field(cells.data(), 6)),
            "exchange: " + rank + ": field 0 has 5 elements, but the pattern reaches to 6");
  EXPECT_NE(refusal(field(cells.data(), {2, 3}, {1, 1})).find("lie on one another"),
            std::string::npos);
  // Below the array, and beyond what there can be.
  Pattern pattern;
  EXPECT_THROW(pattern.send(0, {.offset = -1}), Error);
  EXPECT_THROW(pattern.receive(0, {.offset = 3, .count = {1, 3, 1}, .stride = {0, -2}}), Error);
  EXPECT_THROW(pattern.send(0, {.offset = 1, .count = {1, 2, 1}, .stride = {0, PTRDIFF_MAX}}),
               Error);
  EXPECT_THROW(field(cells.data(), {2, -1}), Error);
  EXPECT_THROW(field(cells.data(), {2, 2}, {1}), Error);
  EXPECT_THROW(field(cells.data(), {1, 1, 1, 1, 1, 1}), Error);
  EXPECT_THROW(field(cells.data(), {2, 2}, {1, INT64_MAX}), Error);
}

TEST(Fields, MustHoldWhatANewPatternNames) {
  std::vector<double> cells(8, 0);
  const std::vector<double> constant(8, 0);
  Exchange exchange(ring(2, 4), field(cells.data(), 6), scheme, {.changes = true});
  const auto refusal = [&](const Pattern& pattern, const std::vector<Field>& fields) {
    return complaint([&] { exchange.change(pattern, fields); });
  };
  EXPECT_NE(refusal(ring(2, 5), {}).find("field 0 has 6 elements, but the pattern reaches to 7"),
            std::string::npos);
  EXPECT_NE(refusal(ring(2, 4), {field(constant.data(), 8)}).find("constant"), std::string::npos);
  EXPECT_NE(refusal(ring(2, 4), std::vector<Field>(2)).find("2 fields, but"), std::string::npos);
  EXPECT_EQ(refusal(ring(2, 5), {field(cells.data(), 8)}), "");
  exchange.run();
}

TEST(Fields, DoNotLieOnOneAnother) {
  std::vector<double> cells(12, 0);
  const auto refusal = [&](std::vector<Field> fields) {
    return complaint([&] { Exchange(ring(2, 4), std::move(fields), scheme); });
  };
  const Field one = field(cells.data(), 6);
  EXPECT_NE(refusal({one, one}).find("fields 0 and 1 lie on one another"), std::string::npos);
  EXPECT_NE(refusal({one, field(cells.data() + 5, 6)}).find("lie on one another"),
            std::string::npos);
  EXPECT_EQ(refusal({one, field(cells.data() + 6, 6)}), "");
  // Their elements alternate: in pairs, and cell by cell.
  EXPECT_EQ(refusal({field(cells.data(), {6}, {2}), field(cells.data() + 1, {6}, {2})}), "");
  EXPECT_EQ(refusal({field(cells.data(), {3, 2}, {4, 1}), field(cells.data() + 2, {3, 2}, {4, 1})}),
            "");
  EXPECT_NE(refusal({field(cells.data(), {3, 2}, {4, 1}), field(cells.data() + 1, {3, 2}, {4, 1})})
                .find("lie on one another"),
            std::string::npos);
}

TEST(Fields, AreAddedToWhereTheyLie) {
  for (const char* how : {"p2p:nonblocking", "shm:signal", "rma:accumulate:fence"}) {
    const std::vector<std::int64_t> n = extents();
    std::vector<double> plain(grid().elements()), turned(plain.size());
    const Field of = field(turned.data(), n, fortran_order(n));
    for (std::size_t e = 0; e < plain.size(); ++e)
      turned[static_cast<std::size_t>(of.place(e)) / 8] = plain[e] = value(mpi::rank(world()), e);
    const Pattern back = grid().halo().reversed();
    const ExchangeOptions add{.combine = Combine::sum, .any_order = true};
    Exchange(back, field(plain.data(), plain.size()), how, add).run();
    Exchange(back, of, how, add).run();
    for (std::size_t e = 0; e < plain.size(); ++e)
      ASSERT_EQ(turned[static_cast<std::size_t>(of.place(e)) / 8], plain[e]) << how << ' ' << e;
  }
}

TEST(Exchanges, SayWhatTheyAreOf) {
  std::vector<double> cells(6, 0);
  const Pattern pattern = ring(2, 4);
  Exchange exchange(pattern, field(cells.data(), cells.size()), scheme);
  int same = MPI_UNEQUAL;
  MPI_Comm_compare(exchange.comm(), world(), &same);
  EXPECT_EQ(same, MPI_CONGRUENT);
  EXPECT_EQ(exchange.pattern().sends().size(), pattern.sends().size());
  ASSERT_EQ(exchange.fields().size(), 1u);
  EXPECT_EQ(exchange.fields()[0].data, cells.data());
}

namespace {

/// Two patterns of other fields, of other lengths: a ring, and its way back.
struct Staggered {
  std::vector<double> a = std::vector<double>(6), b = std::vector<double>(6);
  std::vector<float> c = std::vector<float>(9);
  Staggered() {
    const int me = mpi::rank(world());
    for (std::size_t i = 0; i < 6; ++i) a[i] = value(me, i), b[i] = -value(me, i);
    for (std::size_t i = 0; i < 9; ++i) c[i] = static_cast<float>(0.5 + value(me, i));
  }
  std::vector<ExchangePart> parts() {
    return {{ring(2, 4), {field(a.data(), 6), field(b.data(), 6)}},
            {ring(3, 5).reversed(), {field(c.data(), 9)}}};
  }
  void expect_exchanged() const {
    Staggered alone;
    for (ExchangePart& part : alone.parts()) Exchange(part.pattern, part.fields, scheme).run();
    EXPECT_EQ(a, alone.a);
    EXPECT_EQ(b, alone.b);
    EXPECT_EQ(c, alone.c);
  }
};

}  // namespace

TEST(Parts, TravelInOneMessage) {
  for (const char* how : {"p2p:persistent+pack=off", "p2p:sendrecv", "neighbor:nonblocking",
                          "rma:put:fence+pack=off+alloc=create", "rma:get:flush", "shm:signal",
                          "shm:message+access=copy", "p2p:nonblocking+heads=1", "auto"}) {
    SCOPED_TRACE(how);
    Staggered all;
    Exchange exchange(world(), all.parts(), how);
    // Pairs of ranks exchange both parts.
    if (mpi::size(world()) == 2) {
      EXPECT_EQ(exchange.pattern().sends().size(), 1u);
    }
    if (mpi::size(world()) > 1) {
      EXPECT_EQ(exchange.bytes_sent(), 2 * 2 * sizeof(double) + 3 * sizeof(float));
    }
    EXPECT_EQ(exchange.fields().size(), 3u);
    exchange.run();
    all.expect_exchanged();
  }
}

TEST(Parts, AreMarkedReadyElementByElement) {
  if (mpi::size(world()) == 1) GTEST_SKIP() << "needs two ranks";
  for (const char* how : {"p2p:nonblocking", "p2p:partitioned"}) {
    if (!is_usable(how)) continue;
    Staggered all;
    Exchange exchange(world(), all.parts(), how);
    exchange.open();
    for (std::size_t link = 0; link < exchange.pattern().sends().size(); ++link)
      for (std::size_t i = exchange.pattern().sends()[link].size(); i-- > 0;)
        exchange.ready(link, i, 1);
    for (std::size_t link = 0; link < exchange.pattern().receives().size(); ++link)
      exchange.await(link, 0, exchange.pattern().receives()[link].size());
    exchange.finish();
    all.expect_exchanged();
  }
}

TEST(Parts, AreCombinedAndChange) {
  for (const char* how : {"p2p:nonblocking", "rma:accumulate:fence", "shm:signal"}) {
    Staggered all, alone;
    Exchange(world(), all.parts(), how, {.combine = Combine::sum}).run();
    for (ExchangePart& part : alone.parts())
      Exchange(part.pattern, part.fields, scheme, {.combine = Combine::sum}).run();
    EXPECT_EQ(all.a, alone.a);
    EXPECT_EQ(all.c, alone.c);
  }
  Staggered all;
  Exchange exchange(world(), all.parts(), scheme, {.changes = true});
  Pattern same = exchange.pattern();
  exchange.change(std::move(same));
  exchange.run();
  all.expect_exchanged();
}

// Ranks number parts as they like: each rank's array that is sent has another number.
TEST(Parts, MayHaveOtherNumbersOnOtherRanks) {
  const int mine = mpi::rank(world()) % 2;
  std::vector<double> sent(4), received(4, -1);
  for (std::size_t i = 0; i < 4; ++i) sent[i] = value(mpi::rank(world()), i);
  std::vector<std::vector<Field>> fields(2);
  fields[static_cast<std::size_t>(mine)] = {field(sent.data(), 4)};
  fields[static_cast<std::size_t>(1 - mine)] = {field(received.data(), 4)};
  Pattern pattern;
  const Block from{.count = {1, 1, 4}, .part = mine}, to{.count = {1, 1, 4}, .part = 1 - mine};
  if (mpi::size(world()) == 1) {
    pattern.copy(from, to);
  } else {
    pattern.send(after(), from);
    pattern.receive(before(), to);
  }
  Exchange(world(), pattern, fields, "rma:put:fence+pack=off+alloc=create").run();
  EXPECT_EQ(received[3], value(before(), 3));
}

TEST(Parts, ThatDoNotFitAreRefusedOnAllRanks) {
  Staggered all;
  const auto refusal = [&](std::vector<ExchangePart> parts) {
    return complaint([&] { Exchange(world(), std::move(parts), scheme); });
  };
  std::vector<ExchangePart> parts = all.parts();
  parts[1].fields[0].elements = 7;
  EXPECT_NE(refusal(parts).find("field 2 has 7 elements, but the pattern reaches to 8"),
            std::string::npos);
  parts = all.parts();
  parts[1].fields = {field(all.a.data(), 9)};
  EXPECT_NE(refusal(parts).find("fields 0 and 2 lie on one another"), std::string::npos);
  parts = all.parts();
  parts[1].pattern = ring(3, 2);
  EXPECT_NE(refusal(parts).find("element 2 of part 1 is sent"), std::string::npos);
  Pattern third;
  const Block block{.count = {1, 1, 2}, .part = 2};
  mpi::size(world()) == 1 ? third.copy(block, block)
                          : (third.send(after(), block), third.receive(before(), block));
  const std::vector<std::vector<Field>> two(2, {field(all.a.data(), 6)});
  EXPECT_NE(complaint([&] { Exchange(world(), third, two, scheme); }).find("of part 2, but there"),
            std::string::npos);
}
