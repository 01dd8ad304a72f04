// A line that all ranks of a job have to say, said once.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace preload {

// Has a launcher started this process?
inline bool is_rank() {
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (std::getenv(name)) return true;
  return false;
}

// Writes a line on the standard error, if no rank beside this one is just saying the same: by a
// name that only one of the launcher's children can have, and that goes with it. So a rank that has
// another reason than the others is heard, whichever it is. Each host says it once.
class Speaker {
 public:
  explicit Speaker(std::string_view line) {
    if (!is_rank() || is_first(line)) {
      (void)!write(STDERR_FILENO, line.data(), line.size());
      speaks_ = is_rank();
    }
  }
  // Until the others have come so far.
  ~Speaker() {
    timespec rest{3, 0};
    while (speaks_ && nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
  }
  Speaker(const Speaker&) = delete;
  Speaker& operator=(const Speaker&) = delete;

 private:
  static bool is_first(std::string_view line) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char letter : line)
      hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const int size =
        std::snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "halocline-preload-%d-%d-%llx",
                      static_cast<int>(getuid()), static_cast<int>(getppid()),
                      static_cast<unsigned long long>(hash));
    const int place = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (place < 0) return true;
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
    return bind(place, reinterpret_cast<const sockaddr*>(&name), length) == 0 ||
           errno != EADDRINUSE;
  }

  bool speaks_ = false;
};

}  // namespace preload
