#include <halocline/halocline.hpp>
#include <halocline/more/tuner.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  halocline::Environment mpi(argc, argv);
  halocline::Tuning::current().remark = &halocline::print_remark;
  halocline::Grid grid(halocline::world(), {512, 512}, {.halo = 1});
  for (const char* scheme : {"p2p:nonblocking", "auto"}) {
    halocline::Array<double> u(grid, scheme);
    halocline::Exchange exchange(grid.halo(), u, scheme);
    exchange.run();
    if (halocline::mpi::rank(halocline::world()) == 0)
      std::printf("exchanged by %s: %s\n", scheme, exchange.scheme().str().c_str());
  }
}
