// Sums on shared nodes by Halocline: each plane is a block that is sent, and added into.

#include "shared_nodes.hpp"

#include <halocline/halocline.hpp>

namespace lagrange {

namespace {

halocline::Block plane_of(const Part& part, int axis, int place) {
  const std::ptrdiff_t n = part.nodes_a_side();
  const std::array<std::ptrdiff_t, 3> stride{n * n, n, 1};
  std::array<std::size_t, 3> count;
  count.fill(static_cast<std::size_t>(n));
  count[axis] = 1;
  return {.offset = place * stride[axis], .count = count, .stride = {stride[0], stride[1]}};
}

class HaloclineSharedNodes : public SharedNodes {
 public:
  HaloclineSharedNodes(MPI_Comm comm, const Part& part, const std::vector<double*>& arrays,
                       const std::string& scheme) {
    std::vector<halocline::Field> fields;
    for (double* const array : arrays)
      fields.push_back(halocline::field(array, static_cast<std::size_t>(part.nodes())));
    for (int axis = 0; axis < 3; ++axis) {
      if (part.ranks[axis] == 1) continue;
      halocline::Pattern planes;
      for (const int side : {-1, 1}) {
        const halocline::Block plane = plane_of(part, axis, side < 0 ? 0 : part.side);
        planes.send(part.neighbour(axis, side), plane);
        planes.receive(part.neighbour(axis, side), plane);
      }
      sums_.emplace_back(
          comm, planes, fields, scheme,
          halocline::ExchangeOptions{.combine = halocline::Combine::sum, .any_order = true});
    }
  }

  void add_up() override {
    for (halocline::Exchange& one : sums_) one.run();
  }

 private:
  std::vector<halocline::Exchange> sums_;  // along each axis
};

}  // namespace

std::unique_ptr<SharedNodes> halocline_shared_nodes(MPI_Comm comm, const Part& part,
                                                    const std::vector<double*>& arrays,
                                                    const std::string& scheme) {
  return std::make_unique<HaloclineSharedNodes>(comm, part, arrays, scheme);
}

}  // namespace lagrange
