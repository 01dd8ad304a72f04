// lost_peer absent|killed SCHEME: after some steps the last rank does not come any more.

#include <halocline/exchange.hpp>

#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

using namespace halocline;

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "lost_peer", [](int count, char** words) {
    if (count != 3) throw Error("usage: lost_peer absent|killed SCHEME");
    const std::string how = words[1];
    const Scheme scheme = words[2];
    Patience::current().timeout = std::chrono::seconds(how == "absent" ? 2 : 20);

    const Grid grid(world(), {30, 30}, {.periodic = {true, true}});
    const Array<double> array(grid, scheme);
    Exchange exchange(grid.halo(), array, scheme);
    for (int step = 0; step < 5; ++step) exchange.run();
    if (mpi::rank(world()) == mpi::size(world()) - 1) {
      if (how == "killed") std::raise(SIGKILL);
      std::this_thread::sleep_for(std::chrono::seconds(60));
    }
    for (int step = 0; step < 5; ++step) exchange.run();
    std::puts("went on without the lost rank");
    return EXIT_SUCCESS;
  });
}
