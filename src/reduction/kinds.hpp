#pragma once
// The ways to reduce, one file each.

#include <halocline/more/reduction.hpp>

namespace halocline::detail {

std::unique_ptr<MaxReduction> make_allreduce(MPI_Comm comm);
std::unique_ptr<MaxReduction> make_iallreduce(MPI_Comm comm);
std::unique_ptr<MaxReduction> make_chain(MPI_Comm comm);
std::unique_ptr<MaxReduction> make_last(MPI_Comm comm);
std::unique_ptr<MaxReduction> make_accumulate(MPI_Comm comm, int capacity);

}  // namespace halocline::detail
