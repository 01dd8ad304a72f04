#pragma once
// Events: what each thread does when, for a few nanoseconds each. No MPI: every layer above records
// by these what it does, and a trace (trace.hpp) turns them on and writes them.
//
// Memory is taken once, when a thread records its first event. When it is full, the first half of
// it keeps the run's beginning and the other half always the last events; what lay between is
// counted. Sums of each step are kept all the same.

#include <halocline/more/activity.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)

namespace halocline::trace {

/// A peer that is not one rank.
inline constexpr std::int32_t nobody = -1;

namespace detail {

using Ticks = std::int64_t;

#ifdef HALOCLINE_WITHOUT_TRACE  // a build that shows what it costs to be able to record
inline constexpr bool on = false;
#else
extern bool on;  // whether anything is recorded
#endif
extern bool counts_tsc;  // the processor's counter is as steady as the system's clock

/// The cheapest clock that is right here.
inline Ticks now() noexcept {
#if defined(__x86_64__)
  if (counts_tsc) [[likely]]
    return static_cast<Ticks>(__builtin_ia32_rdtsc());
#endif
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

/// An event as it lies in memory and, with times in nanoseconds, in the file.
struct Record {
  Ticks begin, end;
  std::uint64_t bytes;
  std::uint32_t step;      // of the exchange
  std::int32_t peer;       // rank of the exchange's communicator
  std::uint16_t exchange;  // number in this rank's table; 0: none
  std::uint16_t name;      // of a region
  Activity activity;
  std::uint8_t depth;  // events around it
  std::uint16_t thread;
};
static_assert(sizeof(Record) == 40);

/// What a thread is in the middle of, and where it writes.
struct Thread {
  Record* next = nullptr;
  Record* end = nullptr;  // of the part that is being filled
  Ticks last = 0;         // the latest time looked at
  std::uint32_t step = 0;
  std::uint16_t exchange = 0;
  std::uint8_t depth = 0;
  std::int32_t peer = nobody;  // of calls that do not say
  bool finishing = false;      // within Exchange::finish
  Activity phase = Activity::none;
  bool calling = false;  // `last` is the end of a call in it that `follows`, or its beginning
  float sums[activities] = {};  // ticks

  void turn_over() noexcept;  // `next` has come to `end`
  std::uint16_t number_of(const char* region);
};
/// A thread's memory, and the trace that it is of.
struct Mine {
  Thread* thread;
  std::uint64_t trace;
};
extern constinit thread_local Mine mine;
extern std::uint64_t current;  // number of the trace; 0: there has been none
void begin_thread() noexcept;
/// This thread's; null if it has no memory.
inline Thread* thread() noexcept {
  if (mine.trace != current) [[unlikely]]
    begin_thread();
  return mine.thread;
}
/// The sums so far belong to the step that ends.
void end_of_step(Thread& thread) noexcept;

/// Calls that follow the one before, or the beginning of a phase, at once: they begin where the
/// clock was looked at last, and end what they are the last in. A look takes as long as all else.
constexpr bool follows(Activity activity, Activity phase) noexcept {
  if (activity == Activity::fence) return phase == Activity::transfer || phase == Activity::wait;
  return phase == Activity::transfer &&
         (activity == Activity::send || activity == Activity::put || activity == Activity::get ||
          activity == Activity::accumulate);
}

/// A scope that has been entered: `finish` writes it down.
class Open {
 public:
  Open(Thread& thread, Activity activity, Ticks begin) noexcept
      : thread_(&thread), begin_(begin), activity_(activity), depth_(thread.depth++) {}
  void finish(std::int32_t peer, std::uint64_t bytes, std::uint16_t name, Ticks end) noexcept {
    Thread& t = *thread_;
    t.last = end;
    t.calling = follows(activity_, t.phase);
    t.depth = depth_;
    t.sums[static_cast<int>(activity_)] += static_cast<float>(end - begin_);
    *t.next = {begin_,     end,  bytes,     t.step, peer == nobody ? t.peer : peer,
               t.exchange, name, activity_, depth_, 0};
    if (++t.next == t.end) [[unlikely]]
      t.turn_over();
  }
  Thread& thread() const noexcept { return *thread_; }
  Ticks begin() const noexcept { return begin_; }

 private:
  Thread* thread_;
  Ticks begin_;
  Activity activity_;
  std::uint8_t depth_;
};

/// Room for an Open that may not be there; its own destructor does nothing.
union Maybe {
  Maybe() noexcept {}
  Open open;
};

}  // namespace detail

/// Whether events are recorded now.
inline bool recording() noexcept {
  return detail::on;
}

/// An activity, as long as this object lives. `peer`: the rank that it is about.
class Event {
 public:
  explicit Event(Activity activity, int peer = nobody, std::size_t bytes = 0,
                 std::uint16_t name = 0) noexcept {
    if (detail::on) [[unlikely]] {
      if (detail::Thread* const thread = detail::thread()) {
        const bool at_once = thread->calling && detail::follows(activity, thread->phase);
        maybe_.open = detail::Open(*thread, activity, at_once ? thread->last : detail::now());
        thread->calling = false;
        peer_ = peer;
        bytes_ = bytes;
        name_ = name;
        is_open_ = true;
      }
    }
  }
  ~Event() {
    if (is_open_) [[unlikely]]
      maybe_.open.finish(peer_, bytes_, name_, detail::now());
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

 private:
  detail::Maybe maybe_{};
  bool is_open_ = false;
  std::uint16_t name_ = 0;
  std::int32_t peer_ = nobody;
  std::uint64_t bytes_ = 0;
};

/// A part of the application by the name that the user gives it: `trace::Region r("sweep");`. The
/// name lives as long as the program. `activity`: Activity::compute for what is computing.
class Region {
 public:
  explicit Region(const char* name, Activity activity = Activity::region)
      : event_(activity, nobody, 0, detail::on ? number_of(name) : std::uint16_t{0}) {}

 private:
  static std::uint16_t number_of(const char* name);
  Event event_;
};

/// Calls into MPI within this scope concern `peer`.
class Towards {
 public:
  explicit Towards(std::int32_t peer) noexcept : thread_(detail::on ? detail::thread() : nullptr) {
    if (thread_ != nullptr) thread_->peer = peer;
  }
  ~Towards() {
    if (thread_ != nullptr) thread_->peer = nobody;
  }
  Towards(const Towards&) = delete;
  Towards& operator=(const Towards&) = delete;

 private:
  detail::Thread* thread_;
};

namespace detail {

/// A part of an exchange's step. They follow each other without pause, so one begins when the one
/// before ended; within another one, now.
class Phase {
 public:
  explicit Phase(Activity activity, int peer = nobody) noexcept {
    if (!on) [[likely]]
      return;
    if (Thread* const t = thread()) {
      if (activity == Activity::pack && t->finishing) activity = Activity::unpack;
      if (t->depth != 1 || t->exchange == 0) t->last = now();
      maybe_.open = Open(*t, activity, t->last);
      t->phase = activity;
      t->calling = true;
      peer_ = peer;
      is_open_ = true;
    }
  }
  ~Phase() {
    if (!is_open_) [[likely]]
      return;
    Thread& t = maybe_.open.thread();
    const bool ended = t.calling && t.last > maybe_.open.begin();
    t.phase = Activity::none;
    maybe_.open.finish(peer_, 0, 0, ended ? t.last : now());
  }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  Maybe maybe_{};
  bool is_open_ = false;
  std::int32_t peer_ = nobody;
};

/// Around Exchange::start or finish: what is recorded in between belongs to step `step` of the
/// exchange, and is over with the last of it.
class StepPart {
 public:
  StepPart(Activity part, std::uint16_t exchange, std::uint32_t step) noexcept {
    if (!on) [[likely]]
      return;
    if (Thread* const t = thread()) {
      t->exchange = exchange;
      t->step = step;
      t->finishing = part == Activity::end_step;
      t->last = now();
      maybe_.open = Open(*t, part, t->last);
      is_open_ = true;
    }
  }
  ~StepPart() {
    if (!is_open_) [[likely]]
      return;
    Thread& t = maybe_.open.thread();
    maybe_.open.finish(nobody, 0, 0, t.last);
    t.exchange = 0;
    if (t.finishing) end_of_step(t);
    t.finishing = false;
  }
  StepPart(const StepPart&) = delete;
  StepPart& operator=(const StepPart&) = delete;

 private:
  Maybe maybe_{};
  bool is_open_ = false;
};

/// A call into MPI, if it is one that a trace tells from the rest.
template <Activity activity>
struct Call {
  Event event{activity};
};
template <>
struct Call<Activity::none> {};

}  // namespace detail
}  // namespace halocline::trace

#pragma GCC visibility pop
