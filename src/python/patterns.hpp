#pragma once
// Patterns as Python has them: with the arrays that they are of, and the ranks that they name.

#include <halocline/pattern.hpp>

#include <nanobind/nanobind.h>

#include <optional>

#include "communicator.hpp"
#include "fields.hpp"

namespace halocline::python {

struct NamedPattern {
  Pattern links{};
  std::optional<Extents> sent{}, received{};  ///< of the arrays that are sent from and received in
  Communicator comm{};                        ///< of the grid; else none
};

/// The pattern of a grid, or of what else has one.
const NamedPattern& pattern_of(nb::handle pattern);

void bind_patterns(nb::module_& module);
void bind_sparse(nb::module_& module);

}  // namespace halocline::python
