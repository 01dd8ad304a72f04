#include <halocline/wait.hpp>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "collectives.hpp"
#include "last_word.hpp"

#include <halocline/processor.hpp>

#include <sched.h>
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>

namespace halocline {

namespace {

using Clock = std::chrono::steady_clock;

std::string gave_up(const char* what, const Patience& patience) {
  return base::formatted(
      "%s: no progress for %g s; a peer is lost, stuck or far slower (raise the limit with %s)",
      what, patience.timeout.count(), patience.remedy);
}

/// Low ranks complain first. On a node one message is all (last_word.hpp); on several the launcher
/// has so long to end the job (Open MPI 4.1: a second after a process has gone) before the next.
Clock::duration stagger() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return std::chrono::seconds(2) * std::min(rank, 5);
}

/// The part of the time between two looks at the clock that was no waiting: a process that was
/// stopped for a while (by a terminal, a debugger, a batch system that runs jobs in turn) looks
/// late.
Clock::duration not_waited(Clock::time_point looked, Clock::time_point now) {
  return std::max<Clock::duration>(now - looked - std::chrono::seconds(1), {});
}

/// MPICH's barrier, and with it its fence, and its reductions and broadcasts wait in shared memory
/// and never give the core away; made of messages they do. (Set-up agrees by reductions: with 5
/// ranks on 2 cores it took ten times as long.) Other libraries have no such control variables.
/// Every rank must do the same, or collectives would not match.
void make_collectives_of_messages() {
  int given = MPI_THREAD_SINGLE, provided = 0;
  HALOCLINE_MPI(MPI_Query_thread, &given);
  // Open MPI 5 takes a lower level for that of all of MPI from here on.
  if (MPI_T_init_thread(given, &provided) != MPI_SUCCESS) return;
  for (const char* name :
       {"MPIR_CVAR_BARRIER_DEVICE_COLLECTIVE", "MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE",
        "MPIR_CVAR_REDUCE_DEVICE_COLLECTIVE", "MPIR_CVAR_BCAST_DEVICE_COLLECTIVE"}) {
    if (std::getenv(name) != nullptr) continue;  // somebody knows better
    int index = 0, count = 0;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    if (MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
      const int off = 0;
      if (count == 1) MPI_T_cvar_write(handle, &off);
      MPI_T_cvar_handle_free(&handle);
    }
  }
  MPI_T_finalize();
}

}  // namespace

constinit Patience Patience::process_;

bool crowded(MPI_Comm comm) {
  mpi::expect_ranks(comm);
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split_type, comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &raw);
  const mpi::Comm node(raw);
  std::vector<std::uint8_t> cores(static_cast<std::size_t>(CPU_SETSIZE), 0);
  for (int core : bound_cores()) cores[static_cast<std::size_t>(core)] = 1;
  cores = mpi::reduced(node, std::move(cores), MPI_MAX);
  const auto available = static_cast<double>(std::count(cores.begin(), cores.end(), 1));
  // A container's quota is processor time on any of them.
  const double quota = mpi::reduced(node, base::processor_quota(), MPI_MAX);
  return mpi::size(node) > std::min(available, quota);
}

void Patience::heed_environment() {
  if (current().timeout != forever) return;
  if (const auto seconds = base::positive_of("HALOCLINE_TIMEOUT", "seconds"))
    current().timeout = std::chrono::duration<double>(*seconds);
}

void Patience::detect(MPI_Comm comm) {
  heed_environment();
  if (crowded(comm)) current().yield = true;
}

void make_collectives_yield(MPI_Comm comm) {
  if (!mpi::all_of(comm, !crowded(comm))) make_collectives_of_messages();
}

void end_process(const char* message) noexcept {
  if (!detail::take_last_word()) detail::exit_silently();
  std::fprintf(stderr, "halocline: %s\n", message);
  std::fflush(nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // as in end_job
  std::_Exit(EXIT_FAILURE);
}

namespace detail {

std::atomic<bool> delays_on{false};

namespace {
std::chrono::microseconds longest_delay{0};
std::minstd_rand delay_engine;
}  // namespace

void pause_at_random() {
  // Mostly none, now and then a long one: races need a rank that is far behind.
  const auto draw = delay_engine();
  if (draw % 3 != 0) return;
  const auto limit = static_cast<unsigned long>(longest_delay.count()) + 1;
  std::this_thread::sleep_for(std::chrono::microseconds((draw / 3) % limit));
}

}  // namespace detail

void inject_delays(std::chrono::microseconds longest, unsigned seed) {
  detail::longest_delay = longest;
  detail::delay_engine.seed(seed);
  detail::delays_on = longest.count() > 0;
}

void Waiting::slow() {
  const Patience& patience = Patience::current();
  if (patience.yield || polls_ > 100'000) sched_yield();
  if (polls_ % 1024 != 0 && !patience.yield) return;
  thread_local Clock::time_point looked;
  const auto now = Clock::now();
  since_ = since_ == Clock::time_point{} ? now : since_ + not_waited(looked, now);
  looked = now;
  if (now - since_ > patience.timeout + stagger()) throw Timeout(gave_up(what_, patience));
}

void wait(const char* what, MPI_Request& request) {
  wait_until(what, [&] {
    int done = 0;
    HALOCLINE_MPI(MPI_Test, &request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

void wait_all(const char* what, std::span<MPI_Request> requests) {
  // One after the other: each test lets all of them progress. (MPI_Testall of MPICH 5.0.2 fails
  // with MPI_ERR_IN_STATUS on partitioned and persistent collective requests.)
  for (MPI_Request& request : requests) wait(what, request);
}

int wait_any(const char* what, std::span<MPI_Request> requests) {
  int index = MPI_UNDEFINED;
  wait_until(what, [&] {
    int done = 0;
    HALOCLINE_MPI(MPI_Testany, static_cast<int>(requests.size()), requests.data(), &index, &done,
                  MPI_STATUS_IGNORE);
    return done != 0;
  });
  return index;
}

void progress(MPI_Comm comm) {
  // A probe that finds a message need not do anything else, and MPICH's does not: with any tag, a
  // message that waits for its turn would stop all that others put here.
  int flag = 0;
  HALOCLINE_MPI(MPI_Iprobe, MPI_ANY_SOURCE, nobodys_tag, comm, &flag, MPI_STATUS_IGNORE);
}

namespace {

/// One thread that looks now and then whether this process is stuck in a blocking MPI call. It
/// cannot call MPI itself: the thread level may not allow it.
class Watcher {
 public:
  static Watcher& instance() {
    static Watcher watcher;
    return watcher;
  }

  /// False if somebody is in a call already: who came first is named.
  bool enter(const char* what) noexcept {
    if (what_.load(std::memory_order_relaxed) != nullptr) return false;
    since_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    what_.store(what, std::memory_order_release);
    return true;
  }
  void end() noexcept { what_.store(nullptr, std::memory_order_relaxed); }

 private:
  Watcher() : rank_stagger_(stagger()), thread_([this] { watch(); }) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  ~Watcher() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  void watch() {
    std::unique_lock lock(mutex_);
    Clock::time_point of_call{}, said{}, looked = Clock::now();
    Clock::duration lost{};
    while (!wake_.wait_for(lock, std::chrono::milliseconds(200), [this] { return stop_; })) {
      const auto now = Clock::now();
      const auto late = not_waited(std::exchange(looked, now), now);
      const char* what = what_.load(std::memory_order_acquire);
      if (what == nullptr) continue;
      const Clock::time_point since{Clock::duration{since_.load(std::memory_order_relaxed)}};
      lost = (std::exchange(of_call, since) == since ? lost : Clock::duration{}) +
             std::min(late, now - since);
      const Patience patience = Patience::current();
      if (now - since - lost < patience.timeout + rank_stagger_ || said == since) continue;
      said = since;
      if (patience.stuck != nullptr)
        patience.stuck(("rank " + std::to_string(rank_) + ": " + gave_up(what, patience)).c_str());
    }
  }

  std::atomic<const char*> what_{nullptr};
  std::atomic<Clock::rep> since_{0};
  int rank_ = 0;
  Clock::duration rank_stagger_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace

namespace {
std::atomic<int> unhurried{0};
}  // namespace

mpi::Unhurried::Unhurried() noexcept {
  ++unhurried;
}
mpi::Unhurried::~Unhurried() {
  --unhurried;
}

bool mpi::detail::watch(const char* what) noexcept {
  return Patience::current().timeout != Patience::forever &&
         unhurried.load(std::memory_order_relaxed) == 0 && Watcher::instance().enter(what);
}

void mpi::detail::unwatch() noexcept {
  Watcher::instance().end();
}

}  // namespace halocline
