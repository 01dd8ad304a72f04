// What `auto+when=running` chooses for: exchanges of every kind bring the bytes that a plain one
// brings, in every lap, whatever is tried in it and however late ranks are.

#include "tuner/running.hpp"
#include "common/changing_graph.hpp"

#include <halocline/halocline.hpp>
#include <halocline/more/section.hpp>
#include <halocline/more/waiting.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

using namespace halocline;

namespace {

constexpr std::size_t owned = 60;
constexpr const char* running = "auto+when=running";

/// All of this MPI may be tried.
class Running : public testing::Test {
 protected:
  Running() {
    std::ofstream file(tuning_.file);
    file
        << R"({"format": "halocline-tuning", "version": 1, "choices": [], "pin": "*", "forbid": [)";
    const char* const except = std::getenv("HALOCLINE_TEST_EXCEPT");
    std::istringstream globs(except != nullptr ? except : "");
    const char* between = "";
    for (std::string glob; std::getline(globs, glob, ',');)
      file << std::exchange(between, ", ") << '"' << glob << '"';
    file << "]}\n";
    file.close();
    inject_delays(std::chrono::microseconds(30), 7 + static_cast<unsigned>(mpi::rank(world())));
  }
  ~Running() override { inject_delays(std::chrono::microseconds(0), 0); }

 private:
  QuickTuning tuning_;
};

/// Random lists of my cells go to others, whose halos of me lie one after the other.
struct Cells {
  explicit Cells(unsigned seed) {
    const auto ranks = static_cast<std::size_t>(mpi::size(world())),
               me = static_cast<std::size_t>(mpi::rank(world()));
    std::ptrdiff_t next = owned;
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      if (peer == me) continue;
      for (std::size_t i = 0; i < count(seed, me, peer); ++i)
        pattern.send(static_cast<int>(peer),
                     {.offset = static_cast<std::ptrdiff_t>(mixed(seed, me, peer, i) % owned)});
      for (std::size_t i = 0; i < count(seed, peer, me); ++i)
        pattern.receive(static_cast<int>(peer), {.offset = next++});
    }
    for (const std::ptrdiff_t cell : {3, 5, 8}) pattern.copy({.offset = cell}, {.offset = next++});
    size = static_cast<std::size_t>(next);
  }
  static std::size_t count(unsigned seed, std::size_t from, std::size_t to) {
    return 1 + mixed(seed, from, to) % 40;
  }

  Pattern pattern;
  std::size_t size = 0;
};

using Values = std::vector<double>;

Values values(std::size_t count, int lap) {
  Values all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = 1.0 / static_cast<double>(1 + mixed(mpi::rank(world()), i, lap) % 1000003);
  return all;
}

/// One exchange, and a step of it on the values that are there.
struct Stepper {
  std::function<Exchange&()> exchange;
  std::function<void(Values&, int lap)> step;
};
using Make = std::function<Stepper(const Scheme&)>;

/// All that an exchange chooses from takes turns, also the options that are tried once something
/// leads, and some once more after they were dismissed. Beside it goes a plain one. The schemes
/// that were in use.
std::set<std::string> same_bytes(const Make& make, std::size_t size) {
  const Stepper plain = make("p2p:nonblocking"), tried = make(running);
  const auto chosen = detail::SectionMembers::of(tried.exchange());
  EXPECT_NE(chosen, nullptr);
  EXPECT_EQ(detail::SectionMembers::of(tried.exchange()), nullptr);  // a section has it
  chosen->more(0);
  for (std::size_t i = 0; i < chosen->options(); ++i)
    if (chosen->option(i) == "shm:signal+access=copy") chosen->more(i);
  const std::size_t options = chosen->options();
  std::set<std::string> schemes;
  int wrong = 0;
  for (std::size_t lap = 0; lap < 3 * options; ++lap) {
    const std::size_t next = lap < 2 * options ? lap / 2 : lap * lap % options;
    if (chosen->prepare(next).empty()) chosen->use(next);
    Values expected = values(size, static_cast<int>(lap)), found = expected;
    plain.step(expected, static_cast<int>(lap));
    tried.step(found, static_cast<int>(lap));
    EXPECT_FALSE(chosen->busy());
    EXPECT_FALSE(chosen->dismiss(next)) << "it is in use";
    if (lap > 2 * options) chosen->dismiss(lap * lap * lap % options);
    schemes.insert(tried.exchange().scheme().str());
    if (expected != found && ++wrong < 5)
      ADD_FAILURE() << tried.exchange().scheme().str() << " brings other bytes";
  }
  EXPECT_EQ(wrong, 0);
  if (mpi::size(world()) > 1) {
    EXPECT_GT(schemes.size(), 10u);
  }
  return schemes;
}

/// Bound to memory that the library makes for it.
struct Bound {
  Bound(const Pattern& pattern, std::size_t size, const Scheme& scheme,
        const ExchangeOptions& options = {})
      : cells(world(), size, scheme), exchange(pattern, cells, scheme, options) {}
  Array<double> cells;
  Exchange exchange;
};

Make bound(const Cells& cells, const ExchangeOptions& options = {}) {
  const bool combines = options.combine != Combine::replace;
  return [=, pattern = combines ? cells.pattern.reversed() : cells.pattern](const Scheme& scheme) {
    auto one = std::make_shared<Bound>(pattern, cells.size, scheme, options);
    return Stepper{[one]() -> Exchange& { return one->exchange; },
                   [one](Values& all, int) {
                     std::ranges::copy(all, one->cells.begin());
                     one->exchange.run();
                     std::ranges::copy(one->cells, all.begin());
                   }};
  };
}

TEST_F(Running, FillsHalos) {
  const Cells cells(1);
  const auto schemes = same_bytes(bound(cells), cells.size);
  if (mpi::size(world()) > 1) {
    EXPECT_TRUE(schemes.contains("shm:signal+access=copy"));
  }
}

TEST_F(Running, CombinesInOwners) {
  const Cells cells(2);
  same_bytes(bound(cells, {.combine = Combine::sum}), cells.size);
}

TEST_F(Running, TakesPatternsThatChange) {
  for (const bool combines : {false, true}) {
    std::vector<Pattern> versions;
    std::size_t size = 0;
    for (unsigned seed = 10; seed < 14; ++seed) {
      const Cells cells(seed);
      versions.push_back(combines ? cells.pattern.reversed() : cells.pattern);
      size = std::max(size, cells.size);
    }
    const Make make = [=](const Scheme& scheme) {
      struct Changing {
        Values cells;
        std::optional<Exchange> exchange{};
      };
      auto one = std::make_shared<Changing>(Values(size));
      one->exchange.emplace(
          versions[0], field(one->cells.data(), size), scheme,
          ExchangeOptions{.combine = combines ? Combine(Combine::sum) : Combine(Combine::replace),
                          .changes = true,
                          .capacity = 41});
      return Stepper{[one]() -> Exchange& { return *one->exchange; },
                     [one, versions](Values& all, int lap) {
                       one->cells = all;
                       if (lap % 3 == 0)
                         one->exchange->change(versions[static_cast<std::size_t>(lap / 3 % 4)]);
                       one->exchange->run();
                       all = one->cells;
                     }};
    };
    same_bytes(make, size);
  }
}

TEST_F(Running, TakesOtherFieldsInEachStep) {
  const Cells cells(3);
  const Make make = [&](const Scheme& scheme) {
    auto exchange = std::make_shared<Exchange>(cells.pattern, unbound<double>(), scheme);
    return Stepper{[exchange]() -> Exchange& { return *exchange; },
                   [exchange](Values& all, int) { exchange->run(field(all.data(), all.size())); }};
  };
  same_bytes(make, cells.size);
}

TEST_F(Running, GoesPartByPart) {
  const Cells cells(4);
  std::set<std::string> came, late;
  const Make make = [&](const Scheme& scheme) {
    auto one = std::make_shared<Bound>(cells.pattern, cells.size, scheme);
    const auto step = [&, one](Values& all, int) {
      const auto parts = [](const std::vector<Link>& links, const auto& act) {
        for (std::size_t link = 0; link < links.size(); ++link)
          for (std::size_t first = 0; first < links[link].size(); first += 3)
            act(link, first, std::min<std::size_t>(3, links[link].size() - first));
      };
      Exchange& exchange = one->exchange;
      std::ranges::copy(all, one->cells.begin());
      exchange.open();
      if (!exchange.pattern().sends().empty()) {
        EXPECT_THROW(exchange.finish(), Error);  // nothing is ready
      }
      parts(exchange.pattern().sends(),
            [&](auto link, auto first, auto count) { exchange.ready(link, first, count); });
      bool all_came = true;
      parts(exchange.pattern().receives(), [&](auto link, auto first, auto count) {
        all_came = exchange.await(link, first, count) && all_came;
      });
      (all_came ? came : late).insert(exchange.scheme().str());
      exchange.finish();
      std::ranges::copy(one->cells, all.begin());
    };
    return Stepper{[one]() -> Exchange& { return one->exchange; }, step};
  };
  const auto schemes = same_bytes(make, cells.size);
  if (mpi::size(world()) == 1) GTEST_SKIP() << "needs two ranks";
  EXPECT_TRUE(late.contains("p2p:nonblocking"));
  EXPECT_EQ(came.contains("p2p:partitioned"), schemes.contains("p2p:partitioned"));
}

TEST_F(Running, ArraysMadeForItSuitAllCandidates) {
  const Cells cells(5);
  Bound one(cells.pattern, cells.size, running);
  if (one.cells.memory().kind() != MemoryKind::shared) GTEST_SKIP() << "no memory is shared";
  const auto chosen = detail::SectionMembers::of(one.exchange);
  for (std::size_t i = 0; i < chosen->options(); ++i) {
    if (!chosen->prepare(i).empty()) continue;
    chosen->use(i);
    one.exchange.run();
    EXPECT_EQ(one.exchange.memory_hint(), "");
  }
}

/// Options of two islands where there are two, and no others.
TEST_F(Running, TriesHeadsBetweenIslands) {
  const Cells cells(6);
  Bound one(cells.pattern, cells.size, "auto+when=running+island=2");
  const auto chosen = detail::SectionMembers::of(one.exchange);
  chosen->more(0);
  bool by_heads = false;
  for (std::size_t i = 0; i < chosen->options(); ++i)
    by_heads = by_heads || chosen->option(i) == "p2p:nonblocking+heads=2";
  EXPECT_EQ(by_heads, mpi::size(world()) > 2);
}

/// Laps choose for all of these; a section may end before them.
TEST_F(Running, MayBeInASection) {
  const Cells cells(7);
  Bound combines(cells.pattern.reversed(), cells.size, running, {.combine = Combine::sum}),
      changes(cells.pattern, cells.size, running, {.changes = true});
  {
    Section section(world(), {&combines.exchange, &changes.exchange});
    for (int lap = 0; lap < 200; ++lap) {
      const Section::Lap one = section.lap();
      combines.exchange.start();
      EXPECT_THROW(section.begin(), Error);
      combines.exchange.finish();
      changes.exchange.run();
    }
    EXPECT_EQ(section.laps(), 200);
  }
  changes.exchange.change(cells.pattern);
  changes.exchange.run();
}

}  // namespace
