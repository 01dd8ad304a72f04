// Waiting: polls, lets MPI progress, gives up after the time limit.

#include <halocline/more/waiting.hpp>
#include <halocline/wait.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace halocline;
using namespace std::chrono_literals;

namespace {

// What this process does with its core, in place of the C library's.
std::atomic<int> yields{0}, sleeps{0};
std::atomic<std::chrono::microseconds> others_compute{
    std::chrono::microseconds(0)};  // before a yield comes back
thread_local bool counted = false;

}  // namespace

extern "C" int sched_yield() noexcept {
  if (!counted) return static_cast<int>(syscall(SYS_sched_yield));
  ++yields;
  std::this_thread::sleep_for(others_compute.load());
  return 0;
}
extern "C" int nanosleep(const timespec* time, timespec* left) {
  if (counted) ++sleeps;
  return static_cast<int>(syscall(SYS_nanosleep, time, left));
}

namespace {

/// Sets the time limit for one test.
class ShortPatience {
 public:
  explicit ShortPatience(std::chrono::duration<double> limit) {
    Patience::current().timeout = limit;
  }
  ~ShortPatience() { Patience::current() = saved_; }

 private:
  Patience saved_ = Patience::current();
};

double seconds(auto&& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(WaitUntil, ReturnsOnceItIsDone) {
  int polls = 0;
  wait_until("counting", [&] { return ++polls == 1000; });
  EXPECT_EQ(polls, 1000);
}

TEST(WaitUntil, GivesUpWithAMessageThatNamesWhatItWaitedFor) {
  for (bool yield : {false, true}) {
    const ShortPatience patience(0.2s);
    Patience::current().yield = yield;
    const double took = seconds([] {
      try {
        wait_until("arrival of nobody", [] { return false; });
        FAIL() << "must not return";
      } catch (const Timeout& timeout) {
        const std::string message = timeout.what();
        EXPECT_EQ(message.rfind("arrival of nobody: no progress for 0.2 s", 0), 0u) << message;
        EXPECT_NE(message.find("raise the limit with HALOCLINE_TIMEOUT"), std::string::npos)
            << message;
      }
    });
    EXPECT_GE(took, 0.2);
  }
}

/// How often a wait of so many polls gives the core away, or one until it has `most` times, when it
/// polls for so long before.
struct Given {
  int yields, sleeps;
};
Given given_away(std::chrono::duration<double> spin, int polls, int most = 1'000'000) {
  const Patience before = Patience::current();
  Patience::current().yield = false;
  Patience::current().spin = spin;
  const int yields_before = yields, sleeps_before = sleeps;
  counted = true;
  int polled = 0;
  wait_until("counting", [&] {
    return ++polled > polls || yields + sleeps - yields_before - sleeps_before == most;
  });
  counted = false;
  Patience::current() = before;
  return {yields - yields_before, sleeps - sleeps_before};
}

TEST(Spin, IsForSoLongThatAWaitKeepsTheCore) {
  const Given never = given_away(Patience::forever, 200'000), at_once = given_away(0s, 200);
  EXPECT_EQ(never.yields + never.sleeps, 0);
  // After the first look at the clock it is each time.
  EXPECT_GE(at_once.yields + at_once.sleeps, 100);
  const Given later = given_away(1ms, 1'000'000'000, 1);
  EXPECT_EQ(later.yields + later.sleeps, 1);
}

TEST(Spin, OverAWaitSleepsWhereOthersHaveTakenTheCore) {
  others_compute = 2ms;
  const Given first = given_away(0s, 80);
  EXPECT_LE(first.yields, 1) << "one yield shows it";
  EXPECT_GT(first.sleeps, 0);
  // That is remembered for a second, and then looked for again.
  std::this_thread::sleep_for(1.1s);
  EXPECT_EQ(given_away(0s, 80).yields, 1);
  others_compute = 0us;
}

TEST(Stopped, TimeInWhichAProcessDidNotRunIsNotWaited) {
  // Low ranks complain first.
  if (mpi::size(world()) > 1) GTEST_SKIP() << "one rank shows it";
  const ShortPatience patience(1.5s);
  const std::string me = std::to_string(getpid());
  const double took = seconds([&] {
    // From before it is stopped, which may be at once.
    const auto end = std::chrono::steady_clock::now() + 3.2s;
    ASSERT_EQ(std::system(("(kill -STOP " + me + "; sleep 3; kill -CONT " + me + ") &").c_str()),
              0);
    const Blocking guard("a call that returns");
    wait_until("something that comes", [&] { return std::chrono::steady_clock::now() >= end; });
  });
  EXPECT_GT(took, 3);
}

TEST(WaitAll, CompletesRequests) {
  const int rank = mpi::rank(world()), next = (rank + 1) % mpi::size(world());
  int out = rank, in = -1;
  MPI_Request requests[2];
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, world(), &requests[0]);
  MPI_Isend(&out, 1, MPI_INT, next, 0, world(), &requests[1]);
  wait_all("ring", requests);
  EXPECT_EQ(in, (rank - 1 + mpi::size(world())) % mpi::size(world()));
  EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
}

TEST(WaitAll, OfNothingReturns) {
  EXPECT_NO_THROW(wait_all("nothing", {}));
}

TEST(WaitAny, TellsWhichAndWhenNoneIsLeft) {
  const mpi::Comm self = mpi::Comm::split(world(), mpi::rank(world()));
  int out[2] = {5, 6}, in[2] = {0, 0};
  MPI_Request requests[2];
  for (int i : {0, 1}) MPI_Irecv(&in[i], 1, MPI_INT, 0, i, self, &requests[i]);
  MPI_Send(&out[1], 1, MPI_INT, 0, 1, self);
  EXPECT_EQ(wait_any("second", requests), 1);
  MPI_Send(&out[0], 1, MPI_INT, 0, 0, self);
  EXPECT_EQ(wait_any("first", requests), 0);
  EXPECT_EQ(wait_any("none", requests), MPI_UNDEFINED);
}

TEST(Wait, ThatTimesOutLeavesTheRequestToItsOwner) {
  const ShortPatience patience(0.1s);
  const mpi::Comm self = mpi::Comm::split(world(), mpi::rank(world()));
  int in = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, 0, 0, self, &request);
  EXPECT_THROW(wait_one("nobody sends", request), Timeout);
  ASSERT_NE(request, MPI_REQUEST_NULL);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

TEST(Delays, HappenOnlyWhenInjected) {
  // How often this thread has slept, which does not depend on who else computes.
  const auto sleeps = [] {
    const auto so_far = [] {
      rusage usage{};
      getrusage(RUSAGE_THREAD, &usage);
      return usage.ru_nvcsw;
    };
    const long before = so_far();
    for (int i = 0; i < 60; ++i) maybe_delay();
    return so_far() - before;
  };
  inject_delays(20ms, 3);
  EXPECT_GE(sleeps(), 10);
  inject_delays(0us, 0);
  EXPECT_EQ(sleeps(), 0);
}

TEST(Patience, KnowsWhenRanksOutnumberCores) {
  Patience::current().yield = false;
  Patience::detect(world());
  const auto cores = std::thread::hardware_concurrency();
  EXPECT_EQ(Patience::current().yield, static_cast<unsigned>(mpi::size(world())) > cores);
}

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 50000000
TEST(Patience, HasCollectivesMadeOfMessagesWhereRanksOutnumberCoresIfTheApplicationSaysSo) {
  make_collectives_yield(world());
  int provided = 0;
  ASSERT_EQ(MPI_T_init_thread(MPI_THREAD_FUNNELED, &provided), MPI_SUCCESS);
  for (const char* collective : {"BARRIER", "ALLREDUCE", "REDUCE", "BCAST"}) {
    const std::string name = std::string("MPIR_CVAR_") + collective + "_DEVICE_COLLECTIVE";
    int index = 0, count = 0, on = -1;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    ASSERT_EQ(MPI_T_cvar_get_index(name.c_str(), &index), MPI_SUCCESS) << name;
    ASSERT_EQ(MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count), MPI_SUCCESS);
    ASSERT_EQ(MPI_T_cvar_read(handle, &on), MPI_SUCCESS);
    MPI_T_cvar_handle_free(&handle);
    EXPECT_EQ(on, Patience::current().yield ? 0 : 1) << name;
  }
  MPI_T_finalize();
}

/// What that is for. Of processor time a busy machine takes more: `./dev soak` asks.
TEST(Patience, HasCollectivesGiveTheCoreAwayWhereRanksOutnumberCores) {
  make_collectives_yield(world());
  if (!Patience::current().yield || std::getenv("HALOCLINE_SOAK") == nullptr) return;
  constexpr int times = 200;
  const auto cpu_seconds = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  int value = 1, sum = 0;
  // A rank that spins uses up a scheduler's quantum, some milliseconds, in nearly each of them.
  const auto takes = [&](const char* name, auto&& collective) {
    MPI_Barrier(world());
    const double begin = cpu_seconds();
    for (int i = 0; i < times; ++i) collective();
    EXPECT_LT(cpu_seconds() - begin, times * 0.5e-3) << name;
  };
  takes("barrier", [&] { MPI_Barrier(world()); });
  takes("allreduce", [&] { MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, world()); });
  takes("reduce", [&] { MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, world()); });
  takes("bcast", [&] { MPI_Bcast(&value, 1, MPI_INT, 0, world()); });
  takes("allgather", [&] {
    std::vector<int> all(static_cast<std::size_t>(mpi::size(world())));
    MPI_Allgather(&value, 1, MPI_INT, all.data(), 1, MPI_INT, world());
  });
}
#endif

/// What another thread has been told of a call that takes long.
std::mutex told_mutex;
std::vector<std::string> told;
void tell(const char* message) noexcept {
  const std::lock_guard lock(told_mutex);
  told.emplace_back(message);
}

/// A barrier for which rank 0 waits longer than its limit, and then goes on.
std::vector<std::string> told_of_a_late_barrier(void (*stuck)(const char*) noexcept) {
  told.clear();
  MPI_Barrier(world());
  if (mpi::rank(world()) > 0) std::this_thread::sleep_for(1s);
  const ShortPatience patience(mpi::rank(world()) == 0 ? 0.3s : 60s);
  Patience::current().stuck = stuck;
  HALOCLINE_MPI(MPI_Barrier, world());
  return told;
}

TEST(Unhurried, WaitsHaveNoLimit) {
  const ShortPatience patience(0.1s);
  const mpi::Unhurried others;
  const auto end = std::chrono::steady_clock::now() + 0.4s;
  EXPECT_NO_THROW(wait_until("rank 0, which reads a file",
                             [&] { return std::chrono::steady_clock::now() >= end; }));
}

TEST(Blocking, ThatTakesTooLongIsToldOnceAndGoesOn) {
  if (mpi::size(world()) == 1) GTEST_SKIP() << "needs two ranks";
  const auto said = told_of_a_late_barrier(&tell);
  if (mpi::rank(world()) == 0) {
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(
        said[0].rfind("MPI_Barrier, to which all ranks have to come: no progress for 0.3 s on "
                      "rank 0; ",
                      0),
        0u)
        << said[0];
  }
  // A library ends no process: unless the program says so, nothing happens.
  EXPECT_EQ(Patience().stuck, nullptr);
  EXPECT_TRUE(told_of_a_late_barrier(nullptr).empty());
}

TEST(Blocking, IsWatchedInEveryThread) {
  // Two that are stuck at once, of which the first comes back first.
  if (mpi::size(world()) > 1) GTEST_SKIP() << "one rank shows it";
  const ShortPatience patience(0.3s);
  Patience::current().stuck = &tell;
  told.clear();
  {
    const auto call = [](const char* what, auto time) {
      const Blocking blocking(what);
      std::this_thread::sleep_for(time);
    };
    std::jthread short_one(call, "the short one", 0.1s), long_one(call, "the long one", 1s);
  }
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].rfind("the long one: ", 0), 0u) << told[0];
}

TEST(Yielding, IsOfOneThreadAndOneScope) {
  const Patience before = Patience::current();
  Patience::current().yield = false;
  {
    const Yielding yielding(true);
    EXPECT_TRUE(Patience::yields());
    std::jthread([] { EXPECT_FALSE(Patience::yields()); });
  }
  EXPECT_FALSE(Patience::yields());
  EXPECT_FALSE(Patience::current().yield);
  Patience::current() = before;
}

/// As a program says it that sets limits itself (docs/how-to/errors-and-time-limits.md).
TEST(Patience, IsTheProgramsToSet) {
  const Patience before = Patience::current();
  Patience::current().timeout = std::chrono::seconds(60);
  Patience::current().remedy = "wait_seconds in my.cfg";
  Patience::current().spin = std::chrono::microseconds(200);  // docs/reference/waits.md
  Patience::current().stuck = &end_process;                   // one line, and a failure
  EXPECT_EQ(Patience::current().timeout, 60s);
  make_collectives_yield(MPI_COMM_WORLD);
  Patience::current() = before;
}

TEST(Blocking, LetsShortCallsPass) {
  const ShortPatience patience(5s);
  for (int i = 0; i < 100; ++i) {
    const Blocking blocking("a barrier");
    EXPECT_EQ(MPI_Barrier(world()), MPI_SUCCESS);
  }
}

}  // namespace
