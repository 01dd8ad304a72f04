#include <halocline/halocline.hpp>

int main(int argc, char** argv) {
  halocline::Environment mpi(argc, argv);
  halocline::Grid grid(halocline::world(), {512, 512}, {.halo = 1});
  halocline::Array<double> u(grid, "p2p:nonblocking");
  halocline::Exchange exchange(grid.halo(), u, "p2p:nonblocking");
  exchange.run();
}
