#include <halocline/topology.hpp>

#include <algorithm>
#include <numeric>

namespace halocline {

namespace {

std::string text(const std::vector<std::int64_t>& values) {
  std::string joined;
  for (auto value : values) joined += (joined.empty() ? "" : " x ") + std::to_string(value);
  return joined;
}

/// What one axis contributes to a link in direction -1, 0 or +1: where it starts, how many cells.
struct Extent {
  std::int64_t begin, size;
};

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

Grid::Grid(MPI_Comm comm, std::vector<std::int64_t> cells, GridOptions options)
    : comm_(comm), given_(comm), cells_(std::move(cells)), options_(std::move(options)) {
  const std::size_t n = cells_.size();
  if (n < 1 || n > 3) throw Error("grid: 1 to 3 axes are possible, not " + std::to_string(n));
  for (auto count : cells_)
    if (count < 1) throw Error("grid " + text(cells_) + ": every axis needs at least 1 cell");
  if (options_.halos.empty()) options_.halos.assign(n, options_.halo);
  if (options_.periodic.empty()) options_.periodic.assign(n, false);
  if (options_.halos.size() != n || options_.periodic.size() != n ||
      (!options_.dims.empty() && options_.dims.size() != n))
    throw Error("grid " + text(cells_) + ": halos, periodic and dims need one entry for each axis");
  for (const HaloWidth& width : options_.halos)
    if (width.below < 0 || width.above < 0) throw Error("grid: a halo's width must be >= 0");

  dims_ = options_.dims.empty() ? choose_dims(mpi::size(comm), cells_, options_.decomposition,
                                              options_.halos, options_.periodic)
                                : options_.dims;
  check_dims();
  reader_ = mpi::rank(comm);
  if (options_.renumber) {
    renumber();
    check_dims();
  }

  const int me = mpi::rank(comm_);
  if (me >= std::accumulate(dims_.begin(), dims_.end(), 1, std::multiplies<>())) return;  // idle
  coordinates_.resize(n);
  int rest = me;
  for (std::size_t axis = n; axis-- > 0;) {
    coordinates_[axis] = rest % dims_[axis];
    rest /= dims_[axis];
  }
  for (std::size_t axis = 0; axis < n; ++axis)
    owned_.push_back(owned_by(static_cast<int>(axis), coordinates_[axis]));
}

void Grid::check_dims() const {
  const std::size_t n = cells_.size();
  const int ranks = mpi::size(given_);
  int used = 1;
  for (std::size_t axis = 0; axis < n; ++axis) {
    if (dims_[axis] < 1 || dims_[axis] > cells_[axis])
      throw Error("grid " + text(cells_) + ": axis " + std::to_string(axis) +
                  " cannot be cut into " + std::to_string(dims_[axis]) + " parts");
    used *= dims_[axis];
  }
  if (used > ranks)
    throw Error("grid: the process grid needs " + std::to_string(used) + " ranks, there are " +
                std::to_string(ranks));

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

void Grid::renumber() {
  const bool free = options_.dims.empty() && options_.decomposition == Decomposition::blocks;
  CutCosts costs = Mesh{cells_, options_.halos, options_.periodic}.costs();
  if (!free) costs.fixed = dims_;
  const Placement placed = place(costs, machine_of(given_, options_.nodes));
  dims_ = placed.dims;
  const int before = mpi::rank(given_);
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split, given_, 0, placed.position[static_cast<std::size_t>(before)], &raw);
  renumbered_ = std::make_shared<mpi::Comm>(raw);
  comm_ = *renumbered_;
  const auto found = std::find(placed.position.begin(), placed.position.end(), before);
  reader_ = static_cast<int>(found - placed.position.begin());
}

namespace {
constexpr int moved_tag = 0;
}

std::size_t Grid::moved_bytes(std::size_t sent) const {
  std::uint64_t out = sent, in = 0;
  HALOCLINE_MPI(MPI_Sendrecv, &out, 1, MPI_UINT64_T, reader_, moved_tag, &in, 1, MPI_UINT64_T,
                mpi::rank(comm_), moved_tag, given_, MPI_STATUS_IGNORE);
  return in;
}

void Grid::move_bytes(std::span<const std::byte> from, std::span<std::byte> to) const {
  const mpi::Bytes out(from.size()), in(to.size());
  HALOCLINE_MPI(MPI_Sendrecv, from.data(), out.count(), out.type(), reader_, moved_tag, to.data(),
                in.count(), in.type(), mpi::rank(comm_), moved_tag, given_, MPI_STATUS_IGNORE);
}

std::size_t Grid::index(int axis) const {
  if (axis < 0 || axis >= axes())
    throw Error("grid " + text(cells_) + ": there is no axis " + std::to_string(axis) +
                "; they are counted from 0");
  return static_cast<std::size_t>(axis);
}

Range Grid::owned_by(int axis, int coordinate) const {
  const std::size_t i = index(axis);
  if (coordinate < 0 || coordinate >= dims_[i])
    throw Error("grid " + text(cells_) + ": axis " + std::to_string(axis) + " is cut into " +
                std::to_string(dims_[i]) + " parts, of which there is no number " +
                std::to_string(coordinate));
  return part_of(cells_[i], dims_[i], coordinate);
}

std::int64_t Grid::local(int axis) const {
  const HaloWidth w = width(axis);
  if (idle()) return 0;
  return owned(axis).size() + w.below + w.above;
}

std::size_t Grid::elements() const {
  if (idle()) return 0;
  std::size_t product = 1;
  for (int axis = 0; axis < axes(); ++axis) product *= static_cast<std::size_t>(local(axis));
  return product;
}

Distribution Grid::distribution(MPI_Comm numbered) const {
  DistributionOptions options{.halos = options_.halos};
  if (numbered != comm_) {
    std::vector<int> ranks(static_cast<std::size_t>(
        std::accumulate(dims_.begin(), dims_.end(), 1, std::multiplies<>())));
    std::iota(ranks.begin(), ranks.end(), 0);
    options.ranks = mpi::translate(comm_, ranks, numbered);
  }
  return {cells_, dims_, std::move(options)};
}

int Grid::neighbour(const std::vector<int>& offset) const {
  if (offset.size() != dims_.size())
    throw Error("grid " + text(cells_) + ": a neighbour's offset needs one entry for each axis");
  if (idle()) return MPI_PROC_NULL;
  int rank = 0;
  for (std::size_t axis = 0; axis < dims_.size(); ++axis) {
    int coordinate = coordinates_[axis] + offset[axis];
    if (coordinate < 0 || coordinate >= dims_[axis]) {
      if (!options_.periodic[axis]) return MPI_PROC_NULL;
      coordinate = (coordinate % dims_[axis] + dims_[axis]) % dims_[axis];
    }
    rank = rank * dims_[axis] + coordinate;
  }
  return rank;
}

namespace {

/// A local array by its axes, padded in front to three, so that one loop serves all.
struct LocalBox {
  explicit LocalBox(const Grid& grid) : pad(3 - static_cast<std::size_t>(grid.axes())) {
    for (int axis = 0; axis < grid.axes(); ++axis) {
      const std::size_t padded = pad + static_cast<std::size_t>(axis);
      halo[padded] = grid.width(axis);
      own[padded] = grid.owned(axis).size();
      extent[padded] = grid.local(axis);
    }
  }

  /// What leaves towards side `d` (-1, 0: all that is owned, 1) along an axis.
  Extent leaving(std::size_t axis, int d) const {
    const std::int64_t below = halo[axis].below, above = halo[axis].above;
    // My last cells fill the halo below the next subdomain.
    return d == 0  ? Extent{below, own[axis]}
           : d > 0 ? Extent{own[axis], below}
                   : Extent{below, above};
  }
  /// Where what was sent towards side `d` lands.
  Extent landing(std::size_t axis, int d) const {
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

}  // namespace

/// From me to `target`, and from `source` to me; what is my own in both is copied.
void Grid::add_links(Pattern& pattern, int target, int source, const Block& leaves,
                     const Block& lands) const {
  const int me = mpi::rank(comm_);
  if (target == me && source == me) return pattern.copy(leaves, lands);
  if (target != MPI_PROC_NULL) pattern.send(target, leaves);
  if (source != MPI_PROC_NULL) pattern.receive(source, lands);
}

/// Along one axis after the other, with the halos along the axes before.
std::vector<Pattern> Grid::stages() const {
  std::vector<Pattern> stages;
  if (axes() == 1 || !options_.corners) return stages;
  const auto before_exists = [&](int axis, int d) {
    std::vector<int> offset(dims_.size(), 0);
    offset[static_cast<std::size_t>(axis)] = d;
    return neighbour(offset) != MPI_PROC_NULL;
  };
  for (int axis = 0; axis < axes(); ++axis) {
    // Nobody has a neighbour along it.
    if (dims_[static_cast<std::size_t>(axis)] == 1 && !periodic(axis)) continue;
    Pattern& stage = stages.emplace_back();
    if (idle()) continue;
    const LocalBox mine(*this);
    for (const int d : {-1, 1}) {
      std::array<Extent, 3> leaves{}, lands{};
      for (std::size_t padded = 0; padded < 3; ++padded) {
        const int other = static_cast<int>(padded) - static_cast<int>(mine.pad);
        Extent all = mine.leaving(padded, 0);
        if (other >= 0 && other < axis) {
          if (before_exists(other, -1)) {
            all.begin = 0;
            all.size += mine.halo[padded].below;
          }
          if (before_exists(other, 1)) all.size += mine.halo[padded].above;
        }
        leaves[padded] = other == axis ? mine.leaving(padded, d) : all;
        lands[padded] = other == axis ? mine.landing(padded, d) : all;
      }
      std::vector<int> towards(dims_.size(), 0), from(dims_.size(), 0);
      towards[static_cast<std::size_t>(axis)] = d;
      from[static_cast<std::size_t>(axis)] = -d;
      add_links(stage, neighbour(towards), neighbour(from), mine.block(leaves), mine.block(lands));
    }
  }
  return stages;
}

Pattern Grid::halo() const {
  Pattern pattern;
  if (idle()) {
    pattern.set_stages(stages());
    return pattern;
  }
  const LocalBox mine(*this);

  // Direction d: what I send towards d is what the rank there holds as its halo on side -d.
  // Sender and receiver walk the directions in the same order, so their blocks correspond.
  std::array<int, 3> d;
  for (d[0] = -1; d[0] <= 1; ++d[0])
    for (d[1] = -1; d[1] <= 1; ++d[1])
      for (d[2] = -1; d[2] <= 1; ++d[2]) {
        const int moved = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]);
        if (moved == 0 || (moved > 1 && !options_.corners)) continue;
        std::array<Extent, 3> leaves, lands;
        std::vector<int> towards, from;
        bool exists = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (axis < mine.pad) {
            exists = exists && d[axis] == 0;
          } else {
            towards.push_back(d[axis]);
            from.push_back(-d[axis]);
          }
          leaves[axis] = mine.leaving(axis, d[axis]);
          lands[axis] = mine.landing(axis, d[axis]);
        }
        if (exists)
          add_links(pattern, neighbour(towards), neighbour(from), mine.block(leaves),
                    mine.block(lands));
      }
  pattern.set_stages(stages());
  return pattern;
}

}  // namespace halocline
