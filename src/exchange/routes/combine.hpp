#pragma once
// Combining: what arrives is added to what is there, or the lesser or greater of both stays.

#include "exchange/core/layout.hpp"

#include <halocline/exchange.hpp>

namespace halocline::detail {

/// Combines a message with the cells of a layout, one after the other in its order; a cell that the
/// layout names twice takes part twice. The fields' numbers are known.
void combine(const Layout& cells, const Bases& bases, const std::byte* message, Combine how,
             const std::vector<Field>& fields);

/// MPI's words for it: what MPI_Accumulate does to numbers (bytes, where they are unknown).
MPI_Op mpi_op(Combine how) noexcept;
MPI_Datatype mpi_type(Number number) noexcept;

/// Their names, for messages.
const char* name(Combine how) noexcept;
const char* name(Number number) noexcept;

}  // namespace halocline::detail
