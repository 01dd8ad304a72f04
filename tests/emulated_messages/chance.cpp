#include "chance.hpp"

#include <mpi.h>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace emulated {

namespace {

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

unsigned seed() {
  const char* const text = std::getenv("EMULATED_SEED");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 1;
}

/// The fault's name, and how many calls are left until it.
struct Planted {
  std::string name;
  long left = 1;

  Planted() {
    const char* const text = std::getenv("EMULATED_FAULT");
    if (text == nullptr || world_rank() != 0) return;
    name = text;
    if (const auto colon = name.find(':'); colon != name.npos) {
      left = std::strtol(text + colon + 1, nullptr, 10);
      name.resize(colon);
    }
  }
};

}  // namespace

unsigned dice(unsigned below) {
  static std::minstd_rand engine(seed() * 7919 + static_cast<unsigned>(world_rank()) + 1);
  return static_cast<unsigned>(engine() >> 4) % below;
}

bool fault(const char* name) {
  static Planted planted;
  if (planted.name != name || --planted.left != 0) return false;
  std::fprintf(stderr, "emulated: planted: %s\n", name);
  return true;
}

void forbidden(const std::string& what) {
  std::fprintf(stderr, "emulated: rank %d: %s\n", world_rank(), what.c_str());
  std::fflush(nullptr);
  usleep(100000);  // a launcher may drop what is still in its pipes when a job aborts
  PMPI_Abort(MPI_COMM_WORLD, 3);
  std::abort();
}

}  // namespace emulated
