// An MPI library in which MPI_Put never returns: it may wait inside for its target to post, or to
// grant a lock, and that may be lost. The job must end all the same, with the scheme's name.

#include <halocline/exchange.hpp>
#include <halocline/wait.hpp>

#include <cstdio>
#include <thread>

using namespace halocline;

extern "C" int MPI_Put(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win) {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "stuck_put", [](int, char** words) {
    const Scheme scheme = words[1];
    Patience::current().timeout = std::chrono::seconds(1);
    const Grid grid(world(), {30, 30}, {.periodic = {true, true}});
    const Array<double> array(grid, scheme);
    Exchange(grid.halo(), array, scheme).run();
    std::puts("went on without the put");
    return EXIT_SUCCESS;
  });
}
