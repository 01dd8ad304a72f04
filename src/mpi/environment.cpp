#include <halocline/mpi.hpp>
#include <halocline/wait.hpp>

#include "last_word.hpp"
#include "shmem.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace halocline {

namespace {

struct ThreadLevel {
  int level;
  const char *word, *name;
};
constexpr ThreadLevel thread_levels[] = {
    {MPI_THREAD_SINGLE, "single", "MPI_THREAD_SINGLE"},
    {MPI_THREAD_FUNNELED, "funneled", "MPI_THREAD_FUNNELED"},
    {MPI_THREAD_SERIALIZED, "serialized", "MPI_THREAD_SERIALIZED"},
    {MPI_THREAD_MULTIPLE, "multiple", "MPI_THREAD_MULTIPLE"},
};

/// The level that HALOCLINE_THREAD_LEVEL names; `otherwise` if it names none. -1: there is no such.
int level_of_environment(int otherwise) {
  const char* const word = std::getenv("HALOCLINE_THREAD_LEVEL");
  if (word == nullptr || *word == '\0') return otherwise;
  for (const ThreadLevel& known : thread_levels)
    if (std::string(known.word) == word) return known.level;
  return -1;
}

const ThreadLevel& facts_of(int level) {
  static constexpr ThreadLevel unknown{-1, "unknown", "an unknown thread level"};
  for (const ThreadLevel& known : thread_levels)
    if (known.level == level) return known;
  return unknown;
}

}  // namespace

const char* mpi::thread_level_word(int level) noexcept {
  return facts_of(level).word;
}
const char* mpi::thread_level_name(int level) noexcept {
  return facts_of(level).name;
}

Environment::Environment(int& argc, char**& argv, int thread_level) {
  int provided = 0;
  const int named = level_of_environment(thread_level);
  thread_level = std::max(thread_level, named);
  mpi::check(MPI_Init_thread(&argc, &argv, thread_level, &provided), "MPI_Init_thread");
  if (named < 0)
    end_job("halocline",
            "HALOCLINE_THREAD_LEVEL=" + std::string(std::getenv("HALOCLINE_THREAD_LEVEL")) +
                ": must be single, funneled, serialized or multiple");
  if (provided < thread_level)
    end_job("halocline", std::string("this MPI offers ") + mpi::thread_level_name(provided) +
                             " at most, but what is asked for needs " +
                             mpi::thread_level_name(thread_level) +
                             "; ask for less, or take an MPI library that has it");
  mpi::check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  detail::share_last_word(MPI_COMM_WORLD);
  Patience::detect(MPI_COMM_WORLD);
  if (const char* delay = std::getenv("HALOCLINE_DELAY_US"))
    inject_delays(std::chrono::microseconds(std::strtol(delay, nullptr, 10)),
                  1 + static_cast<unsigned>(mpi::rank(MPI_COMM_WORLD)));
}

Environment::~Environment() {
  detail::finalize_mpi_and_shmem();
}

void end_job(std::string_view program, std::string_view text) noexcept {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // Low ranks speak first and end the job: on several nodes, too, an error is said once.
  std::this_thread::sleep_for(std::chrono::milliseconds(500) * std::min(rank, 8));
  if (!detail::take_last_word()) detail::leave_silently();
  std::fprintf(stderr, "%.*s: rank %d: %.*s\n", static_cast<int>(program.size()), program.data(),
               rank, static_cast<int>(text.size()), text.data());
  std::fflush(nullptr);
  // A launcher may drop what is still in its pipes when a job aborts.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace halocline
