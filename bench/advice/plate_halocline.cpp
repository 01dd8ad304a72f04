// The same plate with Halocline, through the scheme that HALOCLINE_SCHEME names.

#include <halocline/halocline.hpp>

#include <memory>

#include "plate.hpp"

int main(int argc, char** argv) {
  const plate::Asked asked(argc, argv);
  const char* named = std::getenv("HALOCLINE_SCHEME");
  const halocline::Scheme scheme(named ? named : "p2p:nonblocking");
  halocline::Environment environment(argc, argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::array<int, 2> dims{};
  MPI_Dims_create(ranks, 2, dims.data());

  const halocline::Grid grid(
      MPI_COMM_WORLD, {std::int64_t{dims[0]} * asked.cells, std::int64_t{dims[1]} * asked.cells},
      {.halo = 1, .corners = false, .dims = {dims[0], dims[1]}});
  const plate::Part part{asked.cells, asked.cells};
  using Array = halocline::Array<double>;
  const std::array u{Array(grid, scheme), Array(grid, scheme)};
  std::array halos{halocline::Exchange(MPI_COMM_WORLD, grid.halo(), u[0], scheme),
                   halocline::Exchange(MPI_COMM_WORLD, grid.halo(), u[1], scheme)};
  for (const Array& array : u)
    if (grid.owned(0).begin == 0) std::fill_n(array.data(), part.stride, 1.0);
  plate::run(MPI_COMM_WORLD, asked, part, {u[0].data(), u[1].data()},
             [&](int i) { halos[static_cast<std::size_t>(i)].run(); });
}
