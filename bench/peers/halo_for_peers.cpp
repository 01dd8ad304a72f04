// The halo exchange of a grid behind a C interface, so that a Python script can measure it in turn
// with libraries that it loads.

#include <halocline/halocline.hpp>

#include <cstdio>
#include <vector>

using namespace halocline;

namespace {

struct GridHalo {
  Grid grid;
  Array<double> field;
  Exchange exchange;
};

}  // namespace

extern "C" {

/// `cells` of each rank along each of `axes`; `dims` ranks along each. Null, after a message on
/// standard error, if the scheme cannot do it. Collective.
void* halo_make(int axes, const int* cells, int width, int periodic, const int* dims,
                const char* scheme) try {
  std::vector<std::int64_t> all;
  for (int axis = 0; axis < axes; ++axis) all.push_back(std::int64_t{cells[axis]} * dims[axis]);
  Grid grid(world(), all,
            {.halo = width,
             .periodic = std::vector<bool>(static_cast<std::size_t>(axes), periodic != 0),
             .corners = true,
             .dims = std::vector<int>(dims, dims + axes)});
  Array<double> field(grid, scheme);
  Exchange exchange(grid.halo(), field, scheme);
  return new GridHalo{std::move(grid), std::move(field), std::move(exchange)};
} catch (const std::exception& problem) {
  std::fprintf(stderr, "halo_for_peers: %s\n", problem.what());
  return nullptr;
}

double* halo_field(void* halo) {
  return static_cast<GridHalo*>(halo)->field.data();
}

void halo_exchange(void* halo) {
  static_cast<GridHalo*>(halo)->exchange.run();
}

/// What a call from Python takes.
void halo_nothing(void*) {}

void halo_free(void* halo) {
  delete static_cast<GridHalo*>(halo);
}
}
