#pragma once
#include <halocline/more/mpi.hpp>

#include <cstdint>
#include <string>

namespace frame {

/// The sum of all ranks' parts, in the digits of result files. With parts that are sums of
/// numerics::point_checksum, any changed bit of any value changes it, and no decomposition.
/// Collective.
std::string checksum(MPI_Comm comm, std::uint64_t part);

}  // namespace frame
