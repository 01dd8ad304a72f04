// What a traced step shows is what the scheme's description says: the same messages, puts, fences,
// locks and signals, in the same order, and computing's neighbours (pack, transfer, wait, unpack)
// one after the other as described. The same for exchanges whose cells change, go back to their
// owners, or wait for nobody.

#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/model.hpp>

#include "common/tested_schemes.hpp"
#include "trace/recorder.hpp"

#include <gtest/gtest.h>

#ifdef HALOCLINE_TEST_SIMULATOR
#include "world.hpp"

#include <nlohmann/json.hpp>
#endif

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

namespace halocline::model {
namespace {

using trace::detail::Record;
using trace::detail::Recorder;

constexpr int steps = 4;

int me() {
  return mpi::rank(world());
}
int ranks() {
  return mpi::size(world());
}

/// A call that moves data or synchronises; those that are one call for a whole group have no peer.
struct Seen {
  Activity activity;
  int peer = trace::nobody;
  std::size_t bytes = 0;
  bool operator==(const Seen&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Seen& seen) {
    return out << name(seen.activity) << ' ' << seen.peer << ' ' << seen.bytes;
  }
};

bool moves(Activity activity) {
  return activity == Activity::put || activity == Activity::get || activity == Activity::accumulate;
}
bool is_call(Activity activity) {
  switch (activity) {
    case Activity::send:
    case Activity::fence:
    case Activity::post:
    case Activity::start:
    case Activity::complete:
    case Activity::lock:
    case Activity::unlock:
    case Activity::flush:
    case Activity::signal: return true;
    default: return moves(activity);
  }
}
bool is_phase(Activity activity) {
  return activity == Activity::pack || activity == Activity::transfer ||
         activity == Activity::wait || activity == Activity::unpack;
}

class Calls {
 public:
  void add(Activity activity, int peer, std::size_t bytes) {
    const bool single = moves(activity) || activity == Activity::lock ||
                        activity == Activity::unlock || activity == Activity::flush ||
                        activity == Activity::send;
    if (activity == Activity::lock || activity == Activity::unlock)
      if (peer == trace::nobody) return;  // its own memory
    const Seen seen{activity, single ? peer : trace::nobody, moves(activity) ? bytes : 0};
    // Circles of the same neighbours have one window.
    const bool group = activity == Activity::fence || activity == Activity::post ||
                       activity == Activity::start || activity == Activity::complete ||
                       activity == Activity::signal;
    if (group && !all.empty() && all.back() == seen) return;
    all.push_back(seen);
  }
  std::vector<Seen> all;
};

using Phases = std::vector<Activity>;
void enter(Phases& phases, Activity activity) {
  if (phases.empty() || phases.back() != activity) phases.push_back(activity);
}

/// One of `start` and `finish`, as it was or as it ought to be.
struct Half {
  Calls calls;
  Phases phases;
  std::vector<int> unpacked;
};

/// `unheard`: peers that share memory. `meanwhile`: in which phase calls are.
Half as_described(const std::vector<Operation>& operations, Activity meanwhile,
                  const std::set<int>& unheard) {
  Half half;
  for (const Operation& operation : operations) {
    const Activity seen = activity(operation);
    const bool own = seen == Activity::lock && operation.peer < 0;
    const bool permits = operation.verb == Verb::notify && operation.word == Word::permit;
    // In memory that they share ranks tell each other without a call, or in an epoch of its own.
    const bool unseen =
        unheard.contains(operation.peer) && (seen == Activity::signal || seen == Activity::start);
    if (is_call(seen) && !unseen) half.calls.add(seen, operation.peer, operation.bytes);
    if (seen == Activity::none || own || permits) continue;
    if (seen == Activity::pack || seen == Activity::unpack || seen == Activity::wait)
      enter(half.phases, seen);
    else
      enter(half.phases, meanwhile);
    if (seen == Activity::unpack) half.unpacked.push_back(operation.peer);
  }
  return half;
}

/// `events` by their beginnings, outer ones first.
Half as_recorded(const std::vector<Record>& events, const Record& part, bool shared) {
  Half half;
  std::vector<const Record*> phases;
  trace::detail::Ticks calling_until = part.begin;
  for (const Record& event : events) {
    if (event.begin < part.begin || event.end > part.end) continue;
    while (!phases.empty() && phases.back()->end <= event.begin && event.end > event.begin) {
      phases.pop_back();
      if (!phases.empty()) enter(half.phases, phases.back()->activity);
    }
    if (is_phase(event.activity)) {
      enter(half.phases, event.activity);
      phases.push_back(&event);
      if (event.activity == Activity::unpack && event.peer != trace::nobody)
        half.unpacked.push_back(event.peer);
    }
    // A signal may be a put and a flush in turn.
    if (!is_call(event.activity) || event.begin < calling_until) continue;
    calling_until = event.end;
    if (shared && event.exchange == part.exchange && event.activity == Activity::start) continue;
    half.calls.add(event.activity, event.peer, event.bytes);
  }
  for (; !phases.empty(); phases.pop_back()) enter(half.phases, phases.back()->activity);
  return half;
}

bool within(const Phases& some, const Phases& all) {
  auto at = all.begin();
  return std::all_of(some.begin(), some.end(), [&](Activity one) {
    at = std::find(at, all.end(), one);
    return at != all.end();
  });
}

std::string text(const Phases& phases) {
  std::string words;
  for (const Activity one : phases) words += std::string(name(one)) + ' ';
  return words;
}

void compare(const Half& found, const Half& expected) {
  EXPECT_EQ(found.calls.all, expected.calls.all);
  EXPECT_TRUE(within(expected.phases, found.phases))
      << "recorded: " << text(found.phases) << "\ndescribed: " << text(expected.phases);
  if (found.unpacked.size() < expected.unpacked.size()) return;  // in one go, of some or all
  // By way of heads a rank may have several messages of another one; not all are described, since
  // what lies as it came is where it belongs.
  const auto times = [](const std::vector<int>& peers, int peer) {
    return std::count(peers.begin(), peers.end(), peer);
  };
  for (const int peer : expected.unpacked)
    EXPECT_GE(times(found.unpacked, peer), times(expected.unpacked, peer)) << peer;
}

std::vector<LinkSize> sizes(const std::vector<Link>& links, const Scheme& scheme,
                            std::size_t capacity) {
  std::vector<LinkSize> all;
  const bool twos = scheme.has("island") && scheme.is("island", "2");
  for (const Link& link : links) {
    LinkSize size{.peer = link.peer,
                  .bytes = link.size() * sizeof(double),
                  .pieces = 0,
                  .capacity = capacity};
    for (const Block& block : link.blocks) size.pieces += block.count[0] * block.count[1];
    size.inside = !twos || link.peer / 2 == me() / 2;
    all.push_back(size);
  }
  return all;
}

/// What the description is of.
struct Case {
  const Pattern& pattern;
  const Scheme& scheme;
  bool two_way = true;
  Kind kind = Kind::fixed;
  std::size_t capacity = 0;  ///< bytes
};

/// Holds step `number` of the exchange that was described last against `step`, what it ought to be.
void check(const Step& step, bool waits, const std::set<int>& unheard, std::uint32_t number) {
  const auto exchange = static_cast<std::uint16_t>(Recorder::instance().exchanges.size());
  std::vector<Record> events;
  for (const auto some : trace::detail::Buffers::instance().all.front()->in_order())
    events.insert(events.end(), some.begin(), some.end());
  std::stable_sort(events.begin(), events.end(), [](const Record& one, const Record& other) {
    return std::pair(one.begin, one.depth) < std::pair(other.begin, other.depth);
  });
  int found = 0;
  for (const Record& part : events) {
    if (part.exchange != exchange || part.step != number) continue;
    if (part.activity != Activity::begin_step && part.activity != Activity::end_step) continue;
    ++found;
    const bool finishing = part.activity == Activity::end_step;
    SCOPED_TRACE(finishing ? "finish" : "start");
    compare(as_recorded(events, part, !unheard.empty()),
            as_described(finishing ? step.finish : step.start,
                         finishing && waits ? Activity::wait : Activity::transfer, unheard));
  }
  EXPECT_EQ(found, 2);
}

/// Peers with which memory is shared, if the scheme does that.
void add_unheard(const Links& links, const Scheme& scheme, std::set<int>& unheard) {
  if (scheme.part(0) != "shm") return;
  for (const auto* const side : {&links.sends, &links.receives})
    for (const LinkSize& link : *side)
      if (link.inside) unheard.insert(link.peer);
}

void check(const Case& of, std::uint32_t number) {
  const bool twos = of.scheme.has("island") && of.scheme.is("island", "2");
  const Links links{.rank = me(),
                    .ranks = ranks(),
                    .island = twos ? me() / 2 : 0,
                    .sends = sizes(of.pattern.sends(), of.scheme, of.capacity),
                    .receives = sizes(of.pattern.receives(), of.scheme, of.capacity),
                    .kept_bytes = of.pattern.copies_from().size() * sizeof(double),
                    .kept_pieces = of.pattern.copies_from().blocks.size(),
                    .several_islands = twos && ranks() > 2,
                    .two_way = of.two_way};
  std::set<int> unheard;
  add_unheard(links, of.scheme, unheard);
  check(describe(of.scheme, links, of.kind), of.kind != Kind::asynchronous, unheard, number);
}

void run(Exchange& exchange) {
  for (int step = 0; step < steps; ++step) {
    HALOCLINE_MPI(MPI_Barrier, world());
    exchange.run();
  }
  trace::record(false);
}

/// Runs some steps and checks the last.
void check(Exchange& exchange, const Case& of) {
  run(exchange);
  check(of, steps);
}

class Execution : public testing::TestWithParam<std::string> {
 protected:
  // Clocks are compared once.
  static void SetUpTestSuite() { trace::begin(world(), {.paused = true}); }
  void SetUp() override { trace::record(true); }
  void TearDown() override { trace::record(false); }
  static void TearDownTestSuite() {
    const std::string file = testing::TempDir() + "execution." + std::to_string(ranks());
    trace::write(world(), file);
    if (me() == 0) std::remove(file.c_str());
  }
};

TEST_P(Execution, OfAHaloIsThatOfItsDescription) {
  const Grid grid(world(), {12, 14}, {.periodic = {true, false}});
  const Scheme scheme(GetParam());
  Array<double> cells(grid, scheme);
  Exchange exchange(grid.halo(), cells, scheme);
  check(exchange, {grid.halo(), exchange.scheme()});
}

TEST_P(Execution, OfAShiftIsThatOfItsDescription) {
  const Scheme scheme(GetParam());
  if ((scheme.has("access") && !scheme.is("access", "slots")) ||
      (scheme.has("pack") && scheme.is("pack", "off")))
    GTEST_SKIP() << "plain memory";
  std::vector<double> cells(64, me());
  Pattern pattern;
  if (me() + 1 < ranks()) pattern.send(me() + 1, {0, {1, 4, 3}, {0, 8}});
  if (me() > 0) pattern.receive(me() - 1, {32, {1, 4, 3}, {0, 8}});
  Exchange exchange(world(), pattern, {field(cells.data(), cells.size())}, scheme);
  check(exchange, {pattern, exchange.scheme(), false});
}

/// Frames are written anew in each step: nobody may read them where they lie.
bool has_frames(const Scheme& scheme) {
  return !scheme.has("access") || scheme.is("access", "slots");
}

TEST_P(Execution, OfARaggedHaloIsThatOfItsDescription) {
  const Scheme scheme(GetParam());
  if (!has_frames(scheme)) GTEST_SKIP() << "in place";
  const Grid grid(world(), {12, 14}, {.periodic = {true, false}});
  constexpr std::size_t most = 40;  // above every link's cells
  std::vector<double> cells(static_cast<std::size_t>(grid.halo().extent()));
  Exchange exchange(world(), grid.halo(), {field(cells.data(), cells.size())}, scheme,
                    {.changes = true, .capacity = most});
  check(exchange, {grid.halo(), exchange.scheme(), true, Kind::ragged, most * sizeof(double)});
}

TEST_P(Execution, OfWhatGoesBackAndIsAddedIsThatOfItsDescription) {
  const Scheme scheme(GetParam());
  if (!has_frames(scheme)) GTEST_SKIP() << "in place";
  const Grid grid(world(), {12, 14}, {.periodic = {true, false}});
  Array<double> cells(grid, scheme);
  const Pattern back = grid.halo().reversed();
  Exchange exchange(back, cells, scheme, {.combine = Combine::sum, .any_order = true});
  check(exchange, {back, exchange.scheme(), true, Kind::reversed});
}

class AsynchronousExecution : public Execution {};

TEST_P(AsynchronousExecution, IsThatOfItsDescriptionWhereThereAreNews) {
  const Grid grid(world(), {12, 14}, {.periodic = {true, false}});
  const Scheme scheme(GetParam());
  std::vector<double> cells(static_cast<std::size_t>(grid.halo().extent()));
  AsyncExchange exchange(world(), grid.halo(), sizeof(double), scheme, {.buffers = 2});
  const std::size_t links = grid.halo().receives().size();
  // Once all have sent to all and all have heard of all within a step: messages may take a while.
  bool complete = false;
  std::uint32_t step = 0;
  while (!complete && ++step < 1000) {
    const AsyncCounts before = exchange.counts();
    exchange.send(cells.data(), step);
    HALOCLINE_MPI(MPI_Barrier, world());
    const bool heard = exchange.receive(cells.data()) == links;
    const AsyncCounts after = exchange.counts();
    complete = mpi::all_of(
        world(), heard && after.skipped == before.skipped && after.superseded == before.superseded);
  }
  ASSERT_TRUE(complete);
  trace::record(false);
  check({grid.halo(), scheme, true, Kind::asynchronous}, step);
  exchange.drain(nullptr);
}

#ifdef HALOCLINE_TEST_SIMULATOR
class ExecutionByHeads : public Execution {};

/// Peers and bytes, in the order of the peers.
std::map<int, std::size_t> by_peer(const auto& links) {
  std::map<int, std::size_t> bytes;
  for (const auto& link : links) bytes[link.peer] += link.bytes;
  return bytes;
}

// What each rank has to say to its head is made out by all of them together in the exchange, and
// from a grid and a cut in the simulator's world.
TEST_P(ExecutionByHeads, IsThatOfItsDescription) {
  if (ranks() % 2 != 0) GTEST_SKIP() << "pairs";
  const std::string name = GetParam();
  if (!is_usable(name.substr(0, name.find('+')))) GTEST_SKIP() << "not with this MPI";
  const Grid grid(world(), {12, 14}, {.periodic = {true, false}});
  const Scheme scheme(GetParam());
  Array<double> cells(grid, scheme);
  Exchange exchange(grid.halo(), cells, scheme);
  const std::size_t outer = Recorder::instance().exchanges.size() - 1;
  run(exchange);
  const nlohmann::json request{
      {"scheme", GetParam()},
      {"ranks", ranks()},
      {"pattern",
       {{"kind", "grid"}, {"cells", {12, 14}}, {"dims", grid.dims()}, {"periodic", {0}}}}};
  const Links links = halosim::world(request).links.at(static_cast<std::size_t>(me()));
  std::set<int> unheard;
  add_unheard(links, scheme, unheard);
  if (ranks() > 2) {
    ASSERT_EQ(links.hops.size(), std::size_t{hops_by_heads});
    for (std::size_t hop = 0; hop < links.hops.size(); ++hop) {
      SCOPED_TRACE("hop " + std::to_string(hop));
      const auto& described = Recorder::instance().exchanges[outer - hops_by_heads + hop];
      EXPECT_EQ(by_peer(links.hops[hop].sends), by_peer(described.sends));
      EXPECT_EQ(by_peer(links.hops[hop].receives), by_peer(described.receives));
      add_unheard(links.hops[hop], scheme, unheard);
    }
  }
  check(describe(scheme, links), true, unheard, steps);
}

INSTANTIATE_TEST_SUITE_P(Schemes, ExecutionByHeads,
                         testing::Values("p2p:nonblocking+heads=2", "neighbor:persistent+heads=2",
                                         "rma:put:fence+heads=2", "rma:get:flush+heads=2",
                                         "rma:accumulate:pscw+heads=2", "shm:signal+heads=2"),
                         name_of_scheme);
#endif

std::vector<std::string> schemes() {
  std::vector<std::string> all = tested_schemes();
  for (const char* more :
       {"rma:put:fence+group=neighbors", "rma:get:fence+group=neighbors", "rma:put:pscw+pack=off",
        "rma:put:flush+pack=off", "rma:get:flush+pack=off", "rma:put:flush+notify=flag",
        "rma:get:lock+notify=counter", "shm:pscw+access=copy", "shm:signal+access=copy",
        "shm:signal+island=2", "shm:pscw+island=2+outer=rma:put:flush",
        "shm:fence+island=2+outer=rma:put:fence"})
    if (std::find(all.begin(), all.end(), more) == all.end()) all.emplace_back(more);
  std::erase(all, "auto");
  std::erase_if(all, [](const std::string& one) { return one.starts_with("shmem"); });
  return all;
}

std::vector<std::string> asynchronous_schemes() {
  std::vector<std::string> all = async_schemes();
  std::erase(all, "shmem");
  all.emplace_back("shm:signal+island=2");
  return all;
}

INSTANTIATE_TEST_SUITE_P(Schemes, Execution, testing::ValuesIn(schemes()), name_of_scheme);
INSTANTIATE_TEST_SUITE_P(Schemes, AsynchronousExecution, testing::ValuesIn(asynchronous_schemes()),
                         name_of_scheme);

}  // namespace
}  // namespace halocline::model
