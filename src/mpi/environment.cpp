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

Environment::Environment(int& argc, char**& argv, int thread_level) {
  int provided = 0;
  mpi::check(MPI_Init_thread(&argc, &argv, thread_level, &provided), "MPI_Init_thread");
  if (provided < thread_level)
    end_job("halocline", "this MPI offers thread level " + std::to_string(provided) + ", but " +
                             std::to_string(thread_level) + " is needed");
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
