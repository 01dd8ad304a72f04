#include "case.hpp"

#include <halocline/error.hpp>
#include <halocline/more/mpi.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

using namespace halocline;

namespace halocheck {
namespace {

class Dice {
 public:
  Dice(unsigned seed, int index) {
    std::seed_seq sequence{seed, static_cast<unsigned>(index)};
    engine_.seed(sequence);
  }
  int roll(int low, int high) { return std::uniform_int_distribution(low, high)(engine_); }
  bool one_in(int n) { return roll(1, n) == 1; }
  bool coin() { return one_in(2); }
  template <class T>
  void shuffle(std::vector<T>& list) {
    std::shuffle(list.begin(), list.end(), engine_);
  }

 private:
  std::mt19937_64 engine_;
};

template <class T>
std::string joined(const std::vector<T>& list, const char* separator) {
  std::ostringstream out;
  for (std::size_t i = 0; i < list.size(); ++i) out << (i ? separator : "") << list[i];
  return out.str();
}

// ---- grids ---------------------------------------------------------------------------------

/// A process grid of all `ranks` with no more parts than cells, or nothing if none was found.
std::vector<int> random_dims(Dice& dice, int ranks, const std::vector<std::int64_t>& cells) {
  std::vector<int> dims(cells.size(), 1);
  for (int prime = 2; ranks > 1; ++prime)
    for (; ranks % prime == 0; ranks /= prime) dims[dice.roll(0, int(cells.size()) - 1)] *= prime;
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis] > cells[axis]) return {};
  return dims;
}

/// Narrows the halos until no subdomain is too small for them.
Grid fitting_grid(MPI_Comm comm, const std::vector<std::int64_t>& cells, GridOptions options) {
  for (int attempt = 0;; ++attempt) {
    try {
      return Grid(comm, cells, options);
    } catch (const Error&) {
      if (attempt == 3) throw;
      for (HaloWidth& width : options.halos)
        width = {std::max(0, width.below - 1), std::max(0, width.above - 1)};
    }
  }
}

std::string describe(const Grid& grid) {
  std::ostringstream out;
  out << "grid " << joined(grid.cells(), "x") << " on " << joined(grid.dims(), "x")
      << " ranks, halo";
  for (int axis = 0; axis < grid.axes(); ++axis)
    out << ' ' << grid.width(axis).below << '|' << grid.width(axis).above
        << (grid.periodic(axis) ? " periodic" : " open") << (axis + 1 < grid.axes() ? "," : "");
  out << (grid.options().corners ? ", with corners" : ", faces only");
  return out.str();
}

/// What belongs where in my part, by global index arithmetic alone.
std::vector<Element> expected(const Grid& grid) {
  std::vector<Element> elements;
  if (grid.idle()) return elements;
  const int axes = grid.axes();
  std::vector<std::int64_t> low(axes), high(axes), cell(axes);
  for (int axis = 0; axis < axes; ++axis) {
    low[axis] = grid.owned(axis).begin - grid.width(axis).below;
    high[axis] = grid.owned(axis).end + grid.width(axis).above;
  }
  for (cell = low;;) {
    int halo_axes = 0;
    bool exists = true;
    std::uint64_t id = 0;
    for (int axis = 0; axis < axes; ++axis) {
      const std::int64_t count = grid.cells()[axis];
      const Range mine = grid.owned(axis);
      halo_axes += cell[axis] < mine.begin || cell[axis] >= mine.end;
      exists = exists && (grid.periodic(axis) || (cell[axis] >= 0 && cell[axis] < count));
      id = id * count + (cell[axis] + count) % count;
    }
    if (halo_axes == 0)
      elements.push_back({Role::owned, id});
    else if (exists && (halo_axes == 1 || grid.options().corners))
      elements.push_back({Role::halo, id});
    else
      elements.push_back({});

    int axis = axes - 1;
    for (; axis >= 0 && ++cell[axis] == high[axis]; --axis) cell[axis] = low[axis];
    if (axis < 0) return elements;
  }
}

void make_grid(Case& made, Dice& dice, bool small) {
  const int ranks = mpi::size(made.comm);
  const int axes = dice.roll(1, 3);
  std::vector<std::int64_t> cells(axes);
  GridOptions options;
  for (auto& count : cells) {
    count = dice.roll(1, small ? 7 : axes == 3 ? 10 : 24);
    options.halos.push_back({dice.roll(0, 3), dice.roll(0, 3)});
    options.periodic.push_back(dice.coin());
  }
  // Usually every rank has something to do.
  if (!dice.one_in(4)) cells[dice.roll(0, axes - 1)] += ranks * dice.roll(1, 3);
  if (!small && dice.one_in(4)) cells.back() += axes == 1 ? 20000 : axes == 2 ? 5000 : 300;
  options.corners = dice.coin();
  options.decomposition = dice.coin() ? Decomposition::rows : Decomposition::blocks;
  if (dice.one_in(3)) options.dims = random_dims(dice, ranks, cells);

  const Grid grid = fitting_grid(made.comm, cells, options);
  made.text = describe(grid);
  made.pattern = grid.halo();
  made.elements = expected(grid);
}

// ---- index lists ---------------------------------------------------------------------------

/// All links of all ranks, known to every rank.
struct Graph {
  struct Edge {
    int from, to;
    std::vector<std::ptrdiff_t> send, receive;
  };
  std::vector<int> owned, halo;  ///< elements of each rank
  std::vector<Edge> edges;
};

/// Elements 0..owned of every rank are its own, then come those it receives.
void use_graph(Case& made, const Graph& graph) {
  const int me = mpi::rank(made.comm);
  const auto id = [](int rank, std::ptrdiff_t index) {
    return (static_cast<std::uint64_t>(rank) << 32) + static_cast<std::uint64_t>(index);
  };
  made.elements.resize(graph.owned[me] + graph.halo[me]);
  for (int i = 0; i < graph.owned[me]; ++i) made.elements[i] = {Role::owned, id(me, i)};

  std::vector<int> send_peers, receive_peers;
  std::vector<std::vector<std::ptrdiff_t>> send, receive;
  for (const Graph::Edge& edge : graph.edges) {
    if (edge.from == me) send_peers.push_back(edge.to), send.push_back(edge.send);
    if (edge.to == me) {
      receive_peers.push_back(edge.from), receive.push_back(edge.receive);
      for (std::size_t i = 0; i < edge.receive.size(); ++i)
        made.elements[edge.receive[i]] = {Role::halo, id(edge.from, edge.send[i])};
    }
  }
  made.pattern = Pattern::from_indices(send_peers, send, receive_peers, receive);
}

/// Links between random pairs, also one-way ones; sent elements in any order and repeatedly,
/// received ones scattered between elements that nobody sends.
void make_graph(Case& made, Dice& dice, bool small) {
  const int ranks = mpi::size(made.comm);
  const int longest = small ? 9 : dice.one_in(3) ? 4000 : 60;
  Graph graph;
  for (int r = 0; r < ranks; ++r) graph.owned.push_back(dice.roll(1, 2 * longest));
  graph.halo.assign(ranks, 0);
  const int density = dice.roll(1, 3);
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      if (from == to || !dice.one_in(density)) continue;
      Graph::Edge edge{from, to, {}, {}};
      for (int n = dice.roll(1, longest); n > 0; --n) {
        edge.send.push_back(dice.roll(0, graph.owned[from] - 1));
        edge.receive.push_back(graph.owned[to] + graph.halo[to]++);
        if (dice.one_in(8)) ++graph.halo[to];  // nobody sends this one
      }
      if (dice.coin()) std::sort(edge.send.begin(), edge.send.end());
      if (dice.coin()) dice.shuffle(edge.receive);
      graph.edges.push_back(std::move(edge));
    }
  made.text = "graph of " + std::to_string(graph.edges.size()) + " links on " +
              std::to_string(ranks) + " ranks";
  use_graph(made, graph);
}

/// Every rank sends its first `length` elements `distance` ranks on, and as far `back`; in a ring,
/// or to an end.
void use_shift(Case& made, int distance, int owned, int length, bool ring, bool back = false) {
  const int ranks = mpi::size(made.comm);
  Graph graph{
      std::vector<int>(ranks, owned), std::vector<int>(ranks, back ? 2 * length : length), {}};
  const auto send = [&](int by, int at) {
    for (int from = 0; from < ranks; ++from) {
      const int to = (from + by + ranks) % ranks;
      if (to == from || (!ring && to != from + by)) continue;
      Graph::Edge edge{from, to, std::vector<std::ptrdiff_t>(length),
                       std::vector<std::ptrdiff_t>(length)};
      std::iota(edge.send.begin(), edge.send.end(), 0);
      std::iota(edge.receive.begin(), edge.receive.end(), at);
      graph.edges.push_back(std::move(edge));
    }
  };
  send(distance, owned);
  if (back) send(-distance, owned + length);
  made.text = "shift of " + std::to_string(length) + " elements by " + std::to_string(distance) +
              (back ? " and back" : "") + (ring ? " in a ring of " : " in a row of ") +
              std::to_string(ranks) + " ranks";
  use_graph(made, graph);
}

/// Messages of 8 to 480 KB, also where all else is small: MPI libraries send them by other ways.
/// (Debian's Open MPI 4.1 hangs in some of its one-sided calls from 8 KiB on, in some only if they
/// go to two ranks at once.)
void make_shift(Case& made, Dice& dice) {
  const int length = dice.roll(2000, 20000), ranks = mpi::size(made.comm);
  const int distance = dice.roll(1, std::max(1, ranks - 1)), owned = length + dice.roll(0, 3);
  const bool two_targets = ranks > 2 && 2 * distance != ranks;
  use_shift(made, distance, owned, length, dice.coin() || two_targets, two_targets);
}

/// Some 600 KB in one direction alone, on all ranks: from about 300 KB on MPICH 4.0.2 returns from
/// MPI_Win_complete before gets are over, which links both ways hide.
void make_one_way(Case& made, Dice& dice) {
  const int length = dice.roll(70'000, 80'000);
  made.element_bytes = {sizeof(double)};
  made.own_memory = false;
  use_shift(made, 1, length, length, mpi::size(made.comm) > 2);
}

/// 24 or 40 bytes in all, as a message or as an array: windows of such sizes overlap in
/// MPICH 4.0.2, if they are not rounded up.
void make_tiny(Case& made, int variant) {
  const int doubles = variant & 1 ? 5 : 3;
  made.element_bytes = {sizeof(double)};
  made.own_memory = false;
  if (variant & 2)
    use_shift(made, 1, doubles - 1, 1, true);
  else
    use_shift(made, 1, doubles, doubles, true);
  made.text += ", 24 or 40 bytes";
}

// ---- memory --------------------------------------------------------------------------------

/// An array of one to three axes for so many elements: in any order, padded, and backwards.
Places random_places(Dice& dice, std::size_t elements, std::size_t element_bytes) {
  std::vector<std::size_t> extents;
  for (int axes = dice.roll(1, 3), most = 9; std::ssize(extents) + 1 < axes; most = 4)
    extents.push_back(static_cast<std::size_t>(dice.roll(1, most)));
  const std::size_t row =
      std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
  extents.insert(extents.begin(), (elements + row - 1) / row);
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  dice.shuffle(order);

  Places places{.shape = {.axes = extents.size()}, .bytes = element_bytes};
  const auto padding = [&] { return element_bytes * static_cast<std::size_t>(dice.roll(0, 2)); };
  std::size_t stride = element_bytes + padding();
  for (const std::size_t axis : order) {
    const std::size_t reach = (extents[axis] - 1) * stride;
    const bool backwards = dice.one_in(4);
    places.shape.extent[axis] = extents[axis];
    places.shape.stride[axis] = static_cast<std::ptrdiff_t>(stride) * (backwards ? -1 : 1);
    if (backwards) places.first += reach;
    places.bytes += reach;
    stride = stride * extents[axis] + padding();
  }
  return places;
}

/// `dice`: other ones for each rank.
void place_fields(Case& made, Dice& dice, bool strided) {
  // Numbers of elements mean what they may in an array of any axes.
  if (strided) made.pattern.count_as(Pattern());
  for (const std::size_t bytes : made.element_bytes) {
    const std::size_t elements = made.elements.size();
    made.places.push_back(strided && elements > 0 && dice.coin()
                              ? random_places(dice, elements, bytes)
                              : Places{.bytes = elements * bytes});
  }
}

bool has_answers(const Pattern& pattern) {
  std::set<int> to, from;
  for (const Link& link : pattern.sends()) to.insert(link.peer);
  for (const Link& link : pattern.receives()) from.insert(link.peer);
  return to == from;
}

mpi::Comm split(int colour, int key) {
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split, world(), colour, key, &raw);
  return mpi::Comm(raw);
}

}  // namespace

Communicators::Communicators()
    : all_(mpi::Comm::duplicate(world())),
      reversed_(split(0, -mpi::rank(world()))),
      pairs_(split(mpi::rank(world()) / 2, 0)),
      choices_{{all_, "all ranks"}, {reversed_, "ranks reversed"}, {pairs_, "ranks in pairs"}} {}

Case make_case(const Communicators& communicators, const CaseOptions& options, int index) {
  Dice dice(options.seed, index);
  Case made;
  constexpr int kinds = 12, one_way = 10;
  // Most cases concern everybody; in a smaller communicator the dice fall differently.
  const bool all = index % kinds == one_way || !dice.one_in(4);
  const auto& on = communicators[all ? 0 : dice.roll(1, 2)];
  made.comm = on.comm;
  made.grids = dice.roll(1, 2);
  made.own_memory = dice.one_in(4);
  for (int n = options.fields > 0 ? options.fields : dice.roll(1, 3); n > 0; --n) {
    constexpr std::size_t sizes[] = {sizeof(float), sizeof(double), 3 * sizeof(double)};
    made.element_bytes.push_back(sizes[dice.roll(0, 2)]);
  }
  switch (index % kinds) {
    case 0: make_tiny(made, 0); break;
    case 2: make_tiny(made, 1); break;
    case 4: make_tiny(made, 2); break;
    case 6: make_tiny(made, 3); break;
    case 3:
    case 8: make_graph(made, dice, options.small); break;
    case 5: make_shift(made, dice); break;
    case one_way: make_one_way(made, dice); break;
    default: make_grid(made, dice, options.small);
  }
  // A plain case looks for nothing in particular.
  const bool plain = index % 2 == 0 && index % kinds != 8;
  Dice other(options.seed + 1, index), mine(options.seed + 2, index * 1024 + mpi::rank(world()));
  const bool strided = !plain && other.one_in(3);
  for (int more = !plain && other.one_in(3) ? other.roll(1, 2) : 0; more > 0; --more) {
    Case& part = made.more.emplace_back();
    part.comm = made.comm;
    part.element_bytes.assign(static_cast<std::size_t>(other.roll(1, 2)),
                              other.coin() ? sizeof(float) : sizeof(double));
    other.coin() ? make_grid(part, other, true) : make_graph(part, other, true);
    place_fields(part, mine, strided);
    made.text += ", and " + part.text;
  }
  place_fields(made, mine, strided);
  if (strided) made.text += ", strided";
  made.text += std::string(", ") + on.text;
  made.mutual = mpi::all_of(world(), has_answers(made.pattern));
  return made;
}

}  // namespace halocheck
