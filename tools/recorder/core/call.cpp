#include "call.hpp"

#include <new>

namespace recorder {

Recording* recording = nullptr;
bool seen_mpi = false;
constinit thread_local int depth = 0;
constinit thread_local Thread* own_thread = nullptr;
pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

Thread* new_thread(Recording& run) {
  std::uint32_t number = __atomic_fetch_add(&run.thread_count, 1, __ATOMIC_RELAXED);
  static constinit thread_local bool refused = false;
  if (refused) return nullptr;
  const bool missing = no_room;
  no_room = false;
  refused = true;
  void* room = reserve(sizeof(Thread) + sizeof(Sequence) + 2 * sizeof(Episode) + sizeof(Scratch));
  if (!room) return nullptr;
  auto* thread = new (room) Thread;
  thread->number = static_cast<std::int32_t>(number);
  char* after = reinterpret_cast<char*>(thread + 1);
  // The first thread communicates most.
  thread->sequence = new (after) Sequence(run.bodies, number == 0 ? 1 << 17 : 1 << 14);
  after += sizeof(Sequence);
  thread->run = &run;
  thread->episode = new (after) Episode;
  thread->whole = new (after + sizeof(Episode)) Episode;
  thread->scratch = new (after + 2 * sizeof(Episode)) Scratch;
  thread->left = now();
  if (no_room) return nullptr;  // what it calls is not recorded
  no_room = missing;
  refused = false;
  if (number < Recording::kThreads) run.threads[number] = thread;
  own_thread = thread;
  return thread;
}

void Call::begin(Function function, void* caller, void** frame) {
  recording_ = recording;
  if (!recording_) return;  // a signal has ended it just now
  if (recording_->several_threads) pthread_mutex_lock(&turn);
  thread_ = this_thread(*recording_);
  if (!thread_) {
    if (recording_->several_threads) pthread_mutex_unlock(&turn);
    return;
  }
  thread_->processor_in_gap =
      thread_->processor_left < 0 ? -1 : processor_time() - thread_->processor_left;
  if (--thread_->until_look == 0) begin_look();
  signature_.function = static_cast<std::uint16_t>(function);
  signature_.site = recording_->sites.number(caller, frame);
}

// Asking for the processor's time takes a quarter of a microsecond: it is worth it before long
// computing.
constexpr double kLongGap = 50'000;  // ns

void Call::sum() {
  Thread& thread = *thread_;
  gap_ = entered_ - thread.left;
  if (gap_ < 0) gap_ = 0;
  Ticks time = left_ - entered_;
  number_ = recording_->calls.number(signature_);
  CallLine& line = recording_->calls[number_];
  line.least = line.times == 0 || time < line.least ? time : line.least;
  line.most = time > line.most ? time : line.most;
  ++line.times;
  line.inside += time;
  line.outside += gap_;
  ++recording_->call_count;
  thread.outside += gap_;
  const bool is_long = nanoseconds(gap_) > kLongGap;
  if (is_long && thread.processor_in_gap >= 0) {
    thread.timed += gap_;
    thread.processor += thread.processor_in_gap;
  }
  if (thread.last_call >= 0)
    recording_->calls[static_cast<std::uint32_t>(thread.last_call)].long_after = is_long;
  thread.inside += time;
  thread.left = left_;
  thread.last_call = number_;
  if (thread.sequence) thread.sequence->add(number_);
  thread.processor_left = line.long_after ? processor_time() : -1;
}

// How long the recorder itself takes: of the first calls, and of one in sixteen or so from then on,
// at uneven distances, for the calls of a loop come evenly.
void Call::begin_look() {
  constexpr std::uint32_t kFirst = 256;
  Thread& thread = *thread_;
  thread.look_stands_for = thread.next_look;
  if (++thread.looks >= kFirst) {
    thread.uneven = thread.uneven * 1664525U + 1013904223U;
    thread.next_look = 9 + (thread.uneven >> 28);
  }
  thread.until_look = thread.next_look;
  looked_at_ = now();
}

void Call::end_look() {
  constexpr double kLongest = 10'000;  // ns, of the first...
  constexpr double kUsual = 2'000;     // ... and of later ones, or so many times the mean
  constexpr Ticks kTimes = 8;
  Ticks time = entered_ - looked_at_ + now() - left_;
  CallLine& line = recording_->calls[number_];
  // A thread that was taken off its core meanwhile has not been at work.
  bool usual = nanoseconds(time) < (line.looks < 4 ? kLongest : kUsual) || time < kTimes * line.own;
  if (!usual || left_ == 0) return;
  line.looks += thread_->look_stands_for;
  line.own_sum += time * thread_->look_stands_for;
  line.own = line.own_sum / line.looks;
}

void Call::operation(MPI_Op op) {
  // The predefined ones by their place in a list that is written; the rest are one.
  static const MPI_Op known[] = {MPI_SUM,    MPI_MIN,    MPI_MAX,     MPI_PROD, MPI_LAND,
                                 MPI_BAND,   MPI_LOR,    MPI_BOR,     MPI_LXOR, MPI_BXOR,
                                 MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
  std::int32_t number = 0;
  for (const MPI_Op& one : known) {
    if (one == op) break;
    ++number;
  }
  signature_.operation = number;
}

}  // namespace recorder
