// One exchange by `auto` and by three schemes; then each cell of the halo has what its owner wrote.

#include <halocline/halocline.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  halocline::Environment mpi(argc, argv);
  if (halocline::version() / 100 != HALOCLINE_VERSION / 100) {
    std::printf("headers of %s, library %s\n", HALOCLINE_VERSION_TEXT, halocline::version_text());
    return 1;
  }
  halocline::Grid grid(halocline::world(), {32, 32}, {.halo = 1, .periodic = {true, true}});
  for (const char* scheme : {"p2p:nonblocking", "rma:put:fence", "shm:signal", "auto"}) {
    halocline::Array<double> u(grid, scheme);
    for (double& cell : u) cell = -1;
    const auto rows = grid.local(0), columns = grid.local(1);
    for (std::int64_t i = 1; i < rows - 1; ++i)
      for (std::int64_t j = 1; j < columns - 1; ++j)
        u[static_cast<std::size_t>(i * columns + j)] = 1;
    halocline::Exchange halos(grid.halo(), u, scheme);
    halos.run();
    for (const double cell : u)
      if (cell != 1) {
        std::printf("%s left a halo unfilled\n", scheme);
        return 1;
      }
  }
}
