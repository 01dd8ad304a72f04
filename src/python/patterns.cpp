#include "patterns.hpp"

#include "shapes.hpp"
#include "views.hpp"

#include <halocline/distribution.hpp>
#include <halocline/error.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sstream>

namespace halocline::python {

namespace {

using Indices = std::vector<std::int64_t>;

/// Indices of anything that numpy makes an array of integers of.
Indices indices_of(nb::handle given, const char* what) {
  const nb::object array = array_of(given, what);
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const auto size = nb::cast<std::size_t>(array.attr("size"));
  if (size > 0 && kind != "i" && kind != "u")
    throw Error(std::string(what) + ": indices of type " +
                nb::cast<std::string>(nb::str(nb::object(array.attr("dtype")))) +
                "; give integers (numpy.flatnonzero makes them of a mask)");
  const nb::object dense = signed_integers(array.attr("ravel")(), what);
  const Bytes bytes = dense_bytes(dense, dtype_of(nb::str("i8")), false, what);
  const auto* const first = static_cast<const std::int64_t*>(bytes.data);
  return {first, first + bytes.bytes / sizeof(std::int64_t)};
}

/// The same, or slices of an array of `shape`: numpy.s_[1:3, -1].
Indices selected(nb::handle given, const std::optional<Extents>& shape, const char* what) {
  if (!PySlice_Check(given.ptr()) && !nb::isinstance<nb::tuple>(given))
    return indices_of(given, what);
  if (!shape) throw Error(std::string(what) + ": slices are of an array; give its shape= too");
  std::int64_t all = 1;
  for (const std::int64_t extent : *shape) all *= extent;
  const nb::object numbers =
      nb::module_::import_("numpy").attr("arange")(all).attr("reshape")(tuple_of(*shape));
  try {
    return indices_of(nb::object(numbers[given]), what);
  } catch (nb::python_error& problem) {
    throw Error(std::string(what) + ": " + nb::cast<std::string>(nb::str(problem.value())));
  }
}

/// None, as mpi4py's PROC_NULL, is no rank.
int peer_of(nb::handle rank) {
  int peer = -1;
  if (!rank.is_none() && !nb::try_cast(rank, peer))
    throw Error("peer: " + nb::cast<std::string>(nb::repr(rank)) + " is no rank");
  return peer;
}

NamedPattern shift(nb::handle to, nb::handle sent, nb::handle source, nb::handle received,
                   std::optional<Extents> shape, nb::handle comm) {
  const Indices out = selected(sent, shape, "sent"), in = selected(received, shape, "received");
  if (out.size() != in.size())
    throw Error("pattern: a shift sends " + std::to_string(out.size()) + " elements and receives " +
                std::to_string(in.size()) + "; all its blocks must be of one size");
  NamedPattern pattern{.sent = shape, .received = shape};
  pattern.links.send(peer_of(to), out);
  pattern.links.receive(peer_of(source), in);
  if (!comm.is_none()) pattern.comm = communicator(comm);
  return pattern;
}

/// Peers and for each of them its indices: {peer: indices}, or (peers, offsets, indices) as
/// compressed rows have them.
struct Lists {
  std::vector<int> peers;
  Indices counts, indices;
};

Lists lists_of(nb::handle given, const char* what) {
  Lists lists;
  if (nb::isinstance<nb::dict>(given)) {
    for (const auto& [peer, indices] : nb::borrow<nb::dict>(given)) {
      int rank = 0;
      if (PyIndex_Check(peer.ptr()) == 0 || !nb::try_cast<int>(nb::int_(peer), rank))
        throw Error(std::string(what) + ": " + nb::cast<std::string>(nb::repr(peer)) +
                    " is no rank");
      const Indices some = indices_of(indices, what);
      lists.peers.push_back(rank);
      lists.counts.push_back(static_cast<std::int64_t>(some.size()));
      lists.indices.insert(lists.indices.end(), some.begin(), some.end());
    }
    return lists;
  }
  if (!nb::isinstance<nb::tuple>(given) || nb::len(given) != 3)
    throw Error(
        std::string(what) +
        ": give {peer: indices}, or (peers, offsets, indices) as compressed rows have them");
  for (const std::int64_t peer : indices_of(given[0], what))
    lists.peers.push_back(static_cast<int>(peer));
  const Indices offsets = indices_of(given[1], what);
  lists.indices = indices_of(given[2], what);
  if (offsets.size() != lists.peers.size() + 1 || offsets.front() != 0)
    throw Error(std::string(what) + ": " + counted(lists.peers.size(), "peer", "peers") + ", but " +
                counted(offsets.size(), "offset", "offsets") +
                "; offsets begin with 0 and are one more than peers");
  for (std::size_t i = 0; i < lists.peers.size(); ++i)
    lists.counts.push_back(offsets[i + 1] - offsets[i]);
  return lists;
}

NamedPattern from_indices(nb::handle send, nb::handle receive, nb::handle copies,
                          std::optional<Extents> shape, nb::handle comm) {
  const Lists out = lists_of(send, "send"), in = lists_of(receive, "receive");
  NamedPattern pattern{.links = Pattern::from_indices(out.peers, out.counts, out.indices, in.peers,
                                                      in.counts, in.indices),
                       .sent = shape,
                       .received = shape};
  if (!copies.is_none()) {
    if (!nb::isinstance<nb::tuple>(copies) || nb::len(copies) != 2)
      throw Error("copies: give (from, to), two lists of as many indices");
    const Indices from = indices_of(copies[0], "copies"), to = indices_of(copies[1], "copies");
    if (from.size() != to.size())
      throw Error("copies: " + std::to_string(from.size()) + " elements are copied to " +
                  std::to_string(to.size()) + " places");
    for (std::size_t i = 0, length = 1; i < from.size(); i += length, length = 1) {
      const auto follows = [&](const Indices& list) {
        return list[i + length] == list[i] + static_cast<std::int64_t>(length);
      };
      while (i + length < from.size() && follows(from) && follows(to)) ++length;
      pattern.links.copy({from[i], {1, 1, length}}, {to[i], {1, 1, length}});
    }
  }
  if (!comm.is_none()) pattern.comm = communicator(comm);
  return pattern;
}

/// The elements of a link, in message order, as an array of their numbers.
nb::object elements_of(const Link& link) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::object array = numpy.attr("empty")(link.size(), "i8");
  auto* next = static_cast<std::int64_t*>(
      dense_bytes(array, dtype_of(nb::str("i8")), true, "elements").data);
  for (const halocline::Block& block : link.blocks)
    for (std::size_t k = 0; k < block.count[0]; ++k)
      for (std::size_t j = 0; j < block.count[1]; ++j)
        for (std::size_t i = 0; i < block.count[2]; ++i)
          *next++ = block.offset + static_cast<std::ptrdiff_t>(k) * block.stride[0] +
                    static_cast<std::ptrdiff_t>(j) * block.stride[1] +
                    static_cast<std::ptrdiff_t>(i);
  return array;
}

nb::dict links_of(const std::vector<Link>& links) {
  nb::dict found;
  for (const Link& link : links) found[nb::int_(link.peer)] = elements_of(link);
  return found;
}

/// The extents of a rank's array, if it is one box.
std::optional<Extents> extents_of(const Distribution& distribution, int rank) {
  if (distribution.parts_of(rank).size() > 1) return std::nullopt;
  return distribution.extents(rank);
}

Distribution make_distribution(const Extents& cells, const std::vector<int>& dims, nb::handle halos,
                               std::vector<int> order, int first, std::vector<int> ranks) {
  return Distribution(cells, dims,
                      {.halos = widths_of(halos, cells.size()),
                       .order = std::move(order),
                       .first = first,
                       .ranks = std::move(ranks)});
}

}  // namespace

const NamedPattern& pattern_of(nb::handle pattern) {
  NamedPattern* found = nullptr;
  if (nb::try_cast<NamedPattern*>(pattern, found) && found != nullptr) return *found;
  throw Error(std::string("pattern: ") + name_of_type(pattern) +
              " is none; give a Pattern, such as grid.halo() or Pattern.from_indices()");
}

void bind_patterns(nb::module_& module) {
  nb::class_<Distribution>(
      module, "Distribution",
      "How an array of one to five axes is spread over ranks: each has a box of `cells`.\n\n"
      "Distribution(cells, dims, halos=0, order=(), first=0, ranks=())\n"
      "    Cut along each axis into `dims` parts, parts row-major. `halos`: cells around a part "
      "in\n"
      "    its owner's array; `order`: the axes in memory, slowest first ((1, 0): transposed);\n"
      "    `ranks` (or `first`): who has each part. Raises Error on numbers that do not fit.\n\n"
      ">>> import halocline as hc\n"
      ">>> hc.Distribution((6, 4), (1, 1)).shape(0)\n"
      "(6, 4)")
      .def(
          "__init__",
          [](Distribution* self, const Extents& cells, const std::vector<int>& dims,
             nb::handle halos, std::vector<int> order, int first, std::vector<int> ranks) {
            new (self) Distribution(
                make_distribution(cells, dims, halos, std::move(order), first, std::move(ranks)));
          },
          nb::arg("cells"), nb::arg("dims"), nb::arg("halos") = 0,
          nb::arg("order") = std::vector<int>{}, nb::arg("first") = 0,
          nb::arg("ranks") = std::vector<int>{})
      .def_static(
          "of_cuts",
          [](std::vector<std::vector<std::int64_t>> cuts, nb::handle halos, std::vector<int> order,
             int first, std::vector<int> ranks) {
            const std::size_t axes = cuts.size();
            return Distribution::of_cuts(std::move(cuts), {.halos = widths_of(halos, axes),
                                                           .order = std::move(order),
                                                           .first = first,
                                                           .ranks = std::move(ranks)});
          },
          nb::arg("cuts"), nb::arg("halos") = 0, nb::arg("order") = std::vector<int>{},
          nb::arg("first") = 0, nb::arg("ranks") = std::vector<int>{},
          "With cuts of your own: for each axis the first cells of the parts, from 0 on, and the\n"
          "end.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.Distribution.of_cuts([[0, 2, 6], [0, 4]]).shape(1)\n"
          "(4, 4)")
      .def_static(
          "of_boxes",
          [](const std::vector<std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>>>&
                 boxes,
             nb::handle halos, int first) {
            std::size_t axes = 0;
            std::vector<std::vector<Box>> all;
            for (const auto& of_rank : boxes) {
              std::vector<Box> mine;
              for (const auto& box : of_rank) {
                Box ranges;
                axes = box.size();
                for (const auto& [begin, end] : box) ranges.push_back({begin, end});
                mine.push_back(std::move(ranges));
              }
              all.push_back(std::move(mine));
            }
            return Distribution::of_boxes(all, {.halos = widths_of(halos, axes), .first = first});
          },
          nb::arg("boxes"), nb::arg("halos") = 0, nb::arg("first") = 0,
          "Any boxes: boxes[i] are those of rank i, each a list of (begin, end) for each axis.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.Distribution.of_boxes([[[(0, 2)], [(5, 6)]], [[(2, 5)]]]).elements(0)\n"
          "3")
      .def_prop_ro(
          "cells", [](const Distribution& self) { return tuple_of(self.cells()); },
          "Cells along each axis; empty where boxes do not say it.")
      .def("elements", &Distribution::elements, nb::arg("rank"),
           "Elements of a rank's array, halos included.\n\n"
           ">>> import halocline as hc\n"
           ">>> hc.Distribution((6, 4), (2, 1), halos=1).elements(0)\n"
           "30")
      .def(
          "shape",
          [](const Distribution& self, int rank) {
            const auto extents = extents_of(self, rank);
            return extents ? tuple_of(*extents)
                           : tuple_of(Extents{static_cast<std::int64_t>(self.elements(rank))});
          },
          nb::arg("rank"),
          "The shape of a rank's array, halos included; flat if it has several boxes.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.Distribution((6, 4), (2, 1), halos=1).shape(0)\n"
          "(5, 6)")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"));

  nb::class_<NamedPattern>(
      module, "Pattern",
      "What a rank sends, receives and copies: elements of an array, by peer.\n\n"
      "It counts the elements of an array of `shape` in C order, whatever the order in memory is;\n"
      "without a shape it counts along axis 0, and what axes follow belong to an element. A "
      "Pattern\n"
      "is pure data: exchanges copy it. Pattern(shape=None, comm=None) is empty; send(), receive() "
      "and\n"
      "copy() add to it.\n\n"
      ">>> import halocline as hc\n"
      ">>> grid = hc.Grid((6, 6), halo=1, periodic=True)\n"
      ">>> pattern = grid.halo()\n"
      ">>> pattern.shape == grid.shape\n"
      "True")
      .def(
          "__init__",
          [](NamedPattern* self, std::optional<Extents> shape, nb::handle comm) {
            NamedPattern empty{.sent = shape, .received = std::move(shape)};
            if (!comm.is_none()) empty.comm = communicator(comm);
            new (self) NamedPattern(std::move(empty));
          },
          nb::arg("shape") = nb::none(), nb::arg("comm") = nb::none())
      .def(
          "send",
          [](NamedPattern& self, nb::handle peer, nb::handle elements) {
            self.links.send(peer_of(peer), selected(elements, self.sent, "send"));
          },
          nb::arg("peer").none(), nb::arg("elements"),
          "Add what is sent to a peer: numbers of elements, or slices of the array (numpy.s_[-2, "
          ":]).\nA peer that is None or negative gets nothing.\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> grid = hc.Grid((9,), halo=0)\n"
          ">>> me, last = grid.rank, grid.ranks - 1\n"
          ">>> row = hc.Pattern(shape=(3, 4))\n"
          ">>> row.send(me + 1 if me < last else None, np.s_[-1, :])\n"
          ">>> row.receive(me - 1 if me > 0 else None, np.s_[0, :])\n"
          ">>> u = np.full((3, 4), me)\n"
          ">>> hc.Exchange(row, u).run()\n"
          ">>> bool((u[0] == max(me - 1, 0)).all())\n"
          "True")
      .def(
          "receive",
          [](NamedPattern& self, nb::handle peer, nb::handle elements,
             const std::vector<double>& shift) {
            self.links.receive(peer_of(peer), selected(elements, self.received, "receive"), shift);
          },
          nb::arg("peer").none(), nb::arg("elements"), nb::arg("shift") = std::vector<double>{},
          "Add what is received from a peer, in the order in which it is sent. `shift`: numbers "
          "that are\nadded to each element that arrives, one for each of its numbers, as periodic "
          "positions need them.\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> grid = hc.Grid((9,), halo=0)\n"
          ">>> me, last = grid.rank, grid.ranks - 1\n"
          ">>> row = hc.Pattern()\n"
          ">>> row.send(me + 1 if me < last else None, [1])\n"
          ">>> row.receive(me - 1 if me > 0 else None, [0], shift=[0.5])\n"
          ">>> x = np.array([-0.5, me])\n"
          ">>> hc.Exchange(row, x).run()\n"
          ">>> float(x[0]) == me - 0.5\n"
          "True")
      .def(
          "copy",
          [](NamedPattern& self, nb::handle from, nb::handle to, const std::vector<double>& shift) {
            self.links.copy(selected(from, self.sent, "copy"), selected(to, self.received, "copy"),
                            shift);
          },
          nb::arg("source"), nb::arg("target"), nb::arg("shift") = std::vector<double>{},
          "Add what stays on this rank: copied from elements to as many others.\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> around = hc.Pattern(shape=(3, 4))\n"
          ">>> around.copy(np.s_[1, :], np.s_[2, :], shift=[10.0])\n"
          ">>> u = np.arange(12.0).reshape(3, 4)\n"
          ">>> hc.Exchange(around, u).run()\n"
          ">>> u[2]\n"
          "array([14., 15., 16., 17.])")
      .def_static(
          "shift", &shift, nb::arg("to").none(), nb::arg("sent"), nb::arg("source").none(),
          nb::arg("received"), nb::arg("shape") = nb::none(), nb::arg("comm") = nb::none(),
          "One direction only, as along a row of ranks or around a ring: sends to rank `to` "
          "and receives\nfrom rank `source`; None (or MPI.PROC_NULL) at the open end of a "
          "row.\n\n"
          "Elements are numbers, or slices of an array of `shape`. Raises Error unless as "
          "many are sent\nas received.\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> grid = hc.Grid((9,), halo=0)\n"
          ">>> me, last = grid.rank, grid.ranks - 1\n"
          ">>> above, below = me + 1 if me < last else None, me - 1 if me else None\n"
          ">>> up = hc.Pattern.shift(above, [1], below, [0])\n"
          ">>> x = np.array([-1, me])\n"
          ">>> hc.Exchange(up, x).run()\n"
          ">>> int(x[0]) == me - 1\n"
          "True")
      .def_static("from_indices", &from_indices, nb::arg("send"), nb::arg("receive"),
                  nb::arg("copies") = nb::none(), nb::arg("shape") = nb::none(),
                  nb::arg("comm") = nb::none(),
                  "From lists of indices: {peer: indices}, or (peers, offsets, indices) as "
                  "compressed\nrows have them.\n\n"
                  "The element at the i-th index that is sent to a peer arrives at the i-th index "
                  "that it\nreceives from there. `copies` = (from, to) stay on this rank. Indices "
                  "are of axis 0, or\nwith a `shape` C-order numbers of elements "
                  "(numpy.ravel_multi_index). Raises Error on\nnegative indices and lists of "
                  "different length.\n\n"
                  ">>> import halocline as hc, numpy as np\n"
                  ">>> pattern = hc.Pattern.from_indices({}, {}, copies=([1, 2], [5, 4]))\n"
                  ">>> x = np.arange(6.0)\n"
                  ">>> hc.Exchange(pattern, x).run()\n"
                  ">>> x\n"
                  "array([0., 1., 2., 3., 2., 1.])")
      .def_static(
          "between",
          [](const Distribution& from, const Distribution& to, nb::handle comm) {
            const Communicator ranks = communicator(comm);
            const int me = mpi::rank(ranks.comm);
            return NamedPattern{.links = Pattern::between(from, to, me),
                                .sent = extents_of(from, me),
                                .received = extents_of(to, me),
                                .comm = ranks};
          },
          nb::arg("source"), nb::arg("target"), nb::arg("comm") = nb::none(),
          "What this rank sends and receives when an array that is spread as `source` is to be\n"
          "spread as `target`: for Exchange(pattern, u, to=v).\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> ranks = hc.Grid((1,), halo=0).ranks\n"
          ">>> rows = hc.Distribution((4, 6), (ranks, 1))\n"
          ">>> columns = hc.Distribution((4, 6), (1, ranks), order=(1, 0))\n"
          ">>> turn = hc.Pattern.between(rows, columns)\n"
          ">>> u, v = np.ones(turn.shape), np.zeros(turn.reversed().shape)\n"
          ">>> hc.Exchange(turn, u, to=v).run()\n"
          ">>> bool(v.all())\n"
          "True")
      .def_static(
          "halo_of",
          [](const Distribution& parts, nb::handle periodic, bool corners, nb::handle widths,
             Extents cells, nb::handle comm) {
            const Communicator ranks = communicator(comm);
            const int me = mpi::rank(ranks.comm);
            const auto axes = static_cast<std::size_t>(parts.axes());
            HaloOptions options{.periodic = flags_of(periodic, axes, "periodic"),
                                .cells = std::move(cells),
                                .corners = corners};
            if (!widths.is_none()) options.widths = widths_of(widths, axes);
            const auto shape = extents_of(parts, me);
            return NamedPattern{.links = Pattern::halo_of(parts, me, options),
                                .sent = shape,
                                .received = shape,
                                .comm = ranks};
          },
          nb::arg("parts"), nb::arg("periodic") = false, nb::arg("corners") = true,
          nb::arg("widths") = nb::none(), nb::arg("cells") = Extents{},
          nb::arg("comm") = nb::none(),
          "The halos of all parts that this rank has, of a Distribution that has `halos`: any "
          "number "
          "of\nboxes of any sizes. What this rank owns itself is copied. A rank with several parts "
          "has "
          "them\none after the other in a flat array.\n\n"
          "`widths`: what is filled, by default all halos; `cells` of the whole grid are needed "
          "along "
          "periodic\naxes of a distribution of boxes. Raises Error if a cell has two owners.\n\n"
          ">>> import halocline as hc, numpy as np\n"
          ">>> ranks = hc.Grid((1,), halo=0).ranks\n"
          ">>> blocks = hc.Distribution((8 * ranks,), (ranks,), halos=1)\n"
          ">>> pattern = hc.Pattern.halo_of(blocks, periodic=True)\n"
          ">>> u = np.zeros(pattern.shape)\n"
          ">>> u[1:-1] = 1\n"
          ">>> hc.Exchange(pattern, u).run()\n"
          ">>> bool(u.all())\n"
          "True")
      .def_static(
          "from_rows",
          [](nb::handle rows, nb::handle comm) {
            return nb::module_::import_("halocline.sparse").attr("from_rows")(rows, comm);
          },
          nb::arg("rows").none(), nb::arg("comm") = nb::none(),
          nb::sig("def from_rows(rows: typing.Any, comm: object | None = None) -> tuple[Pattern, "
                  "typing.Any]"),
          "The pattern of a sparse matrix whose rows are spread over the ranks: (pattern, "
          "local).\n\n"
          "`rows` are this rank's rows, a matrix of scipy.sparse with columns for the rows of all\n"
          "ranks. `local` is the same matrix in CSR form whose columns are the elements of this "
          "rank's\nvector: its own rows, then the ghosts that the pattern receives. Collective.\n\n"
          ">>> import halocline as hc, numpy as np, scipy.sparse\n"
          ">>> whole = scipy.sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], (6, 6)).tocsr()\n"
          ">>> mine = hc.Grid((6,), halo=0).owned[0]\n"
          ">>> pattern, local = hc.Pattern.from_rows(whole[mine])\n"
          ">>> x = np.ones(local.shape[1])\n"
          ">>> hc.Exchange(pattern, x).run()\n"
          ">>> bool(((local @ x) == (whole @ np.ones(6))[mine]).all())\n"
          "True")
      .def_static(
          "united",
          [](const std::vector<NamedPattern*>& parts) {
            std::vector<Pattern> links;
            for (const NamedPattern* part : parts) links.push_back(part->links);
            return NamedPattern{.links = Pattern::united(links),
                                .comm = parts.empty() ? Communicator{} : parts[0]->comm};
          },
          nb::arg("parts"),
          "Several patterns as one, with one link for a peer.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8, 8), periodic=True)\n"
          ">>> both = hc.Pattern.united([grid.halo(), grid.faces(0).halo()])\n"
          ">>> both.elements_sent == 2 * grid.halo().elements_sent\n"
          "True")
      .def(
          "reversed",
          [](const NamedPattern& self) {
            return NamedPattern{.links = self.links.reversed(),
                                .sent = self.received,
                                .received = self.sent,
                                .comm = self.comm};
          },
          "The way back: sends what was received, to where it was sent from; usually for an "
          "exchange\nthat combines.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8,), periodic=True)\n"
          ">>> forces = grid.zeros()\n"
          ">>> forces[:] = 1\n"
          ">>> hc.Exchange(grid.halo().reversed(), forces, combine='sum').run()\n"
          ">>> float(forces.owned[0])\n"
          "2.0")
      .def_prop_ro(
          "shape",
          [](const NamedPattern& self) -> nb::object {
            return self.sent ? nb::object(tuple_of(*self.sent)) : nb::none();
          },
          "Of the arrays that are sent from, halos included; None if it counts along axis 0.")
      .def_prop_ro(
          "sends", [](const NamedPattern& self) { return links_of(self.links.sends()); },
          nb::sig("def sends(self) -> dict[int, numpy.ndarray]"),
          "{peer: C-order numbers of the elements sent}, in message order.")
      .def_prop_ro(
          "receives", [](const NamedPattern& self) { return links_of(self.links.receives()); },
          nb::sig("def receives(self) -> dict[int, numpy.ndarray]"),
          "{peer: C-order numbers of the elements received}, in message order.")
      .def_prop_ro(
          "copies",
          [](const NamedPattern& self) {
            return nb::make_tuple(elements_of(self.links.copies_from()),
                                  elements_of(self.links.copies_to()));
          },
          "(from, to): the numbers of the elements that stay on this rank.")
      .def_prop_ro(
          "elements_sent", [](const NamedPattern& self) { return self.links.elements_sent(); },
          "To other ranks, in a step.")
      .def_prop_ro(
          "extent", [](const NamedPattern& self) { return self.links.extent(); },
          "One past the largest element: the least size of a field.")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"))
      .def("__copy__", [](const NamedPattern& self) { return NamedPattern(self); })
      .def(
          "__deepcopy__", [](const NamedPattern& self, nb::handle) { return NamedPattern(self); },
          nb::arg("memo"))
      .def("__repr__", [](const NamedPattern& self) {
        std::string text =
            "<halocline.Pattern: " + counted(self.links.sends().size(), "send", "sends") + ", " +
            counted(self.links.receives().size(), "receive", "receives");
        if (self.links.copies_from().size() > 0)
          text += ", " + counted(self.links.copies_from().size(), "copy", "copies");
        if (self.sent) text += ", of arrays " + text_of(*self.sent);
        return text + ">";
      });
}

}  // namespace halocline::python
