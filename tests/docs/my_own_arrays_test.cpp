// The code of docs/how-to/my-own-arrays.md, where it can be compiled and run; test_code.py sees to
// it that it is the same.

#include <halocline/halocline.hpp>

#include <gtest/gtest.h>

namespace {

using namespace halocline;

constexpr const char* scheme = "p2p:nonblocking";

Grid grid_of(std::vector<std::int64_t> cells) {
  cells[0] *= mpi::size(world());
  GridOptions options{.periodic = std::vector<bool>(cells.size(), true)};
  options.dims.assign(cells.size(), 1);
  options.dims[0] = mpi::size(world());
  return Grid(world(), cells, options);
}

int before() {
  return (mpi::rank(world()) + mpi::size(world()) - 1) % mpi::size(world());
}

double mine() {
  return mpi::rank(world());
}

TEST(MyOwnArrays, Order) {
  const Grid grid = grid_of({4, 3});
  std::vector<double> u(grid.elements(), mine());
  const std::int64_t nx = grid.local(0), ny = grid.local(1);
  Field field_of_u = field(u.data(), {nx, ny}, fortran_order({nx, ny}));
  Exchange exchange(grid.halo(), field_of_u, scheme);
  exchange.run();
  EXPECT_EQ(u[1 * static_cast<std::size_t>(nx)], before());
}

TEST(MyOwnArrays, Padding) {
  const Grid grid = grid_of({4, 3});
  const std::int64_t nx = grid.local(0), ny = grid.local(1);
  std::vector<double> u(static_cast<std::size_t>(nx * (ny + 3)), mine());
  Field padded = field(u.data(), {nx, ny}, c_order({nx, ny + 3}));
  Field inner = field(u.data(), {nx, ny + 3}).box({0, 3}, {nx, ny});
  Exchange(grid.halo(), padded, scheme).run();
  EXPECT_EQ(u[1], before());
  EXPECT_EQ(u[static_cast<std::size_t>(ny)], mine());
  Exchange(grid.halo(), inner, scheme).run();
  EXPECT_EQ(u[static_cast<std::size_t>(ny) + 1], before());
}

/// As std::mdspan has it, which compilers do not have yet.
template <class T>
struct View2 {
  T* data_;
  std::int64_t extents[2], strides[2];
  static constexpr std::size_t rank() { return 2; }
  T* data() const { return data_; }
  std::int64_t extent(std::size_t axis) const { return extents[axis]; }
  std::int64_t stride(std::size_t axis) const { return strides[axis]; }
};

TEST(MyOwnArrays, Views) {
  const Grid grid = grid_of({4, 3});
  const std::int64_t nx = grid.local(0), ny = grid.local(1);
  std::vector<double> u(grid.elements(), mine());
  const View2<double> view{u.data(), {nx, ny}, {1, nx}};
  Exchange exchange(grid.halo(), field(view), scheme);
  exchange.run();
  EXPECT_EQ(u[static_cast<std::size_t>(nx)], before());
}

TEST(MyOwnArrays, Components) {
  struct Cell {
    int material;
    double pressure, velocity[2];
  };
  const Grid grid = grid_of({4, 3});
  const std::int64_t nx = grid.local(0), ny = grid.local(1);
  std::vector<Cell> cells(grid.elements(), Cell{0, mine(), {mine(), 0}});
  Field pressure = field(cells.data(), cells.size()).member(&Cell::pressure);
  Exchange(grid.halo(), pressure, scheme).run();
  EXPECT_EQ(cells[1].pressure, before());
  EXPECT_EQ(cells[1].velocity[0], mine());

  std::vector<double> u(5 * grid.elements(), mine());
  std::vector<Field> components = field(u.data(), {5, nx, ny}).components(0);
  Exchange exchange(grid.comm(), grid.halo(), components, scheme);
  exchange.run();
  EXPECT_EQ(u[4 * grid.elements() + 1], before());
}

TEST(MyOwnArrays, SentOnly) {
  const Grid grid = grid_of({4, 3});
  const std::vector<double> known(grid.elements(), mine());
  std::vector<double> ghosts(grid.elements(), -1.0);
  const double* from = known.data();
  Exchange exchange(grid.comm(), grid.halo(), field(from, known.size()),
                    field(ghosts.data(), ghosts.size()), scheme);
  exchange.run();
  EXPECT_EQ(ghosts[1], before());
}

TEST(MyOwnArrays, SeveralPatternsInOneMessage) {
  const Grid cells = grid_of({4, 3}), faces = grid_of({4, 4});
  Array<double> pressure(cells, scheme), density(cells, scheme), flux(faces, scheme);
  for (Array<double>* const one : {&pressure, &density, &flux})
    std::fill(one->begin(), one->end(), mine());
  Exchange exchange(cells.comm(), {{cells.halo(), {pressure, density}}, {faces.halo(), {flux}}},
                    scheme);
  exchange.run();
  EXPECT_EQ(pressure[1], before());
  EXPECT_EQ(flux[1], before());
}

}  // namespace
