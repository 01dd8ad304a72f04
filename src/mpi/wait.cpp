#include <halocline/more/interrupt.hpp>
#include <halocline/more/waiting.hpp>
#include <halocline/wait.hpp>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "collectives.hpp"
#include "last_word.hpp"

#include <halocline/more/processor.hpp>

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>

namespace halocline {

namespace {

using Clock = std::chrono::steady_clock;

/// The rank in the world; none in a program that has begun MPI by sessions alone.
std::optional<int> world_rank() noexcept {
  int rank = 0;
  if (!mpi::detail::world_is_there() || MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
    return std::nullopt;
  return rank;
}

std::string gave_up(const char* what, const Patience& patience, std::optional<int> rank) {
  const std::string where = rank ? " on rank " + std::to_string(*rank) : "";
  return base::formatted(
      "%s: no progress for %g s%s; a peer is lost, stuck or far slower (raise the limit with %s)",
      what, patience.timeout.count(), where.c_str(), patience.remedy);
}

/// Low ranks complain first. On a node one message is all (last_word.hpp); on several the launcher
/// has so long to end the job (Open MPI 4.1: a second after a process has gone) before the next.
Clock::duration stagger(std::optional<int> rank) {
  return std::chrono::seconds(2) * std::min(rank.value_or(0), 5);
}

std::atomic<int> unhurried{0};

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
  const mpi::Comm node = mpi::node_of(comm);
  std::vector<std::uint8_t> cores(static_cast<std::size_t>(CPU_SETSIZE), 0);
  for (int core : bound_cores()) cores[static_cast<std::size_t>(core)] = 1;
  cores = mpi::reduced(node, std::move(cores), MPI_MAX);
  const auto available = static_cast<double>(std::count(cores.begin(), cores.end(), 1));
  // A container's quota is processor time on any of them.
  const double quota = mpi::reduced(node, base::processor_quota(), MPI_MAX);
  return mpi::size(node) > std::min(available, quota);
}

namespace {
constinit thread_local int yielding = 0;
}

Yielding::Yielding(bool really) noexcept : really_(really) {
  if (really_) ++yielding;
}
Yielding::~Yielding() {
  if (really_) --yielding;
}

bool Patience::yields() noexcept {
  return current().crowded() || yielding > 0;
}

void Patience::heed_environment() {
  // Once: later it is the program's, and threads may be waiting.
  static const bool heeded = [] {
    const auto seconds = base::positive_of("HALOCLINE_TIMEOUT", "a number of seconds above 0");
    const auto spin = base::integer_of("HALOCLINE_SPIN_US", 0, 1'000'000'000, "microseconds");
    if (seconds && current().timeout == forever)
      current().timeout = std::chrono::duration<double>(*seconds);
    if (spin && current().spin == usual_spin) current().spin = std::chrono::microseconds(*spin);
    return true;
  }();
  static_cast<void>(heeded);
}

void Patience::detect(MPI_Comm comm) {
  heed_environment();
  if (halocline::crowded(comm)) std::atomic_ref(current().yield).store(true);
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
std::atomic<unsigned> delay_seed{0};   // of the next thread
std::atomic<unsigned> delays_told{0};  // calls of inject_delays
}  // namespace

void pause_at_random() {
  // Mostly none, now and then a long one: races need a rank that is far behind.
  thread_local unsigned heard = 0;
  thread_local std::minstd_rand engine;
  if (const unsigned told = delays_told; std::exchange(heard, told) != told)
    engine.seed(delay_seed.fetch_add(7919));
  const auto draw = engine();
  if (draw % 3 != 0) return;
  const auto limit = static_cast<unsigned long>(longest_delay.count()) + 1;
  std::this_thread::sleep_for(std::chrono::microseconds((draw / 3) % limit));
}

}  // namespace detail

void inject_delays(std::chrono::microseconds longest, unsigned seed) {
  detail::longest_delay = longest;
  detail::delay_seed = seed;
  ++detail::delays_told;
  detail::delays_on = longest.count() > 0;
}

namespace {
constinit std::atomic<void (*)()> look_for_interrupts{nullptr};
}

void interrupt_waits_by(void (*look)()) noexcept {
  look_for_interrupts = look;
}

namespace {

/// Others want this process's cores until then, as far as is known.
constinit std::atomic<Clock::rep> wanted_until{0};

/// A scheduler that takes a yield at its word lets the other one compute for a time slice, some
/// milliseconds. Who sleeps instead has not used up its share, and gets the core back at once.
void give_core_away(Clock::duration waited) {
  constexpr auto late = std::chrono::microseconds(500);  // to come back from a yield
  constexpr auto remembered = std::chrono::seconds(1);
  constexpr std::chrono::nanoseconds shortest{1'000}, longest{200'000};
  const auto now = Clock::now();
  if (now.time_since_epoch().count() > wanted_until.load(std::memory_order_relaxed)) {
    sched_yield();
    if (const auto back = Clock::now(); back - now > late)
      wanted_until.store((back + remembered).time_since_epoch().count(), std::memory_order_relaxed);
    return;
  }
  const std::chrono::nanoseconds slice = std::clamp<std::chrono::nanoseconds>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(waited / 8), shortest, longest);
  const timespec time{0, slice.count()};
  // The kernel lets a thread oversleep by its slack, 50 us unless somebody has set it.
  const int slack = prctl(PR_GET_TIMERSLACK);
  prctl(PR_SET_TIMERSLACK, 1'000);
  nanosleep(&time, nullptr);
  prctl(PR_SET_TIMERSLACK, slack);
}

}  // namespace

void Waiting::slow() {
  const Patience& patience = Patience::current();
  thread_local Clock::time_point looked;
  auto now = Clock::now();
  if (began_ == Clock::time_point{}) began_ = since_ = looked = now;
  const bool yields = Patience::yields();
  if (yields || now - began_ >= patience.spin) {
    rest_ = yields ? crowded : giving_way;
    give_core_away(now - began_);
    now = Clock::now();
  } else if (polls_ % 1024 != 0) {
    return;
  }
  if (void (*const look)() = look_for_interrupts.load(std::memory_order_relaxed)) look();
  since_ = unhurried.load(std::memory_order_relaxed) > 0 ? now : since_ + not_waited(looked, now);
  looked = now;
  if (now - since_ <= patience.timeout) return;
  const std::optional<int> rank = world_rank();
  if (now - since_ > patience.timeout + stagger(rank))
    throw Timeout(gave_up(what_, patience, rank));
}

void wait_one(const char* what, MPI_Request& request) {
  wait_until(what, [&] {
    int done = 0;
    HALOCLINE_MPI(MPI_Test, &request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

void wait_all(const char* what, std::span<MPI_Request> requests) {
  // One after the other: each test lets all of them progress. (MPI_Testall of MPICH 5.0.2 fails
  // with MPI_ERR_IN_STATUS on partitioned and persistent collective requests.)
  for (MPI_Request& request : requests) wait_one(what, request);
}

int wait_any(const char* what, std::span<MPI_Request> requests, MPI_Status* status) {
  int index = MPI_UNDEFINED;
  wait_until(what, [&] {
    int done = 0;
    HALOCLINE_MPI(MPI_Testany, static_cast<int>(requests.size()), requests.data(), &index, &done,
                  status);
    return done != 0;
  });
  return index;
}

void let_progress(MPI_Comm comm) {
  // A probe that finds a message need not do anything else, and MPICH's does not: with any tag, a
  // message that waits for its turn would stop all that others put here.
  int flag = 0;
  HALOCLINE_MPI(MPI_Iprobe, MPI_ANY_SOURCE, nobodys_tag, comm, &flag, MPI_STATUS_IGNORE);
}

namespace {

/// One thread that looks now and then whether another one is stuck in a blocking MPI call. It
/// cannot call MPI itself: the thread level may not allow it.
class Watcher {
 public:
  static Watcher& instance() {
    // A process that is forked off has the watcher, but not its thread, for which it would wait.
    struct Owner {
      Watcher* const it = new Watcher;
      const pid_t process = getpid();
      ~Owner() {
        if (process == getpid()) delete it;
      }
    };
    static const Owner owner;
    return *owner.it;
  }

  /// False if this thread is in a call already, which is the one that is named; or if more threads
  /// are than can be watched.
  bool enter(const char* what) noexcept {
    if (mine_ != nullptr) return false;
    for (Call& call : calls_) {
      if (call.taken.exchange(true, std::memory_order_acquire)) continue;
      mine_ = &call;
      const Patience& patience = Patience::current();
      call.timeout.store(patience.timeout.count(), std::memory_order_relaxed);
      call.remedy.store(patience.remedy, std::memory_order_relaxed);
      call.stuck.store(patience.stuck, std::memory_order_relaxed);
      call.since.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
      call.what.store(what, std::memory_order_release);
      return true;
    }
    return false;
  }
  void end() noexcept {
    Call& call = *std::exchange(mine_, nullptr);
    call.what.store(nullptr, std::memory_order_relaxed);
    call.taken.store(false, std::memory_order_release);
  }

 private:
  /// A thread's.
  struct Call {
    std::atomic<bool> taken{false};
    std::atomic<const char*> what{nullptr};
    std::atomic<Clock::rep> since{0};
    // As the Patience had them when the wait began: its owner may change them once nobody waits.
    std::atomic<double> timeout{0};
    std::atomic<const char*> remedy{nullptr};
    std::atomic<decltype(Patience::stuck)> stuck{nullptr};
    // The watcher's own:
    Clock::time_point seen{}, said{};
    Clock::duration lost{};  ///< of which the process did not run
  };

  Watcher() : rank_(world_rank()), thread_([this] { watch(); }) {}
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
    Clock::time_point looked = Clock::now();
    while (!wake_.wait_for(lock, std::chrono::milliseconds(200), [this] { return stop_; })) {
      const auto now = Clock::now();
      const auto late = not_waited(std::exchange(looked, now), now);
      for (Call& call : calls_) look(call, now, late);
    }
  }

  void look(Call& call, Clock::time_point now, Clock::duration late) {
    const char* const what = call.what.load(std::memory_order_acquire);
    if (what == nullptr) return;
    const Clock::time_point since{Clock::duration{call.since.load(std::memory_order_relaxed)}};
    call.lost = (std::exchange(call.seen, since) == since ? call.lost : Clock::duration{}) +
                std::min(late, now - since);
    Patience patience;
    patience.timeout = std::chrono::duration<double>(call.timeout.load(std::memory_order_relaxed));
    patience.remedy = call.remedy.load(std::memory_order_relaxed);
    if (now - since - call.lost < patience.timeout + stagger(rank_) || call.said == since) return;
    call.said = since;
    const auto stuck = call.stuck.load(std::memory_order_relaxed);
    if (stuck != nullptr) stuck(gave_up(what, patience, rank_).c_str());
  }

  static constinit thread_local Call* mine_;
  std::array<Call, 64> calls_;
  std::optional<int> rank_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

constinit thread_local Watcher::Call* Watcher::mine_ = nullptr;

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
