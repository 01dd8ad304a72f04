// guest: exchanges in a program that has begun MPI itself, and of which half belongs to another
// code that knows nothing of them. They learn by themselves that ranks crowd the cores, and leave
// alone all that is the program's. Says nothing if so.

#include "everything.hpp"

#include <halocline/halocline.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/wait.hpp>

#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <locale>
#include <string>
#include <thread>
#include <vector>

using namespace halocline;

namespace {

Expected expect("guest");

/// What a process has that is not the library's.
struct OfTheProgram {
  std::array<struct sigaction, 32> signals{};
  cpu_set_t cores{};
  mode_t mask;
  std::string c_locale = std::setlocale(LC_ALL, nullptr), cpp_locale = std::locale().name();
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  std::vector<int> switches;
  double sum = 0;  ///< in the order of MPI's own reductions

  OfTheProgram() : mask(umask(0)) {
    umask(mask);
    for (int i = 1; i < 32; ++i) sigaction(i, nullptr, &signals[static_cast<std::size_t>(i)]);
    sched_getaffinity(0, sizeof(cores), &cores);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    int provided = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    for (const char* name :
         {"MPIR_CVAR_BARRIER_DEVICE_COLLECTIVE", "MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE",
          "MPIR_CVAR_REDUCE_DEVICE_COLLECTIVE", "MPIR_CVAR_BCAST_DEVICE_COLLECTIVE"}) {
      int index = 0, count = 0, value = -1;
      MPI_T_cvar_handle cvar = MPI_T_CVAR_HANDLE_NULL;
      if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
          MPI_T_cvar_handle_alloc(index, nullptr, &cvar, &count) != MPI_SUCCESS)
        continue;
      MPI_T_cvar_read(cvar, &value);
      MPI_T_cvar_handle_free(&cvar);
      switches.push_back(value);
    }
    MPI_T_finalize();
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double mine = 1.0 / (3 + rank) + 1e16 * (rank % 2 == 0 ? 1 : -1);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }

  void expect_same(const OfTheProgram& before) const {
    for (std::size_t i = 1; i < 32; ++i)
      expect(signals[i].sa_handler == before.signals[i].sa_handler,
             "signal " + std::to_string(i) + " has another handler");
    expect(CPU_EQUAL(&cores, &before.cores), "the process has other cores");
    expect(mask == before.mask, "the umask has changed");
    expect(c_locale == before.c_locale && cpp_locale == before.cpp_locale,
           "the locale has changed");
    expect(handler == before.handler, "the world has another error handler");
    expect(switches == before.switches, "MPI's control variables have changed");
    expect(std::memcmp(&sum, &before.sum, sizeof sum) == 0, "MPI_Allreduce adds in another order");
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool half = argc > 1 && std::string(argv[1]) == "half";
  const OfTheProgram before;
  MPI_Comm ours = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, half && rank % 2 == 1 ? MPI_UNDEFINED : 0, rank, &ours);
  if (ours != MPI_COMM_NULL) {
    try {
      const Environment environment(argc, argv);  // joins what is there
      exchange_all(ours, expect);
      use_others(ours, expect);
      int size = 0;
      MPI_Comm_size(ours, &size);
      cpu_set_t cores{};
      sched_getaffinity(0, sizeof(cores), &cores);
      // A launcher that binds ranks gives each its own cores; then they are no crowd.
      if (CPU_COUNT(&cores) == static_cast<int>(std::thread::hardware_concurrency()))
        expect(Patience::current().yield == (size > CPU_COUNT(&cores)),
               "whether ranks crowd the cores is not known");
      expect(Patience::current().timeout == Patience::forever, "there is a time limit");
    } catch (const Error& error) {
      expect(false, error.what());
    }
    MPI_Comm_free(&ours);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  OfTheProgram().expect_same(before);
  MPI_Allreduce(MPI_IN_PLACE, &expect.wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return expect.wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
