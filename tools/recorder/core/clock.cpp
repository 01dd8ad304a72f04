#include "clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

namespace recorder {

Clock the_clock;
Ticks own_time = 0;

namespace {

// The kernel has checked whether this counter runs evenly and alike on all cores.
bool kernel_trusts_counter() {
#if defined(__x86_64__)
  int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char name[8] = {};
  ssize_t size = read(file, name, sizeof(name) - 1);
  close(file);
  return size >= 3 && std::strncmp(name, "tsc", 3) == 0;
#else
  return false;
#endif
}

// The counter in the middle of two looks at the clock, of several the closest ones.
void both_times(Ticks& ticks, std::int64_t& time) {
  std::int64_t closest = INT64_MAX;
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::int64_t before = monotonic();
    Ticks between = now();
    std::int64_t after = monotonic();
    if (after - before < closest) {
      closest = after - before;
      ticks = between;
      time = before + (after - before) / 2;
    }
  }
}

}  // namespace

void start_clock() {
  the_clock.counter = kernel_trusts_counter();
  both_times(the_clock.first_ticks, the_clock.first);
}

void calibrate_clock() {
  if (!the_clock.counter) return;
  Ticks ticks = 0;
  std::int64_t time = 0;
  both_times(ticks, time);
  if (time - the_clock.first < 100'000) {  // too short to tell: two looks far enough apart
    timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
    both_times(ticks, time);
  }
  the_clock.nanoseconds = static_cast<double>(time - the_clock.first) /
                          static_cast<double>(ticks - the_clock.first_ticks);
}

}  // namespace recorder
