// What `auto+when=running` chooses for: exchanges of every kind bring the bytes that a plain one
// brings, in every lap, whatever is tried in it and however late ranks are.

#include "common/changing_graph.hpp"

#include <halocline/halocline.hpp>
#include <halocline/more/section.hpp>
#include <halocline/more/waiting.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

using namespace halocline;

namespace {

constexpr std::size_t owned = 60;
constexpr const char* running = "auto+when=running";

/// Nearly every lap may try something, and all of this MPI that a glob names.
class Running : public testing::Test {
 protected:
  Running() {
    setenv("HALOCLINE_TUNING_REGRET", "0.9", 1);
    wish("*");
    inject_delays(std::chrono::microseconds(30), 7 + static_cast<unsigned>(mpi::rank(world())));
  }
  ~Running() override {
    inject_delays(std::chrono::microseconds(0), 0);
    unsetenv("HALOCLINE_TUNING_REGRET");
  }
  void wish(const std::string& pinned) const {
    std::ofstream file(tuning_.file);
    file << R"({"format": "halocline-tuning", "version": 1, "choices": [], "pin": ")" << pinned
         << R"(", "forbid": [)";
    const char* const except = std::getenv("HALOCLINE_TEST_EXCEPT");
    std::istringstream globs(except != nullptr ? except : "");
    const char* between = "";
    for (std::string glob; std::getline(globs, glob, ',');)
      file << std::exchange(between, ", ") << '"' << glob << '"';
    file << "]}\n";
  }

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

/// One exchange by `scheme`, and a step of it on values that are there.
struct Stepper {
  std::function<Exchange&()> exchange;
  std::function<void(Values&, int lap)> step;
};
using Make = std::function<Stepper(const Scheme&)>;

/// Laps of an exchange beside those of a plain one. The schemes that were in use.
std::set<std::string> same_bytes(const Make& make, std::size_t size, int laps, bool in_section) {
  const Stepper plain = make("p2p:nonblocking"), tried = make(running);
  std::optional<Section> section;
  if (in_section) section.emplace(world(), std::initializer_list<Exchange*>{&tried.exchange()});
  std::set<std::string> schemes;
  int wrong = 0;
  for (int lap = 0; lap < laps; ++lap) {
    Values expected = values(size, lap), found = expected;
    plain.step(expected, lap);
    if (section) section->begin();
    tried.step(found, lap);
    if (section) section->end();
    wrong += expected != found;
    schemes.insert(tried.exchange().scheme().str());
  }
  EXPECT_EQ(wrong, 0);
  if (mpi::size(world()) > 1) {
    EXPECT_GT(schemes.size(), 4u);
  }
  return schemes;
}

/// Bound to memory of its own.
template <class... Options>
Make bound(const Pattern& pattern, std::size_t size, const Options&... options) {
  return [=](const Scheme& scheme) {
    struct State {
      Array<double> cells;
      Exchange exchange;
    };
    Array<double> cells(world(), size, scheme);
    auto state = std::make_shared<State>(cells, Exchange(pattern, cells, scheme, options...));
    return Stepper{[state]() -> Exchange& { return state->exchange; },
                   [state](Values& all, int) {
                     std::ranges::copy(all, state->cells.begin());
                     state->exchange.run();
                     std::ranges::copy_n(state->cells.begin(), std::ssize(all), all.begin());
                   }};
  };
}

constexpr int enough = 700;

TEST_F(Running, FillsHalos) {
  const Cells cells(1);
  same_bytes(bound(cells.pattern, cells.size), cells.size, enough, true);
}

TEST_F(Running, CombinesInOwners) {
  const Cells cells(2);
  const Make make =
      bound(cells.pattern.reversed(), cells.size, ExchangeOptions{.combine = Combine::sum});
  same_bytes(make, cells.size, enough, true);
  same_bytes(make, cells.size, enough, false);
}

TEST_F(Running, TakesPatternsThatChange) {
  for (const bool combines : {false, true}) {
    std::vector<Cells> versions;
    std::size_t size = 0;
    for (unsigned seed = 10; seed < 14; ++seed) {
      versions.emplace_back(seed);
      size = std::max(size, versions.back().size);
    }
    const auto pattern = [=](int lap) {
      const Cells& cells = versions[static_cast<std::size_t>(lap / 50 % 4)];
      return combines ? cells.pattern.reversed() : cells.pattern;
    };
    const Make make = [=](const Scheme& scheme) {
      struct State {
        Values cells;
        std::optional<Exchange> exchange{};
      };
      auto state = std::make_shared<State>(Values(size));
      state->exchange.emplace(pattern(0), field(state->cells.data(), size), scheme,
                              ExchangeOptions{.combine = combines ? Combine::sum : Combine::replace,
                                              .changes = true,
                                              .capacity = 41});
      return Stepper{[state]() -> Exchange& { return *state->exchange; },
                     [state, pattern](Values& all, int lap) {
                       state->cells = all;
                       if (lap % 50 == 0)
                         state->exchange->change(pattern(lap),
                                                 {field(state->cells.data(), all.size())});
                       state->exchange->run();
                       all = state->cells;
                     }};
    };
    same_bytes(make, size, enough, true);
  }
}

TEST_F(Running, TakesOtherFieldsInEachStep) {
  const Cells cells(3);
  const Make make = [&](const Scheme& scheme) {
    auto exchange = std::make_shared<Exchange>(cells.pattern, unbound<double>(), scheme);
    return Stepper{[exchange]() -> Exchange& { return *exchange; },
                   [exchange](Values& all, int) { exchange->run(field(all.data(), all.size())); }};
  };
  same_bytes(make, cells.size, enough, true);
}

TEST_F(Running, GoesPartByPart) {
  const Cells cells(4);
  const auto parts = [](const std::vector<Link>& links, const auto& act) {
    for (std::size_t link = 0; link < links.size(); ++link)
      for (std::size_t first = 0; first < links[link].size(); first += 3)
        act(link, first, std::min<std::size_t>(3, links[link].size() - first));
  };
  std::set<std::string> came, not_yet;
  const Make make = [&](const Scheme& scheme) {
    struct State {
      Array<double> cells;
      Exchange exchange;
    };
    Array<double> array(world(), cells.size, scheme);
    auto state = std::make_shared<State>(array, Exchange(cells.pattern, array, scheme));
    return Stepper{[state]() -> Exchange& { return state->exchange; },
                   [&, state](Values& all, int) {
                     std::ranges::copy(all, state->cells.begin());
                     Exchange& exchange = state->exchange;
                     exchange.open();
                     if (!exchange.pattern().sends().empty()) {
                       EXPECT_THROW(exchange.finish(), Error);
                     }
                     parts(exchange.pattern().sends(), [&](auto link, auto first, auto count) {
                       exchange.ready(link, first, count);
                     });
                     bool all_came = true;
                     parts(exchange.pattern().receives(), [&](auto link, auto first, auto count) {
                       all_came = exchange.await(link, first, count) && all_came;
                     });
                     (all_came ? came : not_yet).insert(exchange.scheme().str());
                     exchange.finish();
                     std::ranges::copy_n(state->cells.begin(), std::ssize(all), all.begin());
                   }};
  };
  const auto schemes = same_bytes(make, cells.size, enough, true);
  if (mpi::size(world()) == 1) return;
  EXPECT_TRUE(not_yet.contains("p2p:nonblocking"));
  EXPECT_EQ(came.contains("p2p:partitioned"), schemes.contains("p2p:partitioned"));
}

TEST_F(Running, ArraysMadeForItSuitAllCandidates) {
  const Cells cells(5);
  Array<double> array(world(), cells.size, running);
  if (array.memory().kind() != MemoryKind::shared) GTEST_SKIP() << "no memory that ranks share";
  Exchange exchange(cells.pattern, array, running);
  std::set<std::string> schemes;
  for (int lap = 0; lap < enough; ++lap) {
    exchange.run();
    schemes.insert(exchange.scheme().str());
    EXPECT_EQ(exchange.explain(), "");
  }
  if (mpi::size(world()) > 1) {
    EXPECT_TRUE(schemes.contains("shm:signal+access=copy"));
  }
}

TEST_F(Running, TriesHeadsBetweenIslands) {
  wish("p2p:nonblocking*");
  const Cells cells(6);
  Array<double> array(world(), cells.size, MemoryKind::plain);
  Exchange exchange(cells.pattern, array, "auto+when=running+island=2");
  std::set<std::string> schemes;
  for (int lap = 0; lap < enough; ++lap) {
    exchange.run();
    schemes.insert(exchange.scheme().str());
  }
  EXPECT_EQ(schemes.contains("p2p:nonblocking+heads=2"), mpi::size(world()) > 2);
}

}  // namespace
