#pragma once
// The solution in files.

#include "part.hpp"
#include "problem.hpp"

#include <halocline/more/mpi.hpp>

#include <optional>
#include <string>
#include <vector>

namespace laplace {

/// A solution and what goes with it, so that others can judge it.
struct Solution {
  Extent extent;
  std::vector<Part> parts;  ///< of this process
  double tolerance, residual;
  std::optional<Problem> problem{};  ///< of a grid
};

/// Throws Error if `file` cannot be what write_solution writes.
void check_output(const std::string& file);

/// The file that write_solution puts beside the solution of a grid.
std::string xdmf_beside(const std::string& file);

/// Writes all values as `u` into the HDF5 file `file`: planes, rows, points of a row, or a vector.
/// Beside it, for a grid, an XDMF file that tells ParaView where the points are. Rank 0 writes and
/// holds some planes at a time. Collective; throws Error on all ranks.
void write_solution(MPI_Comm comm, const Solution&, const std::string& file);

/// Writes a picture of the plane y = 1/2, z upwards. Collective; throws Error on all ranks.
void write_slice(MPI_Comm comm, const Solution&, const std::string& file);

/// What this process's values add to the checksum.
std::uint64_t checksum_of_mine(const Solution&);

}  // namespace laplace
