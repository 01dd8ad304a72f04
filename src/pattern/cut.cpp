#include <halocline/cut.hpp>
#include <halocline/error.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

namespace halocline {

namespace {

std::string text(const std::vector<std::int64_t>& values) {
  std::string joined;
  for (auto value : values) joined += (joined.empty() ? "" : " x ") + std::to_string(value);
  return joined;
}

}  // namespace

Decomposition decomposition(std::string_view text) {
  if (text == "rows") return Decomposition::rows;
  if (text == "blocks") return Decomposition::blocks;
  throw Error("decomposition '" + std::string(text) + "': must be rows or blocks");
}

std::vector<int> choose_dims(int ranks, const std::vector<std::int64_t>& cells,
                             Decomposition decomposition, const std::vector<HaloWidth>& halos,
                             const std::vector<bool>& periodic) {
  if (decomposition == Decomposition::rows) {
    std::vector<int> rows(cells.size(), 1);
    rows[0] = static_cast<int>(std::min<std::int64_t>(ranks, cells[0]));
    return rows;
  }
  return fitting_dims(ranks, Mesh{cells, halos, periodic}.costs());
}

GridCut::GridCut(int ranks, std::vector<std::int64_t> cells, GridOptions options)
    : ranks_(ranks), cells_(std::move(cells)), options_(std::move(options)) {
  const std::size_t n = cells_.size();
  if (ranks_ < 1) throw Error("grid: " + std::to_string(ranks_) + " ranks: must be >= 1");
  if (n < 1 || n > 3) throw Error("grid: 1 to 3 axes are possible, not " + std::to_string(n));
  for (auto count : cells_)
    if (count < 1) throw Error("grid " + text(cells_) + ": every axis needs at least 1 cell");
  if (options_.renumber)
    throw Error("grid " + text(cells_) + ": only a grid on a communicator renumbers its ranks");
  if (options_.halos.empty()) options_.halos.assign(n, options_.halo);
  if (options_.periodic.empty()) options_.periodic.assign(n, false);
  if (options_.halos.size() != n || options_.periodic.size() != n ||
      (!options_.dims.empty() && options_.dims.size() != n))
    throw Error("grid " + text(cells_) + ": halos, periodic and dims need one entry for each axis");
  for (const HaloWidth& width : options_.halos)
    if (width.below < 0 || width.above < 0) throw Error("grid: a halo's width must be >= 0");

  dims_ = options_.dims.empty() ? choose_dims(ranks_, cells_, options_.decomposition,
                                              options_.halos, options_.periodic)
                                : options_.dims;
  check_dims();
  parts_ = std::accumulate(dims_.begin(), dims_.end(), 1, std::multiplies<>());
}

void GridCut::check_dims() const {
  const std::size_t n = cells_.size();
  int used = 1;
  for (std::size_t axis = 0; axis < n; ++axis) {
    if (dims_[axis] < 1 || dims_[axis] > cells_[axis])
      throw Error("grid " + text(cells_) + ": axis " + std::to_string(axis) +
                  " cannot be cut into " + std::to_string(dims_[axis]) + " parts");
    used *= dims_[axis];
  }
  if (used > ranks_)
    throw Error("grid: the process grid needs " + std::to_string(used) + " ranks, there are " +
                std::to_string(ranks_));

  for (std::size_t axis = 0; axis < n; ++axis) {
    // A halo is filled by the next subdomain alone. (An open axis in one part has no neighbour.)
    if (dims_[axis] == 1 && !options_.periodic[axis]) continue;
    const std::int64_t least = cells_[axis] / dims_[axis];
    const int widest = std::max(options_.halos[axis].below, options_.halos[axis].above);
    if (widest > least)
      throw Error("grid " + text(cells_) + ": the halo is " + std::to_string(widest) +
                  " wide along axis " + std::to_string(axis) +
                  ", but the smallest subdomain has only " + std::to_string(least) +
                  " cells there (" + std::to_string(dims_[axis]) +
                  " parts); use fewer ranks or a narrower halo");
  }
}

std::size_t GridCut::index(int axis) const {
  if (axis < 0 || axis >= axes())
    throw Error("grid " + text(cells_) + ": there is no axis " + std::to_string(axis) +
                "; they are counted from 0");
  return static_cast<std::size_t>(axis);
}

Range GridCut::owned_by(int axis, int coordinate) const {
  const std::size_t i = index(axis);
  if (coordinate < 0 || coordinate >= dims_[i])
    throw Error("grid " + text(cells_) + ": axis " + std::to_string(axis) + " is cut into " +
                std::to_string(dims_[i]) + " parts, of which there is no number " +
                std::to_string(coordinate));
  return part_of(cells_[i], dims_[i], coordinate);
}

bool GridCut::idle(int rank) const {
  if (rank < 0 || rank >= ranks_)
    throw Error("grid " + text(cells_) + ": there is no rank " + std::to_string(rank) + " of " +
                std::to_string(ranks_));
  return rank >= parts_;
}

/// The rank has a part.
int GridCut::coordinate(int rank, std::size_t axis) const {
  for (std::size_t faster = dims_.size(); --faster > axis;) rank /= dims_[faster];
  return rank % dims_[axis];
}

std::vector<int> GridCut::coordinates(int rank) const {
  if (idle(rank)) return {};
  std::vector<int> at(dims_.size());
  for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] = coordinate(rank, axis);
  return at;
}

Range GridCut::owned(int rank, int axis) const {
  const std::size_t i = index(axis);
  return idle(rank) ? Range{0, 0} : part_of(cells_[i], dims_[i], coordinate(rank, i));
}

std::int64_t GridCut::local(int rank, int axis) const {
  const HaloWidth w = width(axis);
  return idle(rank) ? 0 : owned(rank, axis).size() + w.below + w.above;
}

std::int64_t GridCut::owned_cells(int rank) const {
  std::int64_t product = 1;
  for (int axis = 0; axis < axes(); ++axis) product *= owned(rank, axis).size();
  return product;
}

std::size_t GridCut::elements(int rank) const {
  std::size_t product = 1;
  for (int axis = 0; axis < axes(); ++axis) product *= static_cast<std::size_t>(local(rank, axis));
  return product;
}

Distribution GridCut::distribution(std::vector<int> ranks) const {
  return {cells_, dims_, {.halos = options_.halos, .ranks = std::move(ranks)}};
}

int GridCut::neighbour(int rank, const std::vector<int>& offset) const {
  if (offset.size() != dims_.size())
    throw Error("grid " + text(cells_) + ": a neighbour's offset needs one entry for each axis");
  if (idle(rank)) return -1;
  int there = 0;
  for (std::size_t axis = 0; axis < dims_.size(); ++axis) {
    int along = coordinate(rank, axis) + offset[axis];
    if (along < 0 || along >= dims_[axis]) {
      if (!options_.periodic[axis]) return -1;
      along = (along % dims_[axis] + dims_[axis]) % dims_[axis];
    }
    there = there * dims_[axis] + along;
  }
  return there;
}

namespace {

/// What one axis contributes to a link in direction -1, 0 or +1: where it starts, how many cells.
struct Extent {
  std::int64_t begin, size;
};

/// A local array by its axes, padded in front to three, so that one loop serves all.
struct LocalBox {
  LocalBox(const GridCut& cut, int rank) : pad(3 - static_cast<std::size_t>(cut.axes())) {
    for (int axis = 0; axis < cut.axes(); ++axis) {
      const std::size_t padded = pad + static_cast<std::size_t>(axis);
      halo[padded] = cut.width(axis);
      own[padded] = cut.owned(rank, axis).size();
      extent[padded] = cut.local(rank, axis);
    }
  }

  /// What is sent towards side `d` (-1, 0: all that is owned, 1) along an axis.
  Extent send_box(std::size_t axis, int d) const {
    const std::int64_t below = halo[axis].below, above = halo[axis].above;
    // My last cells fill the halo below the next subdomain.
    return d == 0  ? Extent{below, own[axis]}
           : d > 0 ? Extent{own[axis], below}
                   : Extent{below, above};
  }
  /// Where what was sent towards side `d` is received.
  Extent receive_box(std::size_t axis, int d) const {
    const std::int64_t below = halo[axis].below, above = halo[axis].above;
    return d == 0  ? Extent{below, own[axis]}
           : d > 0 ? Extent{0, below}
                   : Extent{below + own[axis], above};
  }
  Block block(const std::array<Extent, 3>& box) const {
    const std::array<std::ptrdiff_t, 2> stride{extent[1] * extent[2], extent[2]};
    return {.offset = box[0].begin * stride[0] + box[1].begin * stride[1] + box[2].begin,
            .count = {static_cast<std::size_t>(box[0].size), static_cast<std::size_t>(box[1].size),
                      static_cast<std::size_t>(box[2].size)},
            .stride = stride};
  }

  std::size_t pad;
  std::array<HaloWidth, 3> halo{HaloWidth(0), HaloWidth(0), HaloWidth(0)};
  std::array<std::int64_t, 3> own{1, 1, 1}, extent{1, 1, 1};
};

/// From rank `me` to `target`, and from `source` to `me`; what is its own in both is copied.
void add_links(Pattern& pattern, int me, int target, int source, const Block& sent,
               const Block& received) {
  if (target == me && source == me) return pattern.copy(sent, received);
  if (target >= 0) pattern.send(target, sent);
  if (source >= 0) pattern.receive(source, received);
}

}  // namespace

/// Along one axis after the other, with the halos along the axes before.
std::vector<Pattern> GridCut::stages(int rank) const {
  std::vector<Pattern> stages;
  if (axes() == 1 || !options_.corners) return stages;
  const auto before_exists = [&](int axis, int d) {
    std::vector<int> offset(dims_.size(), 0);
    offset[static_cast<std::size_t>(axis)] = d;
    return neighbour(rank, offset) >= 0;
  };
  for (int axis = 0; axis < axes(); ++axis) {
    // No rank has a neighbour along this axis.
    if (dims_[static_cast<std::size_t>(axis)] == 1 && !periodic(axis)) continue;
    Pattern& stage = stages.emplace_back();
    if (idle(rank)) continue;
    const LocalBox mine(*this, rank);
    for (const int d : {-1, 1}) {
      std::array<Extent, 3> sent{}, received{};
      for (std::size_t padded = 0; padded < 3; ++padded) {
        const int other = static_cast<int>(padded) - static_cast<int>(mine.pad);
        Extent all = mine.send_box(padded, 0);
        if (other >= 0 && other < axis) {
          if (before_exists(other, -1)) {
            all.begin = 0;
            all.size += mine.halo[padded].below;
          }
          if (before_exists(other, 1)) all.size += mine.halo[padded].above;
        }
        sent[padded] = other == axis ? mine.send_box(padded, d) : all;
        received[padded] = other == axis ? mine.receive_box(padded, d) : all;
      }
      std::vector<int> towards(dims_.size(), 0), from(dims_.size(), 0);
      towards[static_cast<std::size_t>(axis)] = d;
      from[static_cast<std::size_t>(axis)] = -d;
      add_links(stage, rank, neighbour(rank, towards), neighbour(rank, from), mine.block(sent),
                mine.block(received));
    }
  }
  return stages;
}

Pattern GridCut::halo(int rank) const {
  Pattern pattern;
  if (idle(rank)) {
    pattern.set_stages(stages(rank));
    return pattern;
  }
  const LocalBox mine(*this, rank);

  // Direction d: what I send towards d is what the rank there holds as its halo on side -d.
  // Sender and receiver walk the directions in the same order, so their blocks correspond.
  std::array<int, 3> d;
  for (d[0] = -1; d[0] <= 1; ++d[0])
    for (d[1] = -1; d[1] <= 1; ++d[1])
      for (d[2] = -1; d[2] <= 1; ++d[2]) {
        const int moved = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]);
        if (moved == 0 || (moved > 1 && !options_.corners)) continue;
        std::array<Extent, 3> sent, received;
        std::vector<int> towards, from;
        bool exists = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (axis < mine.pad) {
            exists = exists && d[axis] == 0;
          } else {
            towards.push_back(d[axis]);
            from.push_back(-d[axis]);
          }
          sent[axis] = mine.send_box(axis, d[axis]);
          received[axis] = mine.receive_box(axis, d[axis]);
        }
        if (exists)
          add_links(pattern, rank, neighbour(rank, towards), neighbour(rank, from),
                    mine.block(sent), mine.block(received));
      }
  pattern.set_stages(stages(rank));
  return pattern;
}

}  // namespace halocline
