#pragma once
// Grids and their cuts, and arrays.

#include <halocline/cut.hpp>

#include <nanobind/nanobind.h>

#include <memory>

#include "fields.hpp"

namespace halocline::python {

/// What a grid or a cut is made from, as Python gives it.
struct GridArguments {
  nb::object cells, halo, periodic, corners, cuts, dims, decomposition;
};
struct GridCells {
  Extents cells;
  GridOptions options{};
};
GridCells cells_of(const GridArguments& given);

/// What grids and cuts have alike.
template <class Cut>
nb::tuple periodic_of(const Cut& cut) {
  nb::list all;
  for (int axis = 0; axis < cut.axes(); ++axis) all.append(cut.periodic(axis));
  return nb::tuple(all);
}
template <class Cut>
nb::tuple widths_of_cut(const Cut& cut) {
  nb::list all;
  for (int axis = 0; axis < cut.axes(); ++axis)
    all.append(nb::make_tuple(cut.width(axis).below, cut.width(axis).above));
  return nb::tuple(all);
}

void bind_cuts(nb::module_& module);
void bind_grids(nb::module_& module);
void bind_arenas(nb::module_& module);

}  // namespace halocline::python
