#include <halocline/cut.hpp>

#include "base/shown.hpp"
#include "base/text.hpp"
#include "blocks.hpp"

#include <halocline/error.hpp>
#include <halocline/more/dims.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

namespace halocline {

Decomposition decomposition(std::string_view text) {
  if (text == "rows") return Decomposition::rows;
  if (text == "blocks") return Decomposition::blocks;
  throw Error("decomposition " + base::quoted(text) + ": must be rows or blocks");
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
  if (n < 1 || n > most_axes)
    throw Error("grid: 1 to " + std::to_string(most_axes) + " axes are possible, not " +
                std::to_string(n));
  for (auto count : cells_)
    if (count < 1)
      throw Error("grid " + base::sizes(cells_) + ": every axis needs at least 1 cell");
  if (options_.renumber)
    throw Error("grid " + base::sizes(cells_) +
                ": only a grid on a communicator renumbers its ranks");
  if (options_.halos.empty()) options_.halos.assign(n, options_.halo);
  if (options_.periodic.empty()) options_.periodic.assign(n, false);
  if (options_.halos.size() != n || options_.periodic.size() != n ||
      (!options_.dims.empty() && options_.dims.size() != n) ||
      (!options_.cuts.empty() && options_.cuts.size() != n))
    throw Error("grid " + base::sizes(cells_) +
                ": halos, periodic, dims and cuts need one entry for each axis");
  for (const HaloWidth& width : options_.halos)
    if (width.below < 0 || width.above < 0) throw Error("grid: a halo's width must be >= 0");

  set_dims();
  check_dims();
  parts_ = std::accumulate(dims_.begin(), dims_.end(), 1, std::multiplies<>());
}

void GridCut::set_dims() {
  std::vector<int> given(cells_.size(), 0);  // by cuts
  for (std::size_t axis = 0; axis < options_.cuts.size(); ++axis) {
    const auto& cuts = options_.cuts[axis];
    if (cuts.empty()) continue;
    const std::string where = "grid " + base::sizes(cells_) + ": the cuts along axis " +
                              std::to_string(axis) + " must ascend from 0 to its " +
                              std::to_string(cells_[axis]) + " cells";
    if (cuts.size() < 2 || cuts.front() != 0 || cuts.back() != cells_[axis]) throw Error(where);
    const auto level = std::adjacent_find(cuts.begin(), cuts.end(), std::greater_equal<>());
    if (level != cuts.end())
      throw Error(where + ", but " + std::to_string(level[1]) + " follows " +
                  std::to_string(level[0]));
    given[axis] = static_cast<int>(cuts.size()) - 1;
    if (!options_.dims.empty() && options_.dims[axis] != given[axis])
      throw Error("grid " + base::sizes(cells_) + ": axis " + std::to_string(axis) +
                  " has cuts into " + std::to_string(given[axis]) + " parts, but dims say " +
                  std::to_string(options_.dims[axis]));
  }
  dims_ = options_.dims;
  if (dims_.empty() && std::ranges::find(given, 0) == given.end()) dims_ = given;
  if (!dims_.empty()) return;
  if (std::ranges::all_of(given, [](int parts) { return parts == 0; })) {
    dims_ = choose_dims(ranks_, cells_, options_.decomposition, options_.halos, options_.periodic);
    return;
  }
  CutCosts costs = Mesh{cells_, options_.halos, options_.periodic}.costs();
  costs.fixed = given;
  dims_ = fitting_dims(ranks_, costs);
  if (dims_.empty()) {
    std::ranges::replace(given, 0, 1);
    dims_ = given;  // more than there are ranks, as check_dims says
  }
}

void GridCut::check_dims() const {
  const std::size_t n = cells_.size();
  int used = 1;
  for (std::size_t axis = 0; axis < n; ++axis) {
    if (dims_[axis] < 1 || dims_[axis] > cells_[axis])
      throw Error("grid " + base::sizes(cells_) + ": axis " + std::to_string(axis) +
                  " cannot be cut into " + std::to_string(dims_[axis]) + " parts");
    used *= dims_[axis];
  }
  if (used > ranks_)
    throw Error("grid: the process grid needs " + std::to_string(used) + " ranks, there are " +
                std::to_string(ranks_));

  for (std::size_t axis = 0; axis < n; ++axis) {
    // A halo is filled by the next subdomain alone. (An open axis in one part has no neighbour.)
    if (dims_[axis] == 1 && !options_.periodic[axis]) continue;
    std::int64_t least = cells_[axis];
    for (int part = 0; part < dims_[axis]; ++part)
      least = std::min(least, owned_by(static_cast<int>(axis), part).size());
    const int widest = std::max(options_.halos[axis].below, options_.halos[axis].above);
    if (widest > least)
      throw Error("grid " + base::sizes(cells_) + ": the halo is " + std::to_string(widest) +
                  " wide along axis " + std::to_string(axis) +
                  ", but the smallest subdomain has only " + std::to_string(least) +
                  " cells there (" + std::to_string(dims_[axis]) +
                  " parts); use fewer ranks or a narrower halo");
  }
}

std::size_t GridCut::index(int axis) const {
  if (axis < 0 || axis >= axes())
    throw Error("grid " + base::sizes(cells_) + ": there is no axis " + std::to_string(axis) +
                "; they are counted from 0");
  return static_cast<std::size_t>(axis);
}

Range GridCut::owned_by(int axis, int coordinate) const {
  const std::size_t i = index(axis);
  if (coordinate < 0 || coordinate >= dims_[i])
    throw Error("grid " + base::sizes(cells_) + ": axis " + std::to_string(axis) + " is cut into " +
                std::to_string(dims_[i]) + " parts, of which there is no number " +
                std::to_string(coordinate));
  if (!options_.cuts.empty() && !options_.cuts[i].empty()) {
    const auto part = options_.cuts[i].begin() + coordinate;
    return {part[0], part[1]};
  }
  return part_of(cells_[i], dims_[i], coordinate);
}

bool GridCut::idle(int rank) const {
  if (rank < 0 || rank >= ranks_)
    throw Error("grid " + base::sizes(cells_) + ": there is no rank " + std::to_string(rank) +
                " of " + std::to_string(ranks_));
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
  return idle(rank) ? Range{0, 0} : owned_by(axis, coordinate(rank, i));
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

std::vector<std::vector<std::int64_t>> GridCut::cuts() const {
  std::vector<std::vector<std::int64_t>> all(cells_.size());
  for (int axis = 0; axis < axes(); ++axis) {
    auto& cuts = all[index(axis)];
    for (int part = 0; part < dims_[index(axis)]; ++part)
      cuts.push_back(owned_by(axis, part).begin);
    cuts.push_back(cells_[index(axis)]);
  }
  return all;
}

Distribution GridCut::distribution(std::vector<int> ranks) const {
  return Distribution::of_cuts(cuts(), {.halos = options_.halos, .ranks = std::move(ranks)});
}

GridCut GridCut::faces(int axis) const {
  const std::size_t i = index(axis);
  std::vector<std::int64_t> faces = cells_;
  GridOptions options = options_;
  options.dims = dims_;
  options.cuts = cuts();
  if (!options.periodic[i]) ++faces[i], ++options.cuts[i].back();
  return {ranks_, std::move(faces), std::move(options)};
}

int GridCut::neighbour(int rank, const std::vector<int>& offset) const {
  if (offset.size() != dims_.size())
    throw Error("grid " + base::sizes(cells_) +
                ": a neighbour's offset needs one entry for each axis");
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

/// A local array by its axes, padded in front to five, so that one loop serves all.
struct LocalBox {
  using Extents = std::array<Extent, most_axes>;

  LocalBox(const GridCut& cut, int rank) : pad(most_axes - static_cast<std::size_t>(cut.axes())) {
    halo.fill(HaloWidth(0));
    own.fill(1);
    for (int axis = 0; axis < cut.axes(); ++axis) {
      const std::size_t padded = pad + static_cast<std::size_t>(axis);
      halo[padded] = cut.width(axis);
      own[padded] = cut.owned(rank, axis).size();
    }
    stride.back() = 1;
    for (std::size_t i = most_axes - 1; i > 0; --i)
      stride[i - 1] = stride[i] * (own[i] + halo[i].below + halo[i].above);
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
  detail::Place place(const Extents& box) const {
    detail::Place place{.offset = 0, .stride = stride};
    for (std::size_t i = 0; i < most_axes; ++i) place.offset += box[i].begin * stride[i];
    return place;
  }

  std::size_t pad;
  std::array<HaloWidth, most_axes> halo;
  std::array<std::int64_t, most_axes> own;
  std::array<std::ptrdiff_t, most_axes> stride{};
};

/// From rank `me` to `target`, and from `source` to `me`; what is its own in both is copied. What
/// is received has the shape of what is sent.
void add_links(Pattern& pattern, int me, int target, int source, const LocalBox& mine,
               const LocalBox::Extents& sent, const LocalBox::Extents& received) {
  std::array<std::size_t, most_axes> count{};
  for (std::size_t i = 0; i < most_axes; ++i) count[i] = static_cast<std::size_t>(sent[i].size);
  detail::each_block(count, mine.place(sent), mine.place(received),
                     [&](const Block& out, const Block& in) {
                       if (target == me && source == me) return pattern.copy(out, in);
                       pattern.send(target, out);
                       pattern.receive(source, in);
                     });
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
      LocalBox::Extents sent{}, received{};
      for (std::size_t padded = 0; padded < most_axes; ++padded) {
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
      add_links(stage, rank, neighbour(rank, towards), neighbour(rank, from), mine, sent, received);
    }
  }
  return stages;
}

Pattern GridCut::halo(int rank) const {
  Pattern pattern;
  std::vector<std::int64_t> extents;
  for (int axis = 0; axis < axes(); ++axis) extents.push_back(local(rank, axis));
  pattern.count_in(extents, extents);
  if (idle(rank)) {
    pattern.set_stages(stages(rank));
    return pattern;
  }
  const LocalBox mine(*this, rank);

  // Direction d: what I send towards d is what the rank there holds as its halo on side -d.
  // Sender and receiver walk the directions in the same order, so their blocks correspond.
  const auto n = static_cast<std::size_t>(axes());
  std::vector<int> towards(n, -1), from(n);
  for (std::size_t axis = n; axis > 0;) {
    const auto moved = n - static_cast<std::size_t>(std::ranges::count(towards, 0));
    if (moved == 1 || (moved > 1 && options_.corners)) {
      LocalBox::Extents sent, received;
      for (std::size_t i = 0; i < most_axes; ++i) {
        const int d = i < mine.pad ? 0 : towards[i - mine.pad];
        sent[i] = mine.send_box(i, d);
        received[i] = mine.receive_box(i, d);
      }
      std::ranges::transform(towards, from.begin(), std::negate<>());
      add_links(pattern, rank, neighbour(rank, towards), neighbour(rank, from), mine, sent,
                received);
    }
    for (axis = n; axis > 0 && ++towards[axis - 1] > 1; --axis) towards[axis - 1] = -1;
  }
  pattern.set_stages(stages(rank));
  return pattern;
}

}  // namespace halocline
