// Arrays that become spread over the ranks in another way, from one field into another, through
// every scheme: against a walk over all cells.

#include "common/changing_graph.hpp"
#include "common/complaint.hpp"
#include "common/redistributions.hpp"
#include "common/tested_schemes.hpp"

#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>
#include <halocline/more/waiting.hpp>

#include <gtest/gtest.h>
#include <cstring>

using namespace halocline;

namespace {

std::vector<std::string> schemes() {
  std::vector<std::string> some = tested_schemes();
  for (const char* scheme :
       {"p2p:nonblocking+pack=off", "shm:signal+access=copy", "shm:message+access=copy+island=2",
        "rma:put:fence+pack=off", "rma:put:fence+pack=off+alloc=create",
        "rma:get:fence+pack=off+alloc=create", "rma:put:pscw+pack=off+alloc=dynamic",
        "rma:get:lock+pack=off", "rma:put:flush+alloc=shared", "p2p:persistent+heads=1",
        "rma:put:fence+pack=off+heads=2", "shm:signal+access=copy+heads=1"})
    if (!is_broken(scheme)) some.push_back(scheme);
  return some;
}

/// A number of a cell and a step in two words: complex, say.
using Element = std::array<std::int64_t, 2>;
Element value(std::int64_t cell, int step) {
  return {cell, cell == outside ? outside : 1000 * cell + step};
}

/// Two arrays that are written, redistributed and looked at, several times over.
void run(const std::string& scheme, unsigned seed, std::int64_t longest) {
  const int ranks = mpi::size(world()), me = mpi::rank(world());
  const RandomRedistribution random(seed, ranks, longest);
  SCOPED_TRACE(scheme + ", " + random.text);
  const Pattern pattern = Pattern::between(random.from, random.to, me);
  const Array<Element> from(world(), random.from.elements(me), Scheme(scheme));
  const Array<Element> to(world(), random.to.elements(me), Scheme(scheme));
  // Every second one reads in place where the scheme can; the others find what was received.
  Exchange exchange(world(), pattern, from, to, Scheme(scheme),
                    {.halos = seed % 2 == 0 ? Halos::in_place : Halos::filled});
  EXPECT_FALSE(seed % 2 == 1 && exchange.direct());
  const std::vector<std::int64_t> before = random.before(me), after = random.after(me);
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < before.size(); ++i) from[i] = value(before[i], step);
    std::fill(to.begin(), to.end(), value(outside, 0));
    exchange.run();
    if (exchange.direct())
      for (std::size_t l = 0; l < pattern.receives().size(); ++l) {
        std::size_t next = 0;
        const auto lands = elements(pattern.receives()[l]);
        for (std::size_t b = 0; b < pattern.receives()[l].blocks.size(); ++b) {
          const Block& block = pattern.receives()[l].blocks[b];
          const HaloView view = exchange.view(l, b);
          for (std::size_t plane = 0; plane < block.count[0]; ++plane)
            for (std::size_t row = 0; row < block.count[1]; ++row)
              for (std::size_t i = 0; i < block.count[2]; ++i)
                std::memcpy(&to[static_cast<std::size_t>(lands[next++])],
                            view.data + static_cast<std::ptrdiff_t>(plane) * view.stride[0] +
                                static_cast<std::ptrdiff_t>(row) * view.stride[1] +
                                static_cast<std::ptrdiff_t>(i * sizeof(Element)),
                            sizeof(Element));
        }
      }
    for (std::size_t i = 0; i < after.size(); ++i)
      ASSERT_EQ(to[i], value(after[i], step)) << "step " << step << ", element " << i;
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_EQ(from[i], value(before[i], step));
    // Nothing says that a reader of my cells is done, if it sends me none.
    if (exchange.direct()) {
      MPI_Request all = MPI_REQUEST_NULL;
      HALOCLINE_MPI(MPI_Ibarrier, world(), &all);
      wait_one("test", all);
    }
  }
}

}  // namespace

class Redistribution : public testing::TestWithParam<std::string> {};

TEST_P(Redistribution, BringsEveryCellWhereItBelongs) {
  const unsigned rounds = mpi::size(world()) <= 2 ? 12 : 5;
  for (unsigned seed = 0; seed < rounds; ++seed) run(GetParam(), seed, 9);
  run(GetParam(), 100, 40);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Redistribution, testing::ValuesIn(schemes()), name_of_scheme);

TEST(TwoFields, AreChosenForByAuto) {
  const QuickTuning quick;
  run("auto", 3, 30);
}

TEST(TwoFields, MayAddWhatLands) {
  const int ranks = mpi::size(world()), me = mpi::rank(world());
  for (const char* scheme : {"p2p:nonblocking", "rma:accumulate:fence", "shm:signal"}) {
    if (is_broken(scheme)) continue;
    const Distribution rows({12, 8}, {ranks, 1}), columns({12, 8}, {1, ranks});
    const Array<double> from(world(), rows.elements(me), Scheme(scheme));
    const Array<double> to(world(), columns.elements(me), Scheme(scheme));
    Exchange exchange(world(), Pattern::between(rows, columns, me), from, to, scheme,
                      {.combine = Combine::sum, .any_order = true});
    std::fill(from.begin(), from.end(), 3.0);
    std::fill(to.begin(), to.end(), 0.5);
    for (int step = 0; step < 2; ++step) exchange.run();
    for (const double sum : to) ASSERT_EQ(sum, 6.5) << scheme;
    for (const double cell : from) ASSERT_EQ(cell, 3.0) << scheme;
  }
}

TEST(TwoFields, MustFitEachOther) {
  std::vector<double> some(4);
  std::vector<float> others(4);
  const auto refusal = [&](std::vector<Field> from, const std::vector<Field>& to) {
    return complaint([&] {
      Pattern pattern;
      pattern.copy({.offset = 0, .count = {1, 1, 4}}, {.offset = 2, .count = {1, 1, 4}});
      Exchange exchange(world(), pattern, std::move(from), to, "p2p:nonblocking");
    });
  };
  const Field first = field(some.data(), 4);
  EXPECT_NE(
      refusal({first}, {field(others.data(), 8)}).find("of 8 bytes, but is received in one of 4"),
      std::string::npos);
  EXPECT_NE(refusal({first}, {first, first}).find("2 are there"), std::string::npos);
  EXPECT_NE(refusal({first}, {first}).find("reaches to 6"), std::string::npos);
}

TEST(Grid, BringsAnArrayThatWasReadBeforeRenumbering) {
  const Grid grid(world(), {13, 11}, {.halo = HaloWidth{1, 2}, .renumber = true, .nodes = "2"});
  const int me = mpi::rank(world());
  // As if the ranks of the world had read the parts of their numbers.
  const Distribution before({13, 11}, grid.dims());
  const Distribution after = grid.distribution(world());
  const Array<double> from(world(), before.elements(me)), to(world(), after.elements(me));
  for (const auto& part : before.parts_of(me))
    for (std::int64_t i = part.cells[0].begin; i < part.cells[0].end; ++i)
      for (std::int64_t j = part.cells[1].begin; j < part.cells[1].end; ++j)
        from[static_cast<std::size_t>((i - part.cells[0].begin) * part.stride[0] + j -
                                      part.cells[1].begin)] = static_cast<double>(100 * i + j);
  Exchange(world(), Pattern::between(before, after, me), from, to, "p2p:nonblocking").run();
  ASSERT_EQ(to.size(), grid.elements());
  if (grid.idle()) return;
  for (std::int64_t i = 0; i < grid.owned(0).size(); ++i)
    for (std::int64_t j = 0; j < grid.owned(1).size(); ++j)
      ASSERT_EQ(to[static_cast<std::size_t>((i + 1) * grid.local(1) + j + 1)],
                static_cast<double>(100 * (grid.owned(0).begin + i) + grid.owned(1).begin + j));
}
