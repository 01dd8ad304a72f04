// Every style carries out the same steps: those of a plain serial loop, bit for bit, whatever the
// ranks, their threads and the scheme.

#include <halocline/error.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/section.hpp>
#include <halocline/more/style.hpp>
#include <halocline/more/tuner.hpp>
#include <halocline/wait.hpp>

#include "common/complaint.hpp"
#include "common/ranks.hpp"
#include "common/tested_schemes.hpp"
#include "tuner/running.hpp"

#include <gtest/gtest.h>

#include <unistd.h>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

using namespace halocline;

#if MPI_VERSION >= 4
/// Partitions that this process has marked.
static std::atomic<int> marked{0};
extern "C" int MPI_Pready(int partition, MPI_Request request) {
  ++marked;
  return PMPI_Pready(partition, request);
}
#endif

namespace {

/// A step of a stencil of nine points, no two of which weigh the same, on a torus or in a box.
double next(const std::array<double, 9>& points) {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) sum += points[i] * (0.3 - 0.07 * double(i % 5));
  return sum;
}
double first(std::int64_t i, std::int64_t j) {
  return std::sin(double(7 * i + 3 * j * j + 1));
}

struct Problem {
  std::int64_t rows, columns;
  bool periodic;
  int steps;
};

std::vector<double> serial(const Problem& p) {
  const auto at = [&](const std::vector<double>& grid, std::int64_t i, std::int64_t j) {
    if (p.periodic) i = (i + p.rows) % p.rows, j = (j + p.columns) % p.columns;
    if (i < 0 || i >= p.rows || j < 0 || j >= p.columns) return 0.0;
    return grid[static_cast<std::size_t>(i * p.columns + j)];
  };
  std::vector<double> grid, after(static_cast<std::size_t>(p.rows * p.columns));
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t j = 0; j < p.columns; ++j) grid.push_back(first(i, j));
  for (int step = 0; step < p.steps; ++step) {
    for (std::int64_t i = 0; i < p.rows; ++i)
      for (std::int64_t j = 0; j < p.columns; ++j) {
        std::array<double, 9> points;
        for (int n = 0; n < 9; ++n)
          points[static_cast<std::size_t>(n)] = at(grid, i + n / 3 - 1, j + n % 3 - 1);
        after[static_cast<std::size_t>(i * p.columns + j)] = next(points);
      }
    std::swap(grid, after);
  }
  return grid;
}

/// The cells of a rank: rows, and those in them that read the halo apart from the rest.
struct Rank {
  Rank(const Problem& p, const Scheme& scheme, const Style& style, int threads)
      : problem(p),
        grid(world(), {p.rows, p.columns},
             {.periodic = {p.periodic, p.periodic}, .decomposition = Decomposition::blocks}),
        fields{Array<double>(grid, scheme), Array<double>(grid, scheme)},
        exchange(world(), grid.halo(), {fields[0], fields[1]}, scheme, style, threads) {
    if (!grid.idle()) rows = grid.owned(0).size(), columns = grid.owned(1).size();
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        const bool inside = i > 0 && i + 1 < rows && j > 0 && j + 1 < columns;
        (inside ? inner : border).push_back({i, j});
        at(0, i, j) = first(grid.owned(0).begin + i, grid.owned(1).begin + j);
      }
    std::vector<Touched> touches;
    for (const auto& [i, j] : border)
      touches.push_back(
          touched({{Range{0, 1}, {i, i + 1}, {j, j + 1}}}, grid.local(1) + 1, {0, grid.local(1)}));
    exchange.touch(touches);
  }

  double& at(std::size_t field, std::int64_t i, std::int64_t j) {
    return fields[field][static_cast<std::size_t>((i + 1) * grid.local(1) + j + 1)];
  }

  std::string step(std::size_t from, bool says_what_it_writes = true) {
    std::vector<int> swept(inner.size() + border.size());
    const auto sweep = [&](const auto& cells, std::size_t number) {
      return [&, number](std::int64_t begin, std::int64_t end, int) {
        for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c) {
          const auto [i, j] = cells[c];
          std::array<double, 9> points;
          for (int n = 0; n < 9; ++n)
            points[static_cast<std::size_t>(n)] = at(from, i + n / 3 - 1, j + n % 3 - 1);
          at(1 - from, i, j) = next(points);
          ++swept[number + c];
        }
      };
    };
    exchange.step({.inner = std::ssize(inner),
                   .border = std::ssize(border),
                   .sweep_inner = sweep(inner, 0),
                   .sweep_border = sweep(border, inner.size()),
                   .writes = says_what_it_writes ? std::optional(1 - from) : std::nullopt},
                  from);
    for (const int times : swept)
      if (times != 1) return "a cell is swept " + std::to_string(times) + " times";
    return {};
  }

  /// Cells that are not as they should be at the end.
  std::int64_t differ(const std::vector<double>& right) {
    std::int64_t all = 0;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::int64_t row = grid.owned(0).begin + i, column = grid.owned(1).begin + j;
        all += at(static_cast<std::size_t>(problem.steps % 2), i, j) !=
               right[static_cast<std::size_t>(row * problem.columns + column)];
      }
    return all;
  }

  Problem problem;
  Grid grid;
  std::array<Array<double>, 2> fields;
  StyledExchange exchange;
  std::int64_t rows = 0, columns = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> inner, border;
};

void expect_right(const Problem& p, const std::string& scheme, const Style& style, int threads) {
  SCOPED_TRACE(style.str() + ", " + std::to_string(threads) + " threads, " + scheme + ", " +
               std::to_string(p.rows) + " x " + std::to_string(p.columns));
  Rank rank(p, scheme, style, threads);
  std::string wrong;
  for (int step = 0; step < p.steps && wrong.empty(); ++step)
    wrong = rank.step(static_cast<std::size_t>(step % 2), step % 4 != 2);
  rank.exchange.finish();
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(rank.differ(serial(p)), 0) << "cells with other bits";
  // A rank that reads in place has read all when everybody is here.
  HALOCLINE_MPI(MPI_Barrier, world());
}

/// Every scheme on every number of threads, and not some.
const bool all = std::getenv("HALOCLINE_TEST_ALL_STYLES") != nullptr;

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const StyleFacts& known : known_styles()) names.push_back(known.style);
  return names;
}

class Styles : public testing::TestWithParam<std::string> {
 protected:
  static inline int right_ones = 0;
  static void TearDownTestSuite() {
    if (mpi::rank(world()) == 0)
      std::printf("%d combinations have the bits of the serial loop\n", right_ones);
  }
};

TEST_P(Styles, HaveTheBitsOfTheSerialLoop) {
  std::set<std::string> few{"p2p:nonblocking", "p2p:partitioned", "shm:signal",
                            "shm:signal+access=direct"};
  // Threads that wait in a fence keep their cores: where they outnumber them, that takes minutes.
  if (ranks() <= 2)
    few.insert(
        {"neighbor:persistent", "rma:put:fence", "rma:put:pscw", "rma:get:flush", "shm:fence"});
  int number = 0;
  for (const std::string& scheme : tested_schemes()) {
    if (!all && !few.contains(scheme)) continue;
    for (const int threads :
         all ? std::vector{1, 2, 3} : std::vector{1 + number++ % (ranks() > 2 ? 2 : 3)}) {
      expect_right({13, 9, number % 2 == 0, 7}, scheme, GetParam(), threads);
      right_ones += !HasFailure();
    }
  }
}

TEST_P(Styles, SweepAnySizes) {
  // Parts without inner cells, ranks without cells, fewer cells than threads.
  for (const auto& [rows, columns] : {std::pair{1, 1}, {2, 3}, {1, 40}, {5, 5}})
    expect_right({rows, columns, false, 5}, "p2p:nonblocking", GetParam(), 3);
}

TEST_P(Styles, TellWhatASweepThrows) {
  for (const bool border : {false, true}) {
    Rank rank({12, 12, false, 1}, "p2p:nonblocking", GetParam(), 2);
    const auto fails = [](std::int64_t, std::int64_t, int) { throw Error("no such row"); };
    const auto works = [](std::int64_t, std::int64_t, int) {};
    const Sweep sweep{.inner = 4,
                      .border = 4,
                      .sweep_inner = border ? Sweep::Piece(works) : fails,
                      .sweep_border = border ? Sweep::Piece(fails) : works};
    EXPECT_THROW(rank.exchange.step(sweep), Error) << GetParam();
    HALOCLINE_MPI(MPI_Barrier, world());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Styles, testing::ValuesIn(names()), name_of_scheme);

/// Wrong sweeps, in which ThreadSanitizer must find a race: else its silence about all others says
/// nothing. CMakeLists.txt runs them under it.
class DISABLED_Races : public testing::TestWithParam<std::string> {};

TEST_P(DISABLED_Races, OfSweepsThatAddToOneNumber) {
  Rank rank({12, 12, false, 1}, "p2p:nonblocking", GetParam(), 2);
  std::int64_t swept = 0;
  const auto sweep = [&](std::int64_t begin, std::int64_t end, int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // leaves units to the other thread
    swept += end - begin;
  };
  for (int k = 0; k < 5; ++k)
    rank.exchange.step({.inner = 8, .border = 8, .sweep_inner = sweep, .sweep_border = sweep});
}
INSTANTIATE_TEST_SUITE_P(Any, DISABLED_Races,
                         testing::Values("masteronly", "naive", "funneled", "single", "thread",
                                         "tasks", "partitioned", "multiple"),
                         name_of_scheme);

class DISABLED_HaloRaces : public testing::TestWithParam<std::string> {};

TEST_P(DISABLED_HaloRaces, OfCellsThatAreCalledInnerAndReadTheHalo) {
  Rank rank({12, 12, false, 1}, "shm:signal", GetParam(), 2);
  rank.inner.insert(rank.inner.end(), rank.border.begin(), rank.border.end());
  rank.border.clear();
  for (std::size_t k = 0; k < 10; ++k) rank.step(k % 2);
}
INSTANTIATE_TEST_SUITE_P(Any, DISABLED_HaloRaces, testing::Values("thread", "tasks", "multiple"),
                         name_of_scheme);

#if MPI_VERSION >= 4
TEST(Style, PartsLeaveAsTheirSweepEnds) {
  const std::vector<std::string> here = tested_schemes();
  if (ranks() != 2 || std::ranges::find(here, "p2p:partitioned") == here.end()) GTEST_SKIP();
  // One link of 64 cells, in 8 partitions, written by 4 units.
  constexpr std::int64_t columns = 64, units = 4;
  const Grid grid(world(), {8, columns}, {.decomposition = Decomposition::rows});
  std::array<Array<double>, 2> fields{Array<double>(grid, "p2p:partitioned"),
                                      Array<double>(grid, "p2p:partitioned")};
  StyledExchange exchange(world(), grid.halo(), {fields[0], fields[1]}, "p2p:partitioned",
                          "partitioned", 1);
  const std::array<std::array<bool, 2>, 3> continues{
      {{}, {grid.owned(0).begin > 0, grid.owned(0).end < 8}, {}}};
  const Split parts = split_cells({1, 4, columns}, continues, units);
  ASSERT_EQ(std::ssize(parts.border), units);
  std::vector<Touched> border;
  for (const Cells& cells : parts.border)
    border.push_back(touched(cells, grid.local(1) + 1, {0, grid.local(1)}));
  exchange.touch(border);
  std::vector<int> marked_before;
  for (std::size_t step = 0; step < 3; ++step) {
    marked = 0;
    exchange.step({.inner = 1,
                   .border = units,
                   .sweep_inner = [&](auto, auto, int) { marked_before.push_back(marked); },
                   .sweep_border = [&](auto, auto, int) { marked_before.push_back(marked); },
                   .writes = 1 - step % 2},
                  step % 2);
    marked_before.push_back(marked);
  }
  exchange.finish();
  // All 8 of the first exchange when it begins; those of the others unit by unit of the step
  // before.
  EXPECT_EQ(marked_before, (std::vector{8, 8, 10, 12, 14, 16, 0, 0, 2, 4, 6, 8, 0, 0, 2, 4, 6, 8}));
}
#endif

TEST(Style, BorderOfOtherUnitsThanWereToldIsRefused) {
  int given = 0;
  MPI_Query_thread(&given);
  if (given < MPI_THREAD_MULTIPLE) GTEST_SKIP();
  Rank rank({12, 12, false, 1}, "p2p:nonblocking", "partitioned", 1);
  EXPECT_THROW(rank.exchange.step({.border = 1000, .writes = 1}), Error);
}

/// While it lives trying may cost nearly all of the time, and nobody's own choices are read.
struct EagerTuning {
  EagerTuning() {
    setenv("HALOCLINE_TUNING_REGRET", "0.9", 1);
    Tuning::current().file = file;
  }
  ~EagerTuning() {
    unsetenv("HALOCLINE_TUNING_REGRET");
    HALOCLINE_MPI(MPI_Barrier, world());
    std::remove(file.c_str());
    Tuning::current().file.clear();
  }
  std::string file = testing::TempDir() + "styles-" + std::to_string(getpid()) + ".json";
};

TEST(Style, AutoBecomesAStyleAndRemembersIt) {
  const EagerTuning eager;
  const Grid grid(world(), {8, 8}, {.decomposition = Decomposition::rows});
  Array<double> field(grid, "p2p:nonblocking");
  const auto chosen = [&](int steps) {
    StyledExchange exchange(world(), grid.halo(), {field}, "p2p:nonblocking", "auto", 2);
    const auto pause = [](auto, auto, int) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    };
    for (int step = 0; step < steps; ++step) exchange.step({.inner = 2, .sweep_inner = pause});
    return exchange.style().str();
  };
  EXPECT_EQ(chosen(20), "auto");
  const std::string first = chosen(800);
  EXPECT_NE(first, "auto");
  if (mpi::rank(world()) == 0) {
    std::ifstream in(eager.file);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    EXPECT_NE(text.find("\"styles\": ["), text.npos) << text;
    EXPECT_NE(text.find("\"style\": \"" + first + "\""), text.npos) << text;
    EXPECT_NE(text.find("\"decided\": "), text.npos) << text;
    EXPECT_NE(text.find("\"median_us\": "), text.npos) << text;
  }
  HALOCLINE_MPI(MPI_Barrier, world());
  EXPECT_EQ(chosen(1), first);
}

/// Schemes and styles change all the time, whatever a clock says.
TEST(Style, WhatIsChosenWhileItRunsChangesNoBit) {
  const EagerTuning eager;
  int given = 0;
  MPI_Query_thread(&given);
  const Problem p{13, 9, false, 300};
  const std::vector<double> right = serial(p);
  for (const std::string scheme : {"p2p:nonblocking", "auto+when=running"})
    for (const std::string style : {"auto", "partitioned", "multiple"}) {
      if (style != "auto" && (scheme == "p2p:nonblocking" || Style(style).thread_level() > given))
        continue;
      SCOPED_TRACE(style + ", " + scheme);
      Rank rank(p, scheme, style, 2);
      Section section(world(), std::initializer_list<Exchange*>{});
      rank.exchange.join(section);
      EXPECT_THROW(rank.exchange.join(section), Error);
      const auto take_turns = [&](std::size_t member, std::size_t turn) {
        const auto chosen = detail::SectionMembers::of(section, member);
        const std::size_t next = turn % chosen->options();
        if (chosen->prepare(next).empty()) chosen->use(next);
      };
      std::string wrong;
      std::set<std::string> schemes, styles;
      for (std::size_t step = 0; step < std::size_t(p.steps) && wrong.empty(); ++step) {
        if (step % 3 != 2) take_turns(0, step * step / 5);
        if (scheme != "p2p:nonblocking" && style == "auto" && step % 4 != 3)
          take_turns(1, step / 2);
        wrong = rank.step(step % 2, step % 7 != 2);
        schemes.insert(rank.exchange.scheme().str());
        styles.insert(rank.exchange.style().str());
      }
      rank.exchange.finish();
      EXPECT_EQ(wrong, "");
      if (ranks() > 1 && scheme != "p2p:nonblocking") {
        EXPECT_GT(schemes.size(), 3u);
      }
      EXPECT_GT(styles.size(), style == "auto" ? 3u : 0u);
      EXPECT_EQ(rank.differ(right), 0) << "cells with other bits";
      HALOCLINE_MPI(MPI_Barrier, world());
    }
}

/// What the next step sends is on its way when a lap begins.
TEST(Style, StepsThatBeginInTheOneBeforeAreLaps) {
  const EagerTuning eager;
  int given = 0;
  MPI_Query_thread(&given);
  const Problem p{13, 9, false, 200};
  for (const std::string style : {"auto", "partitioned"}) {
    if (style != "auto" && Style(style).thread_level() > given) continue;
    SCOPED_TRACE(style);
    Rank rank(p, "auto+when=running", style, 2);
    Section section(world(), std::initializer_list<Exchange*>{});
    rank.exchange.join(section);
    std::string wrong;
    for (std::size_t step = 0; step < std::size_t(p.steps) && wrong.empty(); ++step) {
      const Section::Lap lap = section.lap();
      wrong = rank.step(step % 2);
    }
    rank.exchange.finish();
    EXPECT_EQ(wrong, "");
    EXPECT_EQ(section.laps(), p.steps);
    EXPECT_EQ(rank.differ(serial(p)), 0) << "cells with other bits";
    HALOCLINE_MPI(MPI_Barrier, world());
  }
}

TEST(Style, JoinsASectionOnlyIfItChooses) {
  Section section(world(), std::initializer_list<Exchange*>{});
  Rank fixed({8, 8, false, 1}, "p2p:nonblocking", "masteronly", 1);
  EXPECT_THROW(fixed.exchange.join(section), Error);
  Rank begun({8, 8, false, 1}, "p2p:nonblocking", "auto", 1);
  begun.step(0);
  begun.exchange.finish();
  EXPECT_THROW(begun.exchange.join(section), Error);
}

TEST(Style, OfAnotherNameIsRefused) {
  EXPECT_EQ(complaint([] { Style("hybrid"); }),
            "there is no style 'hybrid'; there are masteronly, naive, funneled, single, "
            "thread, tasks, partitioned, multiple, auto");
}

TEST(Style, OfOneExchangeChangesNothingForOthers) {
  const Patience before = Patience::current();
  Patience::current().yield = false;
  bool yielded = false;
  {
    Rank rank({8, 8, false, 1}, "p2p:nonblocking", "masteronly", 3);
    const Sweep sweep{.inner = 3, .sweep_inner = [&](std::int64_t, std::int64_t, int thread) {
                        if (thread == 0) yielded = Patience::yields();
                      }};
    rank.exchange.step(sweep);
    EXPECT_FALSE(Patience::current().yield);
  }
  EXPECT_FALSE(yielded);
  Rank moved_from({8, 8, false, 1}, "p2p:nonblocking", "masteronly", 1);
  StyledExchange moved(std::move(moved_from.exchange));
  EXPECT_THROW(moved_from.exchange.finish(), Error);
  EXPECT_THROW(static_cast<void>(moved_from.exchange.scheme()), Error);
  moved.finish();
  Patience::current() = before;
}

/// The code of docs/reference/styles.md: each cell becomes the sum of its six neighbours.
TEST(Style, InTenLines) {
  const MPI_Comm comm = world();
  const Scheme scheme("p2p:nonblocking");
  const Grid grid(comm, {12, 8, 8}, {.halo = 1, .periodic = {true, true, true}});
  const std::int64_t planes = grid.owned(0).size(), rows = grid.owned(1).size(),
                     columns = grid.owned(2).size();
  const std::array<std::array<bool, 2>, 3> continues{{{true, true}, {true, true}, {true, true}}};
  const int threads = 2, steps = 3;
  const auto sweep = [&](const Array<double>& u, Array<double>& next, const Cells& box) {
    const std::int64_t row = columns + 2, plane = (rows + 2) * row;
    for (std::int64_t i = box.axes[0].begin; i < box.axes[0].end; ++i)
      for (std::int64_t j = box.axes[1].begin; j < box.axes[1].end; ++j)
        for (std::int64_t k = box.axes[2].begin; k < box.axes[2].end; ++k) {
          const std::int64_t at = (i + 1) * plane + (j + 1) * row + k + 1;
          double& sum = next.data()[at] = 0;
          for (const std::int64_t step : {plane, row, std::int64_t{1}})
            sum += u.data()[at - step] + u.data()[at + step];
        }
  };

  Array<double> grids[2] = {{grid, scheme}, {grid, scheme}};
  StyledExchange exchange(comm, grid.halo(), {grids[0], grids[1]}, scheme, "thread", threads);
  const Split parts = split_cells({planes, rows, columns}, continues, threads);
  for (std::int64_t i = 1; i <= planes; ++i)
    for (std::int64_t j = 1; j <= rows; ++j)
      std::fill_n(grids[0].data() + (i * (rows + 2) + j) * (columns + 2) + 1, columns, 1.0);
  const auto sweep_planes = [&](int k, std::int64_t begin, std::int64_t end) {
    Cells planes_of_inner = parts.inner;
    planes_of_inner.axes[0] = {parts.inner.axes[0].begin + begin, parts.inner.axes[0].begin + end};
    sweep(grids[k % 2], grids[1 - k % 2], planes_of_inner);
  };
  const auto sweep_boxes = [&](int k, std::int64_t begin, std::int64_t end) {
    for (std::int64_t box = begin; box < end; ++box)
      sweep(grids[k % 2], grids[1 - k % 2], parts.border[static_cast<std::size_t>(box)]);
  };
  for (int k = 0; k < steps; ++k)
    exchange.step({.inner = parts.inner.axes[0].size(),
                   .border = std::ssize(parts.border),
                   .sweep_inner = [&](auto begin, auto end, int) { sweep_planes(k, begin, end); },
                   .sweep_border = [&](auto begin, auto end, int) { sweep_boxes(k, begin, end); }},
                  k % 2);

  for (std::int64_t i = 1; i <= planes; ++i)
    for (std::int64_t j = 1; j <= rows; ++j)
      for (std::int64_t k = 1; k <= columns; ++k)
        ASSERT_EQ(grids[steps % 2].data()[(i * (rows + 2) + j) * (columns + 2) + k], 6.0 * 6 * 6);
}

TEST(Style, NeedsAThread) {
  EXPECT_THROW(Rank({4, 4, false, 1}, "p2p:nonblocking", "thread", 0), Error);
}

TEST(Style, TheThreadThatCommunicatesHasWhatItsTimeAllows) {
  // Nobody to exchange with: it sweeps as much as the others. Sweeps that take long make up for
  // what the exchange takes.
  Rank rank({40, 40, false, 1}, "p2p:nonblocking", "thread", 2);
  std::array<std::int64_t, 2> units{};
  const Sweep sweep{
      .inner = 100, .sweep_inner = [&](std::int64_t begin, std::int64_t end, int thread) {
        units[static_cast<std::size_t>(thread)] = end - begin;
        const auto until =
            std::chrono::steady_clock::now() + std::chrono::microseconds(20) * (end - begin);
        while (std::chrono::steady_clock::now() < until) continue;
      }};
  for (int i = 0; i < 10; ++i) rank.exchange.step(sweep);
  EXPECT_EQ(units[0] + units[1], 100);
  EXPECT_LE(rank.exchange.share(), 1);
  EXPECT_GE(rank.exchange.share(), 0);
  if (ranks() == 1) {
    EXPECT_GT(rank.exchange.share(), 0.8);
  }
}

/// Runs where MPI gives the least that programs ask for.
TEST(Style, LevelThatMpiDoesNotGiveIsNamed) {
  int given = 0;
  MPI_Query_thread(&given);
  if (given == MPI_THREAD_MULTIPLE) GTEST_SKIP();
  for (const StyleFacts& known : known_styles()) {
    if (known.thread_level <= given || known.style == "auto") continue;
    const std::string text = complaint([&] {
      Rank({8, 8, false, 1}, "p2p:nonblocking", known.style, 2);
    });
    EXPECT_NE(text.find("style '" + known.style + "' needs MPI_THREAD_"), text.npos) << text;
    EXPECT_NE(text.find("HALOCLINE_THREAD_LEVEL"), text.npos) << text;
    EXPECT_NE(text.find("masteronly, naive, funneled, thread"), text.npos) << text;
  }
}

}  // namespace
