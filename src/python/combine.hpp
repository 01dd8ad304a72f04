#pragma once
// What becomes of arriving elements: one of the known ways, or a function of Python's.

#include <halocline/combine.hpp>
#include <halocline/field.hpp>

#include <nanobind/nanobind.h>

#include <vector>

namespace halocline::python {

namespace nb = nanobind;

/// "replace", "sum", "min", "max", or a function of two arrays of as many numbers, those here and
/// those that arrive, which returns a third. It is given arrays of `dtypes`, which are all the same
/// then. Throws Error on anything else.
Combine combine_of(nb::handle given, const std::vector<nb::object>& dtypes);

}  // namespace halocline::python
