// Time, as cheaply as the processor has it: ticks, turned into seconds when the recording is
// written.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif
#include <ctime>

namespace recorder {

using Ticks = std::int64_t;

struct Clock {
  bool counter = false;  // ticks of the processor, not nanoseconds of the system's clock
  Ticks first_ticks = 0;
  std::int64_t first = 0;  // nanoseconds of CLOCK_MONOTONIC
  double nanoseconds = 1;  // a tick
};
extern Clock the_clock;

inline std::int64_t monotonic() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

// Nanoseconds that this thread has had a processor.
inline std::int64_t processor_time() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

inline Ticks now() {
#if defined(__x86_64__)
  if (the_clock.counter) return static_cast<Ticks>(__rdtsc());
#endif
  return monotonic();
}

// What the recorder has taken for itself since somebody asked: finding names, taking datatypes
// apart.
extern Ticks own_time;
class OwnTime {
 public:
  OwnTime() : begin_(now()) {}
  ~OwnTime() { own_time += now() - begin_; }
  OwnTime(const OwnTime&) = delete;
  OwnTime& operator=(const OwnTime&) = delete;

 private:
  Ticks begin_;
};

// Decides which clock it is. Before anything else.
void start_clock();
// How long a tick is, the better the later it is called.
void calibrate_clock();

inline double nanoseconds(Ticks ticks) {
  return static_cast<double>(ticks) * the_clock.nanoseconds;
}
// Nanoseconds of CLOCK_MONOTONIC.
inline std::int64_t moment(Ticks ticks) {
  return the_clock.first + static_cast<std::int64_t>(nanoseconds(ticks - the_clock.first_ticks));
}

}  // namespace recorder
