// Cuts of grids: what each of any number of ranks has, without MPI.

#include "grids.hpp"
#include "patterns.hpp"
#include "shapes.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace halocline::python {

GridCells cells_of(const GridArguments& given) {
  GridCells all{.cells = numbers_of(given.cells, "cells")};
  const std::size_t axes = all.cells.size();
  all.options = {
      .halos = widths_of(given.halo, axes),
      .periodic = flags_of(given.periodic, axes, "periodic"),
      .corners = taken<bool>(given.corners, "corners"),
      .decomposition = decomposition(taken<std::string>(given.decomposition, "decomposition")),
      .dims = taken<std::vector<int>>(given.dims, "dims")};
  if (!given.cuts.is_none())
    for (const nb::handle cut : given.cuts)
      all.options.cuts.push_back(cut.is_none() ? Extents() : taken<Extents>(cut, "cuts"));
  return all;
}

namespace {

Extents shape_of(const GridCut& cut, int rank) {
  Extents extents;
  for (int axis = 0; axis < cut.axes(); ++axis) extents.push_back(cut.local(rank, axis));
  return extents;
}

}  // namespace

void bind_cuts(nb::module_& module) {
  nb::class_<GridCut>(
      module, "GridCut",
      "The cut of a grid into parts, one a rank, for any number of ranks and without MPI.\n\n"
      "GridCut(ranks, cells, *, halo=1, periodic=False, corners=True, cuts=None, dims=(),\n"
      "        decomposition='blocks')\n\n"
      "All but `ranks` as for Grid, of which `grid.cut` is one. Parts are row-major: rank r has "
      "part r;\nranks for which none is left own nothing. Raises Error as Grid.\n\n"
      ">>> import halocline as hc\n"
      ">>> cut = hc.GridCut(6, (60, 40))\n"
      ">>> cut.dims, cut.owned(5)\n"
      "((3, 2), (slice(40, 60, None), slice(20, 40, None)))")
      .def(
          "__init__",
          [](GridCut* self, int ranks, nb::object cells, nb::object halo, nb::object periodic,
             Argument<bool> corners, nb::object cuts, Argument<std::vector<int>> dims,
             Argument<std::string> decomposition) {
            GridCells all = cells_of({.cells = std::move(cells),
                                      .halo = std::move(halo),
                                      .periodic = std::move(periodic),
                                      .corners = std::move(corners),
                                      .cuts = std::move(cuts),
                                      .dims = std::move(dims),
                                      .decomposition = std::move(decomposition)});
            new (self) GridCut(ranks, std::move(all.cells), std::move(all.options));
          },
          nb::arg("ranks"), nb::arg("cells"), nb::kw_only(), nb::arg("halo") = 1,
          nb::arg("periodic") = false, nb::arg("corners") = true, nb::arg("cuts") = nb::none(),
          nb::arg("dims") = std::vector<int>{}, nb::arg("decomposition") = "blocks")
      .def_prop_ro("ranks", &GridCut::ranks, "Among which it is cut.")
      .def_prop_ro("parts", &GridCut::parts, "At most as many as ranks.")
      .def_prop_ro("axes", &GridCut::axes, "How many there are.")
      .def_prop_ro(
          "cells", [](const GridCut& cut) { return tuple_of(cut.cells()); },
          nb::sig("def cells(self) -> tuple[int, ...]"), "Of the whole grid, along each axis.")
      .def_prop_ro(
          "dims", [](const GridCut& cut) { return tuple_of(cut.dims()); },
          nb::sig("def dims(self) -> tuple[int, ...]"), "Parts along each axis.")
      .def_prop_ro("periodic", &periodic_of<GridCut>, "Of each axis.")
      .def_prop_ro("widths", &widths_of_cut<GridCut>,
                   "(below, above) of the halo along each axis, in cells.")
      .def("idle", &GridCut::idle, nb::arg("rank"),
           "Whether a rank owns no cell.\n\n"
           ">>> import halocline as hc\n"
           ">>> hc.GridCut(3, (2,)).idle(2)\n"
           "True")
      .def(
          "coordinates",
          [](const GridCut& cut, int rank) { return tuple_of(cut.coordinates(rank)); },
          nb::arg("rank"), nb::sig("def coordinates(self, rank: int) -> tuple[int, ...]"),
          "Of a rank's part along each axis; () of an idle rank.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.GridCut(6, (60, 40)).coordinates(5)\n"
          "(2, 1)")
      .def(
          "owned",
          [](const GridCut& cut, int rank) {
            nb::list all;
            for (int axis = 0; axis < cut.axes(); ++axis) all.append(slice(cut.owned(rank, axis)));
            return nb::tuple(all);
          },
          nb::arg("rank"), nb::sig("def owned(self, rank: int) -> tuple[slice, ...]"),
          "The cells of the whole grid that a rank owns, as slices.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.GridCut(2, (60,)).owned(1)\n"
          "(slice(30, 60, None),)")
      .def(
          "owned_by",
          [](const GridCut& cut, int axis, int coordinate) {
            return slice(cut.owned_by(axis, coordinate));
          },
          nb::arg("axis"), nb::arg("coordinate"),
          nb::sig("def owned_by(self, axis: int, coordinate: int) -> slice"),
          "The cells along an axis that ranks with this coordinate own, as a slice.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.GridCut(6, (60, 40)).owned_by(0, 1)\n"
          "slice(20, 40, None)")
      .def(
          "shape", [](const GridCut& cut, int rank) { return tuple_of(shape_of(cut, rank)); },
          nb::arg("rank"), nb::sig("def shape(self, rank: int) -> tuple[int, ...]"),
          "Of a rank's array, halos included.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.GridCut(6, (60, 40)).shape(0)\n"
          "(22, 22)")
      .def(
          "neighbour",
          [](const GridCut& cut, int rank, const std::vector<int>& offset) {
            return rank_or_none(cut.neighbour(rank, offset));
          },
          nb::arg("rank"), nb::arg("offset"),
          nb::sig("def neighbour(self, rank: int, offset: collections.abc.Sequence[int]) -> int | "
                  "None"),
          "The rank at a rank's coordinates plus an offset for each axis; None outside.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.GridCut(6, (60, 40)).neighbour(0, (1, 1))\n"
          "3")
      .def(
          "halo",
          [](const GridCut& cut, int rank) {
            const Extents shape = shape_of(cut, rank);
            return NamedPattern{.links = cut.halo(rank), .sent = shape, .received = shape};
          },
          nb::arg("rank"),
          "The Pattern of a rank's halo: what it sends to and receives from every neighbour.\n\n"
          ">>> import halocline as hc\n"
          ">>> sorted(hc.GridCut(6, (60, 40)).halo(0).sends)\n"
          "[1, 2, 3]")
      .def(
          "distribution",
          [](const GridCut& cut, std::vector<int> ranks) {
            return cut.distribution(std::move(ranks));
          },
          nb::arg("ranks") = std::vector<int>{},
          "Which cells each rank owns, and where they lie in its array. `ranks`: who has each "
          "part,\nwhere that is another order.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.GridCut(6, (60, 40)).distribution().shape(0)\n"
          "(22, 22)")
      .def("faces", &GridCut::faces, nb::arg("axis"),
           "The cut of the faces between cells along an axis, as Grid.faces.\n\n"
           ">>> import halocline as hc\n"
           ">>> hc.GridCut(6, (60, 40)).faces(0).cells\n"
           "(61, 40)")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"))
      .def("__repr__", [](const GridCut& cut) {
        return "<halocline.GridCut: " + text_of(cut.cells()) + " cells on " +
               text_of(Extents(cut.dims().begin(), cut.dims().end())) + " of " +
               counted(static_cast<std::size_t>(cut.ranks()), "rank", "ranks") + ">";
      });
}

}  // namespace halocline::python
