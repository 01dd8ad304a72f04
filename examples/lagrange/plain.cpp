// Sums on shared nodes by nonblocking messages: planes of all arrays are packed for each neighbour.

#include "shared_nodes.hpp"

namespace lagrange {

namespace {

/// The nodes of a plane are `count` runs of `length`, `stride` apart.
struct Plane {
  int first, count, length, stride;
  int size() const { return count * length; }
};

Plane plane_of(const Part& part, int axis, int place) {
  const int n = part.nodes_a_side();
  if (axis == 0) return {place * n * n, 1, n * n, 0};
  if (axis == 1) return {place * n, n, n, n * n};
  return {place, n * n, 1, n};
}

class PlainSharedNodes : public SharedNodes {
 public:
  PlainSharedNodes(MPI_Comm comm, const Part& part, std::vector<double*> arrays)
      : comm_(comm), part_(part), arrays_(std::move(arrays)) {
    const auto nodes = static_cast<std::size_t>(part.nodes_a_side()) * part.nodes_a_side();
    for (auto* const messages : {&out_, &in_})
      for (std::vector<double>& one : *messages) one.resize(nodes * arrays_.size());
  }

  void add_up() override {
    for (int axis = 0; axis < 3; ++axis)
      if (part_.ranks[axis] > 1) add_up(axis);
  }

 private:
  void add_up(int axis) {
    MPI_Request requests[4];
    int neighbours[2], count = 0;
    Plane planes[2];
    for (int side = 0; side < 2; ++side) {
      neighbours[side] = part_.neighbour(axis, side == 0 ? -1 : 1);
      planes[side] = plane_of(part_, axis, side == 0 ? 0 : part_.side);
      if (neighbours[side] == MPI_PROC_NULL) continue;
      MPI_Irecv(in_[side].data(), static_cast<int>(in_[side].size()), MPI_DOUBLE, neighbours[side],
                tag, comm_, &requests[count++]);
    }
    for (int side = 0; side < 2; ++side) {
      if (neighbours[side] == MPI_PROC_NULL) continue;
      pack(planes[side], out_[side].data());
      MPI_Isend(out_[side].data(), static_cast<int>(out_[side].size()), MPI_DOUBLE,
                neighbours[side], tag, comm_, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int side = 0; side < 2; ++side)
      if (neighbours[side] != MPI_PROC_NULL) add(planes[side], in_[side].data());
  }

  void pack(const Plane& plane, double* message) const {
    for (const double* const array : arrays_)
      for (int run = 0; run < plane.count; ++run)
        for (int i = 0; i < plane.length; ++i)
          *message++ = array[plane.first + run * plane.stride + i];
  }

  void add(const Plane& plane, const double* message) const {
    for (double* const array : arrays_)
      for (int run = 0; run < plane.count; ++run)
        for (int i = 0; i < plane.length; ++i)
          array[plane.first + run * plane.stride + i] += *message++;
  }

  static constexpr int tag = 98;
  MPI_Comm comm_;
  Part part_;
  std::vector<double*> arrays_;
  std::array<std::vector<double>, 2> out_, in_;  // messages to and from the neighbour on each side
};

}  // namespace

std::unique_ptr<SharedNodes> plain_shared_nodes(MPI_Comm comm, const Part& part,
                                                std::vector<double*> arrays) {
  return std::make_unique<PlainSharedNodes>(comm, part, std::move(arrays));
}

}  // namespace lagrange
