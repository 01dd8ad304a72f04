#include "grids.hpp"

#include "patterns.hpp"
#include "shapes.hpp"
#include "views.hpp"

#include <halocline/error.hpp>
#include <halocline/grid.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace halocline::python {

namespace {

/// A grid and whose ranks it is of.
struct NamedGrid {
  Communicator comm;
  Kept<Grid> together{};  ///< of one that renumbers, with a communicator of its own
  std::shared_ptr<Grid> alone{};
  std::shared_ptr<NamedGrid> of{};  ///< the grid whose faces these are
  const Grid& operator*() const noexcept { return alone ? *alone : *together; }
  const Grid* operator->() const noexcept { return &**this; }
};
using Shared = std::shared_ptr<NamedGrid>;

/// The shape of the local array.
Extents shape_of(const Grid& grid) {
  Extents extents;
  for (int axis = 0; axis < grid.axes(); ++axis) extents.push_back(grid.local(axis));
  return extents;
}

/// `cells` alone: all ranks.
Shared make_grid(nb::object comm, bool renumber, GridArguments given, nb::handle nodes) {
  if (given.cells.is_none()) std::swap(comm, given.cells);
  auto grid = std::make_shared<NamedGrid>(NamedGrid{.comm = communicator(comm)});
  const MPI_Comm ranks = grid->comm.comm;
  if (!renumber) {  // local
    GridCells all = cells_of(given);
    all.options.nodes = taken<std::string>(nodes, "nodes");
    grid->alone = std::make_shared<Grid>(ranks, all.cells, std::move(all.options));
    return grid;
  }
  grid->together = made_together(
      ranks,
      [&] {
        GridCells all = cells_of(given);
        all.options.renumber = true;
        all.options.nodes = taken<std::string>(nodes, "nodes");
        return all;
      },
      [&](GridCells& all) {
        const Waits others;
        return std::make_shared<Grid>(ranks, all.cells, std::move(all.options));
      });
  grid->comm.comm = (*grid)->comm();
  grid->comm.given = nb::none();
  return grid;
}

nb::tuple slices_of(const Grid& grid, bool local) {
  nb::list all;
  for (int axis = 0; axis < grid.axes(); ++axis) {
    const Range range = grid.owned(axis);
    const std::int64_t begin = local && range.size() > 0 ? grid.width(axis).below : range.begin;
    all.append(slice(local ? Range{begin, begin + range.size()} : range));
  }
  return nb::tuple(all);
}

/// An array of the library's memory, as Python asks for it.
struct AskedArray {
  nb::object dtype;
  Extents shape;
  Scheme scheme;
};

/// Zeroed memory that the scheme works best on, for what `ask()` finds out, which stays in `asked`.
/// Collective.
template <class Ask>
nb::object memory(MPI_Comm comm, std::optional<AskedArray>& asked, Ask&& ask) {
  expect_mpi();
  return nb::cast(Block{made_together(
      comm,
      [&] {
        asked = ask();
        return element_bytes(asked->dtype) * count_of(asked->shape);
      },
      [&](std::size_t bytes) {
        const Waits others;
        return std::make_shared<Memory>(memory_for(comm, bytes, asked->scheme));
      })});
}

/// As an array with halos, of the type that `dtype()` says.
template <class Dtype>
nb::object array_on(nb::handle self, Dtype&& dtype, nb::handle scheme, nb::handle components) {
  const NamedGrid& grid = *nb::cast<Shared>(self);
  std::optional<AskedArray> asked;
  const nb::object block = memory(grid.comm.comm, asked, [&] {
    Extents shape = shape_of(*grid);
    for (const std::int64_t numbers : numbers_of(components, "components")) {
      if (numbers < 0) throw Error("components: " + std::to_string(numbers) + " is below 0");
      shape.push_back(numbers);
    }
    return AskedArray{dtype_of(dtype()), std::move(shape), scheme_of(scheme)};
  });
  return nb::module_::import_("halocline.arrays")
      .attr("GridArray")(tuple_of(asked->shape), asked->dtype, block, self);
}

nb::object zeros(nb::handle self, nb::handle type, nb::handle scheme, nb::handle components) {
  return array_on(
      self, [&] { return type; }, scheme, components);
}

/// An array of any shape, for patterns that are no grid's.
nb::object zeros_of(nb::handle shape, nb::handle type, nb::handle scheme, nb::handle comm) {
  std::optional<AskedArray> asked;
  const nb::object block = memory(communicator(comm).comm, asked, [&] {
    return AskedArray{dtype_of(type), extents_of(shape), scheme_of(scheme)};
  });
  return numpy("ndarray")(tuple_of(asked->shape), asked->dtype, block);
}

nb::object array(nb::handle self, nb::handle values, nb::handle scheme, nb::handle type) {
  nb::object given;
  nb::object made = array_on(
      self,
      [&]() -> nb::object {
        given = array_of(values, "values");
        return type.is_none() ? nb::object(given.attr("dtype")) : nb::borrow(type);
      },
      scheme, nb::make_tuple());
  agreed(nb::cast<Shared>(self)->comm.comm, [&] { made.attr("fill_owned")(given); });
  return made;
}

}  // namespace

void bind_grids(nb::module_& module) {
  module.def(
      "zeros", &zeros_of,
      nb::sig("def zeros(shape: int | collections.abc.Sequence[int], dtype: "
              "numpy.typing.DTypeLike = 'f8', scheme: str = 'p2p:nonblocking', comm: object | None "
              "= None) -> "
              "numpy.ndarray"),
      nb::arg("shape").none(), nb::arg("dtype").none() = "f8",
      nb::arg("scheme").none() = "p2p:nonblocking", nb::arg("comm") = nb::none(),
      "A numpy array of zeros in memory that the scheme works best on, for patterns that are no "
      "grid's.\n\n"
      "Ranks may give different shapes. Collective. Raises Error if there is not enough memory.\n\n"
      ">>> import halocline as hc\n"
      ">>> x = hc.zeros((5, 3), 'f4', scheme='shm:signal')\n"
      ">>> x.shape\n"
      "(5, 3)");
  nb::class_<NamedGrid>(
      module, "Grid",
      "A Cartesian grid of cells spread over the ranks of a communicator.\n\n"
      "Grid(comm, cells, *, halo=1, periodic=False, corners=True, cuts=None, dims=(),\n"
      "     decomposition='blocks', renumber=False, nodes='node')\n\n"
      "comm           one of mpi4py; None (or left out): all ranks\n"
      "cells          along each of one to five axes, of the whole grid, without halos\n"
      "halo           cells: one number; or for each axis a number or a pair (below, above)\n"
      "periodic       one bool, or one for each axis\n"
      "corners        edges and corners too, or faces only\n"
      "cuts           for each axis the first cells of the parts and the end, or None: equal "
      "parts\n"
      "dims           the process grid, if chosen by hand\n"
      "decomposition  'blocks', or 'rows': the first axis alone is cut\n"
      "renumber       let the grid renumber ranks, so that little crosses nodes; collective then,\n"
      "               and all communication is on grid.comm\n\n"
      "Raises Error when a halo is wider than a part, and on options that do not fit.\n\n"
      ">>> import halocline as hc\n"
      ">>> grid = hc.Grid((8, 6), halo=1, periodic=(True, False))\n"
      ">>> u = grid.zeros('f8')           # a numpy array, halos included\n"
      ">>> u.shape == grid.shape\n"
      "True\n"
      ">>> u.owned[:] = 1                 # the cells that this rank owns\n"
      ">>> hc.Exchange(grid.halo(), u).run()\n"
      ">>> float(u[0, 1])\n"
      "1.0")
      .def(nb::new_([](nb::object comm, nb::object cells, nb::object halo, nb::object periodic,
                       Argument<bool> corners, nb::object cuts, Argument<std::vector<int>> dims,
                       Argument<std::string> decomposition, bool renumber,
                       Argument<std::string> nodes) {
             return make_grid(std::move(comm), renumber,
                              {.cells = std::move(cells),
                               .halo = std::move(halo),
                               .periodic = std::move(periodic),
                               .corners = std::move(corners),
                               .cuts = std::move(cuts),
                               .dims = std::move(dims),
                               .decomposition = std::move(decomposition)},
                              nodes);
           }),
           nb::arg("comm").none(), nb::arg("cells") = nb::none(), nb::kw_only(),
           nb::arg("halo") = 1, nb::arg("periodic") = false, nb::arg("corners") = true,
           nb::arg("cuts") = nb::none(), nb::arg("dims") = std::vector<int>{},
           nb::arg("decomposition") = "blocks", nb::arg("renumber") = false,
           nb::arg("nodes") = "node")
      .def_prop_ro(
          "comm",
          [](const NamedGrid& grid) {
            return grid.comm.given.is_none() ? object_of(grid.comm.comm) : grid.comm.given;
          },
          "The communicator, as mpi4py has it; None where mpi4py has not been imported. Of a grid\n"
          "that renumbers it is the grid's own.")
      .def_prop_ro(
          "rank", [](const NamedGrid& grid) { return mpi::rank(grid.comm.comm); },
          "This rank's number in the communicator.")
      .def_prop_ro(
          "ranks", [](const NamedGrid& grid) { return mpi::size(grid.comm.comm); },
          "How many there are.")
      .def_prop_ro(
          "cells", [](const NamedGrid& grid) { return tuple_of(grid->cells()); },
          nb::sig("def cells(self) -> tuple[int, ...]"), "Of the whole grid, along each axis.")
      .def_prop_ro(
          "axes", [](const NamedGrid& grid) { return grid->axes(); }, "How many there are.")
      .def_prop_ro(
          "dims", [](const NamedGrid& grid) { return tuple_of(grid->dims()); },
          nb::sig("def dims(self) -> tuple[int, ...]"), "Parts along each axis.")
      .def_prop_ro(
          "periodic", [](const NamedGrid& grid) { return periodic_of(*grid); }, "Of each axis.")
      .def_prop_ro(
          "widths", [](const NamedGrid& grid) { return widths_of_cut(*grid); },
          "(below, above) of the halo along each axis, in cells.")
      .def_prop_ro(
          "cut", [](const NamedGrid& grid) { return grid->cut(); },
          "The GridCut of this grid: what each rank has.")
      .def_prop_ro(
          "coordinates", [](const NamedGrid& grid) { return tuple_of(grid->coordinates()); },
          nb::sig("def coordinates(self) -> tuple[int, ...]"),
          "Of this rank's part along each axis; () on an idle rank.")
      .def_prop_ro(
          "idle", [](const NamedGrid& grid) { return grid->idle(); }, "This rank owns no cell.")
      .def_prop_ro(
          "shape", [](const NamedGrid& grid) { return tuple_of(shape_of(*grid)); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "Of this rank's array, halos included.")
      .def_prop_ro(
          "owned", [](const NamedGrid& grid) { return slices_of(*grid, false); },
          nb::sig("def owned(self) -> tuple[slice, ...]"),
          "The cells of the whole grid that this rank owns, as slices: whole[grid.owned].")
      .def_prop_ro(
          "inner", [](const NamedGrid& grid) { return slices_of(*grid, true); },
          nb::sig("def inner(self) -> tuple[slice, ...]"),
          "The same cells in this rank's array, as slices: u[grid.inner].")
      .def(
          "owned_by",
          [](const NamedGrid& grid, int axis, int coordinate) {
            return slice(grid->owned_by(axis, coordinate));
          },
          nb::arg("axis"), nb::arg("coordinate"),
          nb::sig("def owned_by(self, axis: int, coordinate: int) -> slice"),
          "The cells along an axis that ranks with this coordinate own, as a slice.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.Grid((8, 6), dims=()).owned_by(0, 0).start\n"
          "0")
      .def(
          "neighbour",
          [](const NamedGrid& grid, const std::vector<int>& offset) {
            return rank_or_none(grid->neighbour(offset));
          },
          nb::sig("def neighbour(self, offset: collections.abc.Sequence[int]) -> int | None"),
          nb::arg("offset"),
          "The rank at this rank's coordinates plus an offset for each axis; None outside.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8, 6), periodic=(True, False))\n"
          ">>> grid.neighbour((0, 0)) == grid.rank, grid.neighbour((0, -6))\n"
          "(True, None)")
      .def(
          "halo",
          [](nb::handle self) {
            const NamedGrid& grid = *nb::cast<Shared>(self);
            const Extents shape = shape_of(*grid);
            NamedPattern pattern{
                .links = grid->halo(), .sent = shape, .received = shape, .comm = grid.comm};
            pattern.comm.owner = nb::borrow(self);
            return pattern;
          },
          "The Pattern of this rank's halo: what it sends to and receives from every neighbour.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8, 6))\n"
          ">>> grid.halo().shape == grid.shape\n"
          "True")
      .def(
          "distribution", [](const NamedGrid& grid) { return grid->distribution(); },
          "Which cells each rank owns, and where they lie in its array: for Pattern.between.\n\n"
          ">>> import halocline as hc\n"
          ">>> grid = hc.Grid((8, 6))\n"
          ">>> grid.distribution().shape(grid.rank) == grid.shape\n"
          "True")
      .def(
          "faces",
          [](const Shared& grid, int axis) {
            NamedGrid faces{.comm = grid->comm,
                            .alone = std::make_shared<Grid>((*grid)->faces(axis)),
                            .of = grid};
            return std::make_shared<NamedGrid>(std::move(faces));
          },
          nb::arg("axis"),
          "The grid of the faces between cells along an axis, for staggered fields: face i lies "
          "below\ncell i. One more than cells, but for a periodic axis.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.Grid((8, 6)).faces(1).cells\n"
          "(8, 7)")
      .def("zeros", &zeros,
           nb::sig("def zeros(self, dtype: numpy.typing.DTypeLike = 'f8', scheme: str = "
                   "'p2p:nonblocking', "
                   "components: collections.abc.Sequence[int] = ()) -> halocline.arrays.GridArray"),
           nb::arg("dtype").none() = "f8", nb::arg("scheme").none() = "p2p:nonblocking",
           nb::arg("components").none() = nb::make_tuple(),
           "A numpy array of zeros, halos included, in memory that the scheme works best on.\n\n"
           "Its shape is grid.shape, then `components`, then what axes the dtype has. `u.owned` is "
           "the view\nof the cells that this rank owns, `u.grid` this grid. Collective. Raises "
           "Error "
           "if there is not\nenough memory.\n\n"
           ">>> import halocline as hc\n"
           ">>> grid = hc.Grid((8, 6), halo=2)\n"
           ">>> velocity = grid.zeros('f4', components=(3,))\n"
           ">>> velocity.shape == grid.shape + (3,)\n"
           "True")
      .def("empty", &zeros,
           nb::sig("def empty(self, dtype: numpy.typing.DTypeLike = 'f8', scheme: str = "
                   "'p2p:nonblocking', "
                   "components: collections.abc.Sequence[int] = ()) -> halocline.arrays.GridArray"),
           nb::arg("dtype").none() = "f8", nb::arg("scheme").none() = "p2p:nonblocking",
           nb::arg("components").none() = nb::make_tuple(),
           "As `zeros`, for a caller that overwrites all of it.\n\n"
           ">>> import halocline as hc\n"
           ">>> grid = hc.Grid((8, 6))\n"
           ">>> u = grid.empty('f4')\n"
           ">>> u.dtype, u.shape == grid.shape\n"
           "(dtype('float32'), True)")
      .def("array", &array,
           nb::sig("def array(self, values: numpy.typing.ArrayLike, scheme: str = "
                   "'p2p:nonblocking', dtype: "
                   "numpy.typing.DTypeLike | None = None) -> halocline.arrays.GridArray"),
           nb::arg("values").none(), nb::arg("scheme").none() = "p2p:nonblocking",
           nb::arg("dtype") = nb::none(),
           "An array with these values in the cells that this rank owns: a number, an array of the "
           "whole\ngrid (`cells`), of which each rank takes its part, or one of this rank's cells. "
           "Collective.\n\n"
           ">>> import halocline as hc, numpy as np\n"
           ">>> grid = hc.Grid((4, 3))\n"
           ">>> u = grid.array(np.arange(12.0).reshape(4, 3))\n"
           ">>> bool((u.owned == np.arange(12.0).reshape(4, 3)[grid.owned]).all())\n"
           "True")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"))
      .def("__repr__", [](const NamedGrid& grid) {
        Extents dims(grid->dims().begin(), grid->dims().end());
        return "<halocline.Grid: " + text_of(grid->cells()) + " cells on " + text_of(dims) +
               " ranks, here an array " + text_of(shape_of(*grid)) + ">";
      });
}

}  // namespace halocline::python
