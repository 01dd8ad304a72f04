// Which rank takes which part: boxes for the nodes and sockets, or an order of the grid, cut.

#include <halocline/more/placement.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace halocline {

namespace {

using Counts = std::vector<int>;

int product(const Counts& parts) {
  return std::accumulate(parts.begin(), parts.end(), 1, std::multiplies<>());
}

/// Row-major coordinates of `index` in a grid of `dims`.
Counts coordinates(int index, const Counts& dims) {
  Counts at(dims.size());
  for (std::size_t axis = dims.size(); axis-- > 0; index /= dims[axis])
    at[axis] = index % dims[axis];
  return at;
}

int index_of(const Counts& at, const Counts& dims) {
  int index = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) index = index * dims[axis] + at[axis];
  return index;
}

/// Calls `visit(part, next part, axis)` for all neighbours.
template <class Visit>
void each_link(const std::vector<bool>& periodic, const Counts& dims, const Visit& visit) {
  const int parts = product(dims);
  Counts strides(dims.size(), 1);
  for (std::size_t axis = dims.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * dims[axis];
  for (int part = 0; part < parts; ++part)
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      const bool last = part / strides[axis] % dims[axis] + 1 == dims[axis];
      const bool closed = !periodic.empty() && periodic[axis];
      if (dims[axis] == 1 || (last && !closed)) continue;
      visit(part, part + strides[axis] * (last ? 1 - dims[axis] : 1), axis);
    }
}

/// What crosses nodes, sockets and cores, for one process grid and many placements in it.
class Crossing {
 public:
  using Sum = std::array<double, 3>;

  Crossing(const CutCosts& costs, const Counts& dims, const Machine& machine)
      : costs_(costs),
        dims_(dims),
        machine_(machine),
        places_(static_cast<std::size_t>(product(dims))) {}

  Sum operator()(const Counts& position) {
    for (int rank = 0; rank < machine_.ranks(); ++rank) {
      const auto part = static_cast<std::size_t>(position[static_cast<std::size_t>(rank)]);
      if (part < places_.size()) places_[part] = machine_.place(rank);
    }
    std::vector<std::array<std::int64_t, 3>> links(dims_.size());
    each_link(costs_.periodic, dims_, [&](int part, int next, std::size_t axis) {
      const auto& here = places_[static_cast<std::size_t>(part)];
      const auto& there = places_[static_cast<std::size_t>(next)];
      ++links[axis][here.node != there.node ? 0 : here.socket != there.socket ? 1 : 2];
    });
    // A plane's links share its weight. Whole planes come out exactly.
    Sum sum{};
    for (std::size_t axis = 0; axis < dims_.size(); ++axis)
      for (std::size_t across = 0; across < sum.size(); ++across)
        sum[across] += costs_.weights[axis] *
                       static_cast<double>(links[axis][across] * dims_[axis]) /
                       static_cast<double>(places_.size());
    return sum;
  }

 private:
  const CutCosts& costs_;
  const Counts& dims_;
  const Machine& machine_;
  std::vector<Machine::Place> places_;
};

/// Appends the parts of a box to `order`, to and fro along the axes as `axes` lists them, the first
/// the slowest, so that each lies beside the one before.
class Snake {
 public:
  Snake(const std::vector<std::size_t>& axes, Counts begin, Counts end)
      : axes_(axes), begin_(std::move(begin)), end_(std::move(end)), back_(axes.size()) {}

  template <class Visit>
  void walk(const Visit& visit) {
    at_ = begin_;
    walk(0, visit);
  }

 private:
  template <class Visit>
  void walk(std::size_t depth, const Visit& visit) {
    if (depth == axes_.size()) return visit(at_);
    const std::size_t axis = axes_[depth];
    const bool back = back_[depth];
    for (int step = 0; step < end_[axis] - begin_[axis]; ++step) {
      at_[axis] = back ? end_[axis] - 1 - step : begin_[axis] + step;
      walk(depth + 1, visit);
    }
    back_[depth] = !back;
  }

  const std::vector<std::size_t>& axes_;
  Counts begin_, end_, at_;
  std::vector<bool> back_;
};

/// The parts by tiles of this shape, one tile after the other.
Counts by_tiles(const Counts& dims, const Counts& tile, const std::vector<std::size_t>& axes) {
  Counts order, tiles(dims.size());
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    tiles[axis] = (dims[axis] + tile[axis] - 1) / tile[axis];
  Snake(axes, Counts(dims.size(), 0), tiles).walk([&](const Counts& at) {
    Counts begin(dims.size()), end(dims.size());
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      begin[axis] = at[axis] * tile[axis];
      end[axis] = std::min(begin[axis] + tile[axis], dims[axis]);
    }
    Snake(axes, begin, end).walk([&](const Counts& part) {
      order.push_back(index_of(part, dims));
    });
  });
  return order;
}

/// The ranks by node and socket take the parts in this order.
Counts taken(const Counts& order, const Machine& machine) {
  Counts position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    position[static_cast<std::size_t>(machine.in_order()[i])] = order[i];
  return position;
}

/// The best order of the process grid by tiles, or the sequential one.
Placement by_best_order(const CutCosts& costs, const Machine& machine, const Counts& dims) {
  Placement best = sequential_placement(dims, machine.ranks());
  const int parts = product(dims);
  Crossing crossing(costs, dims, machine);
  Crossing::Sum least = crossing(best.position);

  // Few enough that it takes a fraction of a second.
  const std::int64_t affordable = std::max<std::int64_t>(20, 4'000'000 / parts);
  std::int64_t orders = 1;
  for (std::size_t axis = 2; axis <= dims.size(); ++axis) orders *= static_cast<std::int64_t>(axis);
  // Then not all shapes, but each n-th.
  const std::int64_t each = std::max<std::int64_t>(1, parts * orders / affordable);

  std::vector<std::size_t> axes(dims.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  do {
    for (std::int64_t shape = 0; shape < parts; shape += each) {
      Counts tile = coordinates(static_cast<int>(shape), dims);
      for (int& side : tile) ++side;
      Counts order = by_tiles(dims, tile, axes);
      for (int idle = parts; idle < machine.ranks(); ++idle) order.push_back(idle);
      Counts position = taken(order, machine);
      const Crossing::Sum sum = crossing(position);
      if (sum < least) least = sum, best.position = std::move(position);
    }
  } while (std::next_permutation(axes.begin(), axes.end()));
  return best;
}

Placement by_boxes(const Machine& machine, std::vector<Counts> levels) {
  const std::size_t axes = levels[0].size();
  Placement found{Counts(axes, 1), std::move(levels), {}};
  for (const Counts& level : found.levels)
    for (std::size_t axis = 0; axis < axes; ++axis) found.dims[axis] *= level[axis];
  Counts order;
  for (int i = 0; i < machine.ranks(); ++i) {
    const int cores = product(found.levels[2]), sockets = product(found.levels[1]);
    const Counts node = coordinates(i / cores / sockets, found.levels[0]);
    const Counts socket = coordinates(i / cores % sockets, found.levels[1]);
    const Counts core = coordinates(i % cores, found.levels[2]);
    Counts at(axes);
    for (std::size_t axis = 0; axis < axes; ++axis)
      at[axis] =
          (node[axis] * found.levels[1][axis] + socket[axis]) * found.levels[2][axis] + core[axis];
    order.push_back(index_of(at, found.dims));
  }
  found.position = taken(order, machine);
  return found;
}

}  // namespace

Placement sequential_placement(const std::vector<int>& dims, int ranks) {
  Placement plain{dims, {}, Counts(static_cast<std::size_t>(ranks))};
  std::iota(plain.position.begin(), plain.position.end(), 0);
  return plain;
}

Placement best_placement(const CutCosts& costs, const Machine& machine) {
  const Counts dims = fitting_dims(machine.ranks(), costs);
  if (dims.empty()) return {};
  Placement ordered = by_best_order(costs, machine, dims);
  if (machine.counts().empty()) return ordered;
  auto levels = weighted_levels(machine.counts(), costs);
  if (levels.empty()) return ordered;
  Placement boxes = by_boxes(machine, std::move(levels));
  const auto crossing = [&](const Placement& one) {
    return Crossing(costs, one.dims, machine)(one.position);
  };
  return crossing(boxes) <= crossing(ordered) ? boxes : ordered;
}

Traffic traffic_of(const Mesh& mesh, const Machine& machine, const Placement& placement) {
  std::vector<int> owner(placement.position.size());
  for (std::size_t rank = 0; rank < owner.size(); ++rank)
    owner[static_cast<std::size_t>(placement.position[rank])] = static_cast<int>(rank);
  Traffic all;
  each_link(mesh.periodic, placement.dims, [&](int part, int next, std::size_t axis) {
    const Counts at = coordinates(part, placement.dims);
    std::int64_t face = 1;
    for (std::size_t other = 0; other < at.size(); ++other)
      if (other != axis)
        face *= part_of(mesh.cells[other], placement.dims[other], at[other]).size();
    const Machine::Place& here = machine.place(owner[static_cast<std::size_t>(part)]);
    const Machine::Place& there = machine.place(owner[static_cast<std::size_t>(next)]);
    // My last cells fill the halo below the next part.
    const std::int64_t up = face * mesh.halos[axis].below, down = face * mesh.halos[axis].above;
    all.add(here, there, up, 1);
    all.add(there, here, down, 0);
  });
  return all;
}

void Traffic::add(const Machine::Place& from, const Machine::Place& to, std::int64_t words,
                  std::int64_t links) {
  Share& share = from.node != to.node ? nodes : from.socket != to.socket ? sockets : cores;
  share.links += links;
  share.words += words;
  if (from.node == to.node) return;
  node_to_node[{from.node, to.node}] += words;
  busiest_node = std::max(busiest_node, by_node[from.node] += words);
}

}  // namespace halocline
