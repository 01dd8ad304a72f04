#pragma once
// How much memory processes really use.

#include <mpi.h>

#include <optional>

namespace replicate {

/// Bytes of physical memory of this process, in which a page that n processes share counts as an
/// n-th (PSS, proportional set size, of Linux). What tools call RSS counts it n times. Pages of
/// files are left out: code that other programs run, too, would count more as soon as these end.
/// Nothing where the system does not tell.
std::optional<double> proportional_set();

/// The sum of the node whose ranks use most. Nothing if any rank does not know. Collective.
std::optional<double> most_on_a_node(MPI_Comm comm, std::optional<double> mine);

}  // namespace replicate
