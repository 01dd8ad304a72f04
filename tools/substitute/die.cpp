#include "die.hpp"

#include <halocline/error.hpp>

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace substitute {

void die(const std::exception& problem) noexcept {
  std::fprintf(stderr, "halocline-substitute: %s\n", halocline::words_of(problem));
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace substitute
