#pragma once
// Vectors that are spread over the ranks, in NumPy's files.

#include <halocline/more/mpi.hpp>
#include <halocline/more/placement.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace frame {

/// Reads the elements `mine` of a .npy file of `all` doubles (one axis, or one column). Collective;
/// throws Error, the same on all ranks, which begins with `option` and the file's name.
void read_vector(MPI_Comm comm, const std::string& option, const std::string& file,
                 std::int64_t all, halocline::Range mine, std::span<double> numbers);

/// Throws Error unless the name ends in .npy.
void check_vector_name(const std::string& option, const std::string& file);

/// Writes a .npy file of `all` doubles, of which this rank has `mine`; it is complete or not there.
/// Collective; throws Error likewise.
void write_vector(MPI_Comm comm, const std::string& option, const std::string& file,
                  std::int64_t all, halocline::Range mine, std::span<const double> numbers);

}  // namespace frame
