// Asynchronous exchanges: what a halo holds is always one iteration of its source, complete (or,
// racy, some iteration cell by cell), it never goes back, and in the end everything is accounted
// for. On random patterns, between ranks that are held up at random.

#include "async/async_registry.hpp"
#include "common/complaint.hpp"

#include <halocline/more/async_exchange.hpp>
#include <halocline/more/waiting.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

using namespace halocline;

namespace {

struct Way {
  std::string scheme;
  int buffers;
  bool racy;
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
  return out << way.scheme << " buffers " << way.buffers << (way.racy ? " racy" : "");
}

/// Those of other libraries (HALOCLINE_METHODS) need not.
bool can_be_racy(const std::string& scheme) {
  const std::vector<std::string> racy = async_schemes(true);
  return std::find(racy.begin(), racy.end(), scheme) != racy.end();
}

/// Every scheme, with some numbers of buffers, complete and racy.
std::vector<Way> ways() {
  std::vector<Way> all;
  for (const std::string& scheme : async_schemes()) {
    for (const int buffers : {1, 2, 7}) all.push_back({scheme, buffers, false});
    if (!can_be_racy(scheme)) continue;
    all.push_back({scheme, 1, true});
    all.push_back({scheme, 3, true});
  }
  // Two ranks that share memory, and others.
  for (const char* outer : {"", "+outer=rma:put:flush"})
    for (const bool racy : {false, true})
      all.push_back({std::string("shm:signal+island=2") + outer, 2, racy});
  for (const char* scheme : {"rma:put:flush", "rma:get:flush"})
    for (const char* option : {"+alloc=create", "+alloc=dynamic", "+windows=per-link"})
      all.push_back({std::string(scheme) + option, 2, false});
  return all;
}

/// A cell says whose it is, which one, and of which iteration.
constexpr unsigned cell_bits = 24, rank_bits = 8;
std::uint64_t value(int rank, std::size_t cell, std::uint64_t iteration) {
  return (iteration << rank_bits | static_cast<unsigned>(rank)) << cell_bits | cell;
}
std::uint64_t iteration_in(std::uint64_t value) {
  return value >> (cell_bits + rank_bits);
}

/// Some ranks send some of their cells to some others; every rank knows the lists of all.
struct Graph {
  static constexpr std::size_t most_cells = 4000;

  /// list[from][to]: the cells of `from`, in the order in which they travel.
  std::vector<std::vector<std::vector<std::ptrdiff_t>>> lists;
  std::size_t owned = 0;

  explicit Graph(unsigned seed) {
    std::minstd_rand engine(seed);
    const auto ranks = static_cast<std::size_t>(mpi::size(world()));
    const bool large = engine() % 2 == 0;
    owned = large ? most_cells : 20;
    lists.assign(ranks, std::vector<std::vector<std::ptrdiff_t>>(ranks));
    for (std::size_t from = 0; from < ranks; ++from)
      for (std::size_t to = 0; to < ranks; ++to) {
        if (from == to || engine() % 4 == 0) continue;
        std::vector<std::ptrdiff_t>& cells = lists[from][to];
        cells.resize(owned);
        std::iota(cells.begin(), cells.end(), 0);
        if (engine() % 2 == 0) std::shuffle(cells.begin(), cells.end(), engine);
        cells.resize(1 + engine() % owned);
      }
  }

  /// My part: owned cells first, then one halo after the other.
  Pattern pattern() const {
    const auto me = static_cast<std::size_t>(mpi::rank(world()));
    std::vector<int> targets, sources;
    std::vector<std::vector<std::ptrdiff_t>> leave, land;
    auto next = static_cast<std::ptrdiff_t>(owned);
    for (std::size_t peer = 0; peer < lists.size(); ++peer) {
      if (!lists[me][peer].empty()) {
        targets.push_back(static_cast<int>(peer));
        leave.push_back(lists[me][peer]);
      }
      if (!lists[peer][me].empty()) {
        sources.push_back(static_cast<int>(peer));
        auto& places = land.emplace_back(lists[peer][me].size());
        std::iota(places.begin(), places.end(), next);
        next += static_cast<std::ptrdiff_t>(places.size());
      }
    }
    return Pattern::from_indices(targets, leave, sources, land);
  }
};

/// One rank's cells, and what they must look like.
struct GraphPart {
  explicit GraphPart(const Graph& graph_)
      : graph(graph_), pattern(graph.pattern()), cells(std::max(pattern.extent(), graph.owned), 0) {
    std::size_t next = graph.owned;
    for (const Link& link : pattern.receives()) {
      begins.push_back(next);
      next += link.size();
    }
  }

  void iterate(std::uint64_t iteration) {
    for (std::size_t i = 0; i < graph.owned; ++i) cells[i] = value(me, i, iteration);
  }

  /// Checks the halo of a link; returns the oldest and the newest iteration found there.
  std::pair<std::uint64_t, std::uint64_t> check(std::size_t link) const {
    const int source = pattern.receives()[link].peer;
    const auto& sent = graph.lists[static_cast<std::size_t>(source)][static_cast<std::size_t>(me)];
    std::uint64_t oldest = ~std::uint64_t{0}, newest = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const std::uint64_t found = cells[begins[link] + i];
      const std::uint64_t iteration = iteration_in(found);
      oldest = std::min(oldest, iteration);
      newest = std::max(newest, iteration);
      if (found == 0) continue;  // nothing has come yet
      EXPECT_EQ(found, value(source, static_cast<std::size_t>(sent[i]), iteration))
          << "cell " << i << " of rank " << source;
    }
    return {oldest, newest};
  }

  const Graph& graph;
  int me = mpi::rank(world());
  Pattern pattern;
  std::vector<std::uint64_t> cells;
  std::vector<std::size_t> begins;
};

std::uint64_t over_all_ranks(std::uint64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, world());
  return mine;
}

void expect_all_accounted_for(const AsyncExchange& exchange) {
  const AsyncCounts counts = exchange.counts();
  EXPECT_EQ(over_all_ranks(counts.sent), over_all_ranks(counts.received + counts.superseded));
}

/// Every halo is what the exchange says it is.
void expect_sound(const AsyncExchange& exchange, const GraphPart& part) {
  for (std::size_t link = 0; link < part.begins.size(); ++link) {
    const auto [oldest, newest] = part.check(link);
    if (exchange.options().racy) {
      EXPECT_GE(oldest, exchange.iteration_of(link));
    } else {
      EXPECT_EQ(oldest, newest);
      EXPECT_EQ(oldest, exchange.iteration_of(link));
    }
  }
}

/// Random work and now and then none at all; what is received must be sound every time.
void run(AsyncExchange& exchange, GraphPart& part, std::uint64_t first, std::uint64_t last,
         std::minstd_rand& engine) {
  std::vector<std::uint64_t> before(part.begins.size(), 0);
  for (std::size_t link = 0; link < before.size(); ++link) before[link] = part.check(link).first;
  for (std::uint64_t iteration = first; iteration <= last; ++iteration) {
    part.iterate(iteration);
    if (engine() % 8 != 0) exchange.send(part.cells.data(), iteration);
    if (engine() % 20 == 0) std::this_thread::sleep_for(std::chrono::microseconds(engine() % 300));
    if (engine() % 8 == 0) continue;
    const std::size_t news = exchange.receive(part.cells.data());
    EXPECT_LE(news, part.begins.size());
    expect_sound(exchange, part);
    for (std::size_t link = 0; link < before.size(); ++link) {
      const std::uint64_t oldest = part.check(link).first;
      EXPECT_GE(oldest, before[link]);
      before[link] = oldest;
    }
  }
}

class AsyncExchangeTest : public testing::TestWithParam<Way> {
 protected:
  AsyncExchange make(const Pattern& pattern) const {
    const Way& way = GetParam();
    return {world(), pattern, sizeof(std::uint64_t), way.scheme,
            AsyncOptions{.buffers = way.buffers, .racy = way.racy}};
  }
};

std::string test_name(const testing::TestParamInfo<Way>& info) {
  std::string name = info.param.scheme + "_" + std::to_string(info.param.buffers);
  if (info.param.racy) name += "_racy";
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

}  // namespace

TEST_P(AsyncExchangeTest, BringsWholeIterationsForward) {
  const int me = mpi::rank(world());
  // Ranks that outnumber cores are slow.
  const unsigned seeds = mpi::size(world()) <= 2 ? 4 : 2;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    inject_delays(std::chrono::microseconds(seed % 2 == 0 ? 200 : 0),
                  seed + static_cast<unsigned>(me));
    const Graph graph(seed);
    GraphPart part(graph);
    AsyncExchange exchange = make(part.pattern);
    std::minstd_rand engine(100 * seed + static_cast<unsigned>(me));
    run(exchange, part, 1, 60 + engine() % 60, engine);
    exchange.drain(part.cells.data());
    expect_sound(exchange, part);
    expect_all_accounted_for(exchange);
    // It goes on where it was.
    run(exchange, part, 300, 340, engine);
    exchange.drain(part.cells.data());
    expect_all_accounted_for(exchange);
    // What is under way at the end is dropped.
    run(exchange, part, 341, 345, engine);
  }
  inject_delays(std::chrono::microseconds(0), 1);
}

TEST_P(AsyncExchangeTest, ASlowReceiverHoldsNobodyUp) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks < 2) GTEST_SKIP() << "needs two ranks";
  Pattern pattern;
  constexpr std::size_t cells = 100;
  if (me == 0) pattern.send(1, {.offset = 0, .count = {1, 1, cells}});
  if (me == 1) pattern.receive(0, {.offset = 0, .count = {1, 1, cells}});
  AsyncExchange exchange = make(pattern);
  std::vector<std::uint64_t> field(cells, 0);
  constexpr std::uint64_t iterations = 50;
  if (me == 0)
    for (std::uint64_t iteration = 1; iteration <= iterations; ++iteration) {
      field.assign(cells, iteration);
      exchange.send(field.data(), iteration);
    }
  // Rank 1 begins to receive when all have been offered.
  MPI_Barrier(world());
  if (me == 0) {
    const AsyncCounts counts = exchange.counts();
    const std::uint64_t parts = (counts.sent + counts.skipped) / iterations;
    EXPECT_EQ(counts.sent + counts.skipped, parts * iterations);
    EXPECT_GE(counts.sent, parts);
    // A sender that may not overwrite: no more than the buffers of both sides hold.
    const std::string& scheme = GetParam().scheme;
    const auto* const facts = detail::find_async(Scheme(scheme).method());
    const bool overwrites =
        (GetParam().racy ? facts->unread_racy : facts->unread) == methods::Unread::overwritten;
    const std::uint64_t most = overwrites ? iterations
                                          : static_cast<std::uint64_t>(GetParam().buffers) *
                                                (scheme.starts_with("p2p") ? 2 : 1);
    EXPECT_LE(counts.sent, parts * most);
    EXPECT_TRUE(!overwrites || counts.skipped == 0);
  }
  if (me == 1) {
    wait_until("test: arrival", [&] { return exchange.receive(field.data()) > 0; });
    // Racy: the first of several parts, maybe.
    EXPECT_TRUE(GetParam().racy || field == std::vector<std::uint64_t>(cells, field.front()));
    EXPECT_GT(*std::max_element(field.begin(), field.end()), 0U);
  }
  exchange.drain(field.data());
  expect_all_accounted_for(exchange);
  // There is room again.
  if (me == 0) {
    const std::uint64_t before = exchange.counts().sent;
    field.assign(cells, iterations + 1);
    exchange.send(field.data(), iterations + 1);
    EXPECT_GT(exchange.counts().sent, before);
  }
  exchange.drain(field.data());
  if (me <= 1) {
    EXPECT_EQ(field, std::vector<std::uint64_t>(cells, iterations + 1));
  }
  if (me == 1) {
    EXPECT_EQ(exchange.iteration_of(0), iterations + 1);
    EXPECT_THROW(exchange.iteration_of(1000), Error);
  }
}

TEST_P(AsyncExchangeTest, FillsBothArraysOfAPair) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  // Around a ring, and one cell that stays here.
  Pattern pattern;
  pattern.copy({.offset = 0}, {.offset = 2});
  if (ranks > 1) {
    pattern.send((me + 1) % ranks, {.offset = 0});
    pattern.receive((me + ranks - 1) % ranks, {.offset = 1});
  }
  AsyncExchange exchange = make(pattern);
  const auto mine = static_cast<std::uint64_t>(me);
  std::vector<std::uint64_t> now{10 + mine, 0, 0}, next{99, 0, 0};
  exchange.send(now.data(), 1);
  exchange.drain(now.data(), next.data());
  const std::uint64_t theirs =
      ranks > 1 ? 10 + static_cast<std::uint64_t>((me + ranks - 1) % ranks) : 0;
  EXPECT_EQ(now, (std::vector<std::uint64_t>{10 + mine, theirs, 10 + mine}));
  EXPECT_EQ(next, (std::vector<std::uint64_t>{99, theirs, 10 + mine}));
}

INSTANTIATE_TEST_SUITE_P(Schemes, AsyncExchangeTest, testing::ValuesIn(ways()), test_name);

TEST(AsyncExchange, TakesElementsOfAnySize) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  for (const std::string& scheme : async_schemes()) {
    SCOPED_TRACE(scheme);
    for (const std::size_t bytes : {3, 12}) {
      Pattern pattern;
      if (ranks > 1) {
        pattern.send((me + 1) % ranks, {.offset = 0, .count = {1, 1, 5}});
        pattern.receive((me + ranks - 1) % ranks, {.offset = 5, .count = {1, 1, 5}});
      }
      AsyncExchange exchange(world(), pattern, bytes, scheme);
      std::vector<char> cells(10 * bytes, static_cast<char>('a' + me));
      exchange.send(cells.data(), 1);
      exchange.drain(cells.data());
      std::vector<char> expected(5 * bytes, static_cast<char>('a' + me));
      expected.insert(expected.end(), 5 * bytes, static_cast<char>('a' + (me + ranks - 1) % ranks));
      EXPECT_EQ(cells, expected);
    }
  }
}

/// More than MPI has communicators for: they share one (and, by rma, all but a window each).
TEST(AsyncExchange, ManyAtOnce) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  for (const std::string& scheme : async_schemes())
    for (const bool racy : {false, true}) {
      if (racy && !can_be_racy(scheme)) continue;
      SCOPED_TRACE(scheme + (racy ? " racy" : ""));
      const bool few = ranks != 2 || scheme == "shmem";
      const std::size_t most = few ? 4 : scheme.starts_with("rma:") ? 700 : racy ? 300 : 2500;
      Pattern pattern;
      if (ranks > 1) {
        pattern.send((me + 1) % ranks, {.offset = 0, .count = {1, 1, 2}});
        pattern.receive((me + ranks - 1) % ranks, {.offset = 2, .count = {1, 1, 2}});
      }
      const auto cell = [](int rank, std::size_t which, std::size_t place) {
        return value(rank, 2 * which + place, 1);
      };
      // The second time with what the first has given back.
      for (const std::size_t count : {most, std::min<std::size_t>(most, 30)}) {
        std::vector<std::unique_ptr<AsyncExchange>> all;
        std::vector<std::uint64_t> cells(4 * count, 0);
        for (std::size_t i = 0; i < count; ++i) {
          all.push_back(std::make_unique<AsyncExchange>(world(), pattern, sizeof(std::uint64_t),
                                                        scheme, AsyncOptions{.racy = racy}));
          for (std::size_t place = 0; place < 2; ++place) cells[4 * i + place] = cell(me, i, place);
        }
        for (std::size_t i = 0; i < count; ++i) all[i]->send(&cells[4 * i], 1);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < count; ++i) {
          all[i]->drain(&cells[4 * i]);
          for (std::size_t place = 0; ranks > 1 && place < 2; ++place)
            wrong += cells[4 * i + 2 + place] != cell((me + ranks - 1) % ranks, i, place);
        }
        EXPECT_EQ(wrong, 0U);
      }
    }
}

TEST(AsyncExchange, SaysWhatDoesNotFit) {
  const auto refusal = [](const char* scheme, std::size_t bytes, const AsyncOptions& options) {
    return complaint([&] { const AsyncExchange exchange(world(), {}, bytes, scheme, options); });
  };
  std::string known;
  for (const std::string& scheme : async_schemes()) known += (known.empty() ? "" : ", ") + scheme;
  EXPECT_EQ(refusal("p2p:sendrecv", 8, {}),
            "p2p:sendrecv cannot be asynchronous; these can: " + known);
  EXPECT_EQ(refusal("auto", 8, {}), "auto cannot be asynchronous; these can: " + known);
  EXPECT_EQ(refusal("p2p:nonblocking+pack=off", 8, {}),
            "p2p:nonblocking+pack=off, asynchronous: pack has no meaning there; drop pack");
  EXPECT_EQ(refusal("p2p:nonblocking", 8, {.buffers = 0}),
            "p2p:nonblocking, asynchronous: there are 0 buffers; each link needs at least 1");
  EXPECT_EQ(refusal("p2p:nonblocking", 4, {.racy = true}),
            "p2p:nonblocking, asynchronous: elements of 4 bytes might be torn; racy exchanges take "
            "elements of 8 bytes");
  EXPECT_EQ(refusal("shm:signal+access=direct", 8, {}),
            "shm:signal+access=direct, asynchronous: access has no meaning there; drop access");
  EXPECT_EQ(refusal("shm:signal+outer=neighbor:blocking", 8, {}),
            "neighbor:blocking cannot be asynchronous; these can: " + known);
  EXPECT_EQ(refusal("rma:put:flush+notify=counter", 8, {}),
            "rma:put:flush+notify=counter, asynchronous: notify has no meaning there; drop notify");
  EXPECT_EQ(refusal("p2p:nonblocking", 0, {}), "asynchronous exchange: elements of 0 bytes");
  EXPECT_EQ(refusal("p2p:nonblocking+mode=synchronous", 8, {}), "");
}
