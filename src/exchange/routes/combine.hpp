#pragma once
// Combining: what arrives is added to what is there, or the lesser or greater of both stays, or
// what a function of the caller's makes of the two.

#include "exchange/core/layout.hpp"

#include <halocline/combine.hpp>

#include <string>

namespace halocline::detail {

/// Combines a message with the cells of a layout, one after the other in its order; a cell that the
/// layout names twice takes part twice. The fields' elements are such that it can.
void combine(const Layout& cells, const Bases& bases, const std::byte* message, const Combine& how,
             const std::vector<Field>& fields);
/// The same of the cells of a link in these fields, for links that change so often that to lay them
/// out takes longer.
void combine(const Link& cells, std::span<const Field> fields, const std::byte* message,
             const Combine& how);

/// Why the elements of a field cannot be combined so; empty if they can.
std::string combine_complaint(const Field& field, const Combine& how);
/// Why MPI cannot, which knows numbers and functions of its own; empty if it can.
std::string accumulate_complaint(const Field& field, const Combine& how);

/// Whether numbers that are combined in another order may become others. (The least and greatest of
/// those with a floating point do where one is none, or a zero with a sign.)
bool order_matters(Number number) noexcept;

/// MPI's words for it: what MPI_Accumulate does to numbers (bytes, where it has no type for them).
MPI_Op mpi_op(const Combine& how, Number number) noexcept;
MPI_Datatype mpi_type(Number number) noexcept;

/// Their names, for messages.
const char* name(const Combine& how) noexcept;
const char* name(Number number) noexcept;

}  // namespace halocline::detail
