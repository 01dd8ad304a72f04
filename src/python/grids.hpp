#pragma once
// Grids and their arrays.

#include <nanobind/nanobind.h>

namespace halocline::python {

namespace nb = nanobind;

void bind_grids(nb::module_& module);

}  // namespace halocline::python
