// What an Environment cannot begin with is an Error on all ranks, also if one rank alone has it,
// and the program goes on.

#include <halocline/environment.hpp>
#include <halocline/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  const char* rank = nullptr;
  for (const char* const name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"})
    if (rank == nullptr) rank = std::getenv(name);
  if (rank == nullptr || std::string(rank) == "0") setenv("HALOCLINE_THREAD_LEVEL", "many", 1);
  try {
    halocline::Environment environment(argc, argv);
    std::puts("it begins");
    return EXIT_FAILURE;
  } catch (const halocline::Error& problem) {
    const std::string said = problem.what();
    const int right = said.find("HALOCLINE_THREAD_LEVEL=many: must be single") != said.npos;
    if (right == 0) std::printf("%s\n", said.c_str());
    int all = 0;
    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Finalize();
    return all == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
}
