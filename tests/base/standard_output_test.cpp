// What a program says is said, or the program fails in one line.

#include <halocline/more/standard_output.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>

namespace {

struct Said {
  int code;
  std::string error;
};

/// A program whose streams `prepare` changes before it begins, and which says what `speak` says.
template <class Prepare, class Speak>
Said program(Prepare&& prepare, Speak&& speak, int code = 0) {
  int ends[2];
  if (pipe(ends) != 0) return {-1, "no pipe"};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    prepare();
    std::signal(SIGPIPE, SIG_DFL);
    halocline::StandardOutput output("heat");
    speak();
    _exit(output.end(code));
  }
  close(ends[1]);
  Said said{};
  char piece[256];
  for (ssize_t got; (got = read(ends[0], piece, sizeof piece)) > 0;)
    said.error.append(piece, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

void to(const char* file) {
  dup2(open(file, O_WRONLY), STDOUT_FILENO);
}
void closed() {
  close(STDOUT_FILENO);
}
void without_reader() {
  int ends[2];
  if (pipe(ends) != 0) return;
  dup2(ends[1], STDOUT_FILENO);
  close(ends[0]);
}
void by_stream() {
  std::cout << "words\n" << std::flush;
}
void by_stdio() {
  std::printf("words\n");
}
void much() {
  for (int i = 0; i < 10'000; ++i) std::cout << "many words\n";
}

TEST(StandardOutput, ProgramsThatAreNotHeardFail) {
  for (const auto speak : {by_stream, by_stdio, much}) {
    Said said = program(closed, speak);
    EXPECT_EQ(said.code, 1);
    EXPECT_EQ(said.error, "heat: standard output: Bad file descriptor\n");
    said = program(without_reader, speak);
    EXPECT_EQ(said.code, 1);
    EXPECT_EQ(said.error, "heat: standard output: Broken pipe\n");
    if (open("/dev/full", O_WRONLY) < 0) continue;
    said = program([] { to("/dev/full"); }, speak);
    EXPECT_EQ(said.code, 1);
    EXPECT_EQ(said.error, "heat: standard output: No space left on device\n");
  }
}

TEST(StandardOutput, OthersAreLeftAlone) {
  Said said = program([] { to("/dev/null"); }, much);
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.error, "");
  said = program(closed, [] {});
  EXPECT_EQ(said.code, 0) << "who says nothing needs no output";
  said = program(closed, by_stdio, 3);
  EXPECT_EQ(said.code, 3) << "who has failed has said so";
  EXPECT_EQ(said.error, "");
}

TEST(StandardOutput, NoFileTakesThePlaceOfAClosedStream) {
  const Said said = program(
      [] {
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
      },
      [] {
        if (open("/dev/null", O_WRONLY) <= STDERR_FILENO) _exit(9);
      });
  EXPECT_EQ(said.code, 0);
}

}  // namespace
