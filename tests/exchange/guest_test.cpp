// What a library owes to the program that it works for: it refuses communicators whose ranks cannot
// meet, says who waits for whom when a limit passes, and lets threads have exchanges of their own.

#include "common/comma_locale.hpp"
#include "common/complaint.hpp"
#include "common/ranks.hpp"

#include <halocline/arena.hpp>
#include <halocline/gather_scatter.hpp>
#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/global_clock.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/more/replicated.hpp>
#ifdef _OPENMP
#include <halocline/more/style.hpp>
#endif
#include <halocline/more/trace.hpp>
#include <halocline/more/tuner.hpp>
#include <halocline/more/waiting.hpp>
#include <halocline/ragged_exchange.hpp>

#include <gtest/gtest.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <thread>

using namespace halocline;
using namespace std::chrono_literals;

namespace {

void wait_for_all() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world(), &request);
  wait_one("test: all ranks", request);
}

// ---- communicators ---------------------------------------------------------------------------

/// All that is made on a communicator of the caller's.
std::map<std::string, std::function<void(MPI_Comm)>> made_on_a_communicator() {
  static double cells[8] = {};
  static const std::int64_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  std::map<std::string, std::function<void(MPI_Comm)>> all = {
      {"Grid, renumbered",
       [](MPI_Comm comm) {
         Grid(comm, {8, 8}, {.renumber = true});
       }},
      {"Islands", [](MPI_Comm comm) { const Islands islands(comm); }},
      {"Array", [](MPI_Comm comm) { Array<double>(comm, 8, Scheme("shm:signal+access=copy")); }},
      {"RaggedExchange", [](MPI_Comm comm) { RaggedExchange(comm, {}, {}, 8, 1, "shm:signal"); }},
      {"GatherScatter",
       [](MPI_Comm comm) { GatherScatter(comm, numbers, field(cells, 8), "p2p:nonblocking"); }},
      {"AsyncExchange",
       [](MPI_Comm comm) { AsyncExchange(comm, Pattern(), 8, "p2p:nonblocking"); }},
#ifdef _OPENMP
      {"StyledExchange",
       [](MPI_Comm comm) {
         StyledExchange(comm, Pattern(), {field(cells, 8)}, "p2p:nonblocking", Style("naive"), 2);
       }},
#endif
      {"Replicated", [](MPI_Comm comm) { Replicated<double>(comm, 8); }},
      {"AsyncSum", [](MPI_Comm comm) { make_async_sum(comm); }},
      {"GlobalClock", [](MPI_Comm comm) { const GlobalClock clock(comm); }},
      {"Arena", [](MPI_Comm comm) { Arena(comm, 4096, "p2p:nonblocking"); }},
      {"Exchange of parts",
       [](MPI_Comm comm) {
         Exchange(comm, std::vector<ExchangePart>{{Pattern(), {field(cells, 8)}}},
                  "p2p:nonblocking");
       }},
      {"Exchange that changes",
       [](MPI_Comm comm) {
         Exchange(comm, Pattern(), field(cells, 8), "p2p:nonblocking", {.changes = true});
       }},
      {"Exchange of other arrays",
       [](MPI_Comm comm) { Exchange(comm, Pattern(), unbound<double>(), "p2p:nonblocking"); }},
      {"crowded", crowded},
      {"trace", [](MPI_Comm comm) { trace::begin(comm); }},
      {"machine_of", [](MPI_Comm comm) { machine_of(comm, IslandSpec()); }},
      {"make_collectives_yield", make_collectives_yield},
      {"Patience::detect", Patience::detect}};
  for (const MemoryKind kind : {MemoryKind::plain, MemoryKind::window, MemoryKind::shared})
    all["Memory " + std::to_string(static_cast<int>(kind))] = [kind](MPI_Comm comm) {
      Memory(comm, 8, kind);
    };
  for (const char* kind : {"allreduce", "iallreduce", "chain", "last", "accumulate"})
    all[std::string("MaxReduction, ") + kind] = [kind](MPI_Comm comm) {
      make_max_reduction(comm, reduction_kind(kind), 2);
    };
  for (const SchemeFacts& known : known_schemes())
    for (const bool combines : {false, true})
      if (known.unavailable.empty())
        all[known.scheme + (combines ? ", sum" : "")] = [known, combines](MPI_Comm comm) {
          Exchange(comm, Pattern(), field(cells, 8), Scheme(known.scheme),
                   {.combine = combines ? Combine::sum : Combine::replace, .any_order = true});
        };
  return all;
}

/// All that is asked of a communicator besides.
std::map<std::string, std::function<void(MPI_Comm)>> asked_of_a_communicator() {
  auto all = made_on_a_communicator();
  all["Grid"] = [](MPI_Comm comm) { Grid(comm, {8, 8}); };
  all["Grid::distribution"] = [](MPI_Comm comm) {
    static_cast<void>(Grid(world(), {8, 8}).distribution(comm));
  };
  all["trace::write"] = [](MPI_Comm comm) { trace::write(comm, "nowhere"); };
  return all;
}

TEST(Communicators, WhoseRanksCannotMeetAreRefused) {
  MPI_Comm mine = MPI_COMM_NULL, between = MPI_COMM_NULL;
  MPI_Comm_split(world(), me() == 0 ? 0 : 1, me(), &mine);
  if (ranks() > 1) MPI_Intercomm_create(mine, 0, world(), me() == 0 ? 1 : 0, 3, &between);
  for (const auto& [name, make] : asked_of_a_communicator()) {
    EXPECT_EQ(complaint([&] { make(MPI_COMM_NULL); }).rfind("MPI_COMM_NULL has no ranks", 0), 0u)
        << name;
    if (ranks() > 1) {
      EXPECT_EQ(complaint([&] { make(between); }).rfind("an intercommunicator has two groups", 0),
                0u)
          << name;
    }
    EXPECT_EQ(MPI_Comm(MPI_COMM_WORLD), world());
  }
  if (ranks() > 1) MPI_Comm_free(&between);
  MPI_Comm_free(&mine);
}

// ---- limits ----------------------------------------------------------------------------------

/// A limit of this process, for one test.
class Limit {
 public:
  explicit Limit(std::chrono::duration<double> limit) { Patience::current().timeout = limit; }
  ~Limit() { Patience::current() = saved_; }

 private:
  Patience saved_ = Patience::current();
};

/// A cell to each other rank of `comm`, and one from each.
Pattern all_to_all(MPI_Comm comm) {
  Pattern pattern;
  for (int peer = 0; peer < mpi::size(comm); ++peer) {
    if (peer == mpi::rank(comm)) continue;
    pattern.send(peer, {.offset = 0});
    pattern.receive(peer, {.offset = 1 + peer});
  }
  return pattern;
}

TEST(Limits, ThatPassNameRankPeersSchemeAndRemedy) {
  if (ranks() != 3) GTEST_SKIP() << "of three ranks one is late";
  // Numbers are those of MPI_COMM_WORLD, as launchers and debuggers have them.
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(world(), 0, -me(), &reversed);
  const auto expect = [](const std::string& said, const std::string& scheme, bool knows) {
    EXPECT_EQ(said, scheme +
                        ": a step with ranks 1, 2: no progress for 0.05 s on rank 0; a peer is "
                        "lost, stuck or far slower (raise the limit with HALOCLINE_TIMEOUT)" +
                        (knows ? "; still awaited: rank 2" : ""));
  };
  for (const std::string scheme :
       {"p2p:nonblocking", "p2p:persistent", "shm:signal", "shm:message", "neighbor:nonblocking"}) {
    std::vector<double> x(4);
    {
      Exchange exchange(reversed, all_to_all(reversed), field(x.data(), x.size()), scheme);
      if (me() == 1) exchange.start();  // rank 2 never begins
      wait_for_all();
      if (me() == 0) {
        const Limit limit(50ms);
        exchange.start();
        expect(complaint([&] { exchange.finish(); }), scheme,
               scheme.find("neighbor") == scheme.npos);
      }
    }
    wait_for_all();
  }
  {
    const std::vector<int> others = me() == 0   ? std::vector{1, 2}
                                    : me() == 1 ? std::vector{0, 2}
                                                : std::vector{0, 1};
    RaggedExchange exchange(world(), others, others, 8, 1, "p2p:nonblocking");
    if (me() == 1) exchange.start();
    wait_for_all();
    if (me() == 0) {
      const Limit limit(50ms);
      exchange.start();
      expect(complaint([&] { exchange.finish(); }), "p2p:nonblocking", true);
    }
  }
  wait_for_all();
  MPI_Comm_free(&reversed);
}

/// What is made of several ranks in several talks, the first of which is polled where exchanges
/// have been made on the communicator.
std::map<std::string, std::function<void(MPI_Comm)>> made_in_talks() {
  static double cells[8] = {};
  static const std::int64_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  std::map<std::string, std::function<void(MPI_Comm)>> all = {
      {"RaggedExchange",
       [](MPI_Comm comm) {
         const int next = (me() + 1) % ranks(), last = (me() + ranks() - 1) % ranks();
         RaggedExchange(comm, {next}, {last}, 8, 1, "p2p:nonblocking");
       }},
      {"GatherScatter",
       [](MPI_Comm comm) { GatherScatter(comm, numbers, field(cells, 8), "p2p:nonblocking"); }},
      {"AsyncExchange",
       [](MPI_Comm comm) { AsyncExchange(comm, all_to_all(comm), 8, "p2p:nonblocking"); }},
      {"GlobalClock", [](MPI_Comm comm) { const GlobalClock clock(comm); }}};
  for (const std::string scheme : {"p2p:nonblocking", "neighbor:nonblocking", "shm:signal",
                                   "rma:put:flush", "p2p:nonblocking+heads=1"})
    all[scheme] = [scheme](MPI_Comm comm) {
      Exchange(comm, all_to_all(comm), field(cells, 8), scheme);
    };
  return all;
}

TEST(Limits, ThatPassInSetUpLeaveNothingThatOtherCallsMeet) {
  if (ranks() == 1) GTEST_SKIP() << "nobody is late";
  for (const auto& [name, make] : made_in_talks())
    for (const bool late : {true, false}) {
      // Ranks give up one after the other, seconds apart.
      if (late && (ranks() != 2 || name != "p2p:nonblocking")) continue;
      SCOPED_TRACE(name + (late ? ", to which others come late" : ", to which others do not come"));
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(world(), &comm);
      {
        std::vector<double> x(4, me());
        Exchange before(comm, all_to_all(comm), field(x.data(), x.size()), "p2p:nonblocking");
        const auto give_up = [&, &make = make] {
          const Limit limit(50ms);
          EXPECT_THROW(make(comm), Timeout);
        };
        if (me() == 0) give_up();
        wait_for_all();
        if (me() != 0 && late) give_up();
        if (me() == 0 || late) {
          // In particular nothing that would meet what has been left.
          for (const auto& [other, make_other] : made_on_a_communicator())
            EXPECT_EQ(complaint([&, &make_other = make_other] {
                        make_other(comm);
                      }).rfind("a time limit passed while ranks of this communicator", 0),
                      0u)
                << other;
        }
        // What is the caller's, what has been made before, and other communicators go on.
        int sum = 1;
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
        EXPECT_EQ(sum, ranks());
        for (int step = 0; step < 3; ++step) {
          x[0] = 10 * step + me();
          before.run();
          for (int peer = 0; peer < ranks(); ++peer)
            if (peer != me()) {
              EXPECT_EQ(x[static_cast<std::size_t>(peer) + 1], 10 * step + peer);
            }
          wait_for_all();
        }
        std::vector<double> y(4, me());
        Exchange(all_to_all(world()), field(y.data(), y.size()), "p2p:nonblocking").run();
        const int last = (me() + ranks() - 1) % ranks();
        EXPECT_EQ(y[static_cast<std::size_t>(last) + 1], last);
      }
      MPI_Comm_free(&comm);
      wait_for_all();
    }
}

// ---- threads ---------------------------------------------------------------------------------

double value(int thread, int step, int rank) {
  return std::sin(1000 * thread + step + 0.1 * rank);
}

/// A ring of cells, step after step; how many halos were not right to the last bit.
int wrong_halos(MPI_Comm comm, const std::string& scheme, int thread, int steps) {
  const int before = (me() + ranks() - 1) % ranks(), after = (me() + 1) % ranks();
  const Grid grid(comm, {8 * ranks()}, {.halo = 1, .periodic = {true}});
  Array<double> cells(grid, Scheme(scheme));
  Exchange halos(comm, grid.halo(), cells, scheme);
  int wrong = 0;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 1; i < 9; ++i) cells[i] = value(thread, step, me());
    halos.run();
    if (cells[0] != value(thread, step, before) || cells[9] != value(thread, step, after)) ++wrong;
  }
  return wrong;
}

TEST(Threads, HaveExchangesOnCommunicatorsOfTheirOwn) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "MPI gives less than MPI_THREAD_MULTIPLE";
  const Yielding main_thread(true);
  const Patience before = Patience::current();
  Patience::current().yield = true;
  // In each round four threads make, run and destroy exchanges at the same time.
  const std::vector<std::array<std::string, 4>> rounds = {
      {"p2p:nonblocking", "shm:signal", "p2p:persistent", "neighbor:nonblocking"},
      {"shm:signal", "shm:signal", "p2p:nonblocking", "rma:put:flush"}};
  for (const auto& schemes : rounds) {
    std::vector<MPI_Comm> comms(schemes.size());
    for (MPI_Comm& comm : comms) MPI_Comm_dup(world(), &comm);
    std::vector<int> wrong(schemes.size(), -1);
    std::vector<std::string> problems(schemes.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < schemes.size(); ++t)
        threads.emplace_back([&, t] {
          problems[t] = complaint(
              [&] { wrong[t] = wrong_halos(comms[t], schemes[t], static_cast<int>(t), 1000); });
        });
    }
    for (std::size_t t = 0; t < schemes.size(); ++t) {
      EXPECT_EQ(problems[t], "") << schemes[t];
      EXPECT_EQ(wrong[t], 0) << schemes[t];
    }
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  }
  Patience::current() = before;
}

// ---- locale ----------------------------------------------------------------------------------

TEST(Locale, OfTheProgramChangesNoNumber) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";  // nothing is exchanged, and nothing kept
  const auto text = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string base =
      testing::TempDir() + "halocline_locale_" + std::to_string(me() == 0 ? getpid() : 0);
  const std::string choices = base + ".json", recording = base + ".trace";
  auto comma = std::make_optional<CommaLocale>();
  const Tuning tuning = Tuning::current();
  Tuning::current().file = choices;
  Tuning::current().budget = 0.05;
  std::vector<double> x(4);
  trace::begin(world());
  { Exchange(all_to_all(world()), field(x.data(), x.size()), "auto").run(); }
  trace::write(world(), mpi::from_root(world(), recording));
  const std::string said = [] {
    const Limit limit(1ms);
    return me() == 0 ? complaint([] { wait_until("nobody", [] { return false; }); }) : "0.001 s";
  }();
  EXPECT_NE(said.find("0.001 s"), said.npos) << said;
  using Large = std::array<char, 2000>;
  Exchange larger(Pattern(), unbound<Large>(), "p2p:nonblocking");
  EXPECT_NE(complaint([&] { larger.run(field(x.data(), x.size())); }).find(" made for 2000"),
            std::string::npos);
  EXPECT_TRUE(comma->is_left_alone());
  const std::string why_not_in_c = comma->why_not_in_c();
  comma.reset();
  Tuning::current() = tuning;
  if (me() != 0) return;
  // A number with a comma inside would end at it; one with points in groups would not be read.
  const std::string written = text(choices);
  EXPECT_NE(written.find("\"time\""), written.npos) << written;
  for (std::size_t i = 1; i + 1 < written.size(); ++i) {
    if (written[i] == ',') {
      EXPECT_FALSE(std::isdigit(written[i - 1]) && std::isdigit(written[i + 1]))
          << written.substr(i - 5, 10);
    }
  }
  const std::string trace = text(recording);
  EXPECT_EQ(trace.rfind("halocline-trace\n", 0), 0u);
  unlink(choices.c_str());
  unlink(recording.c_str());
  if (!why_not_in_c.empty()) GTEST_SKIP() << why_not_in_c;
}

}  // namespace
