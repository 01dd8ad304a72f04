// What a traced step shows is what the scheme's description says: the same messages, puts, fences,
// locks and signals, in the same order, and computing's neighbours (pack, transfer, wait, unpack)
// one after the other as described.

#include <halocline/exchange.hpp>
#include <halocline/model.hpp>
#include <halocline/topology.hpp>

#include "common/tested_schemes.hpp"
#include "trace/recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

/// `unheard`: peers that share memory.
Half as_described(const std::vector<Operation>& operations, bool finishing,
                  const std::set<int>& unheard) {
  Half half;
  for (const Operation& operation : operations) {
    const Activity seen = activity(operation);
    const bool own = seen == Activity::lock && operation.peer < 0;
    const bool permits = operation.verb == Verb::tell && operation.word == Word::permit;
    // In memory that they share ranks tell each other without a call, or in an epoch of its own.
    const bool unseen =
        unheard.contains(operation.peer) && (seen == Activity::signal || seen == Activity::start);
    if (is_call(seen) && !unseen) half.calls.add(seen, operation.peer, operation.bytes);
    if (seen == Activity::none || own || permits) continue;
    if (seen == Activity::pack || seen == Activity::unpack || seen == Activity::wait)
      enter(half.phases, seen);
    else
      enter(half.phases, finishing ? Activity::wait : Activity::transfer);
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
  for (const int peer : expected.unpacked)
    EXPECT_EQ(std::count(found.unpacked.begin(), found.unpacked.end(), peer), 1) << peer;
}

std::vector<LinkSize> sizes(const std::vector<Link>& links, const Scheme& scheme) {
  std::vector<LinkSize> all;
  const bool twos = scheme.has("island") && scheme.is("island", "2");
  for (const Link& link : links) {
    LinkSize size{.peer = link.peer, .bytes = link.size() * sizeof(double), .pieces = 0};
    for (const Block& block : link.blocks) size.pieces += block.count[0] * block.count[1];
    size.inside = !twos || link.peer / 2 == me() / 2;
    all.push_back(size);
  }
  return all;
}

void check(const Pattern& pattern, Exchange& exchange, bool two_way) {
  const Scheme& scheme = exchange.scheme();
  const auto number = static_cast<std::uint16_t>(Recorder::instance().exchanges.size());
  for (int step = 0; step < steps; ++step) {
    HALOCLINE_MPI(MPI_Barrier, world());
    exchange.run();
  }
  trace::record(false);

  const Links links{
      .rank = me(),
      .ranks = ranks(),
      .island = scheme.has("island") && scheme.is("island", "2") ? me() / 2 : 0,
      .sends = sizes(pattern.sends(), scheme),
      .receives = sizes(pattern.receives(), scheme),
      .kept_bytes = pattern.copies_from().size() * sizeof(double),
      .kept_pieces = pattern.copies_from().blocks.size(),
      .several_islands = scheme.has("island") && scheme.is("island", "2") && ranks() > 2,
      .two_way = two_way};
  const Step step = describe(scheme, links);
  const bool shared = scheme.part(0) == "shm";
  std::set<int> unheard;
  for (const auto* const side : {&links.sends, &links.receives})
    for (const LinkSize& link : *side)
      if (shared && link.inside) unheard.insert(link.peer);

  std::vector<Record> events;
  for (const auto some : Recorder::instance().buffers.front()->in_order())
    events.insert(events.end(), some.begin(), some.end());
  std::stable_sort(events.begin(), events.end(), [](const Record& one, const Record& other) {
    return std::pair(one.begin, one.depth) < std::pair(other.begin, other.depth);
  });
  int found = 0;
  for (const Record& part : events) {
    if (part.exchange != number || part.step != static_cast<std::uint32_t>(steps)) continue;
    if (part.activity != Activity::begin_step && part.activity != Activity::end_step) continue;
    ++found;
    const bool finishing = part.activity == Activity::end_step;
    SCOPED_TRACE(finishing ? "finish" : "start");
    compare(as_recorded(events, part, shared),
            as_described(finishing ? step.finish : step.start, finishing, unheard));
  }
  EXPECT_EQ(found, 2);
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
  check(grid.halo(), exchange, true);
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
  check(pattern, exchange, false);
}

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
  std::erase_if(all, [](const std::string& one) {
    return one.starts_with("shmem") || one.starts_with("gaspi");
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Schemes, Execution, testing::ValuesIn(schemes()), name_of_scheme);

}  // namespace
}  // namespace halocline::model
