// When the launcher has started this process: for whoever asks what else belongs to the launch.
#pragma once

#include "speaker.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace preload {

// Milliseconds of the calendar's clock. The launcher's own child began then; without a launcher
// it is now.
inline std::int64_t launched() {
  const auto milliseconds = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * std::int64_t{1'000} + time.tv_nsec / 1'000'000;
  };
  const std::int64_t now = milliseconds(CLOCK_REALTIME);
  if (!is_rank()) return now;
  std::ifstream file("/proc/" + std::to_string(getppid()) + "/stat");
  std::string words(std::istreambuf_iterator<char>(file), {});
  // The second field is a name in brackets, which may have anything in it; wanted is the 22nd.
  const std::size_t end = words.rfind(')');
  std::istringstream fields(end == words.npos ? "" : words.substr(end + 1));
  for (int field = 3; field < 22; ++field) fields >> words;
  std::int64_t ticks = 0;
  if (!(fields >> ticks)) return now;
  const std::int64_t began =
      now - milliseconds(CLOCK_BOOTTIME) + 1'000 * ticks / sysconf(_SC_CLK_TCK);
  return std::min(began, now);
}

}  // namespace preload
