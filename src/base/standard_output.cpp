#include <halocline/more/standard_output.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace halocline {

StandardOutput::StandardOutput(std::string_view program) noexcept : program_(program) {
  // What is opened for the other direction fails as a closed one does. (An open takes the least
  // number that is free.)
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
      [[maybe_unused]] const int same =
          open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  struct sigaction now {};
  if (sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
    std::signal(SIGPIPE, SIG_IGN);
}

int StandardOutput::end(int code) noexcept {
  errno = 0;
  const bool through = std::cout.flush().good();
  const bool flushed = std::fflush(stdout) == 0 && !std::ferror(stdout);
  int why = errno;
  // Some file systems say only now that there is no room.
  const int copy = dup(STDOUT_FILENO);
  const bool closed = copy < 0 || close(copy) == 0;
  if (!closed) why = errno;
  if (code != EXIT_SUCCESS || (through && flushed && closed)) return code;
  // Streams forget why a write in the middle failed: a further line fails for the same reason.
  if (why == 0 && write(STDOUT_FILENO, "\n", 1) < 0) why = errno;
  std::fprintf(stderr, "%.*s: standard output: %s\n", static_cast<int>(program_.size()),
               program_.data(), why != 0 ? std::strerror(why) : "not all could be written");
  return EXIT_FAILURE;
}

}  // namespace halocline
