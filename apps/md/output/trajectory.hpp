#pragma once
// Where all particles are from time to time, for other programs. The formats are described in
// docs/reference/md-files.md.

#include "../physics/box.hpp"

#include <base/whole_file.hpp>

#include <halocline/more/mpi.hpp>

#include <memory>
#include <span>
#include <string>

namespace md {

/// A file that is whole when `finish` returns; what was there before stays until then. Rank 0
/// writes and holds some particles at a time. All is collective and throws Error on all ranks.
class Trajectory {
 public:
  virtual ~Trajectory() = default;
  /// The particles of this rank, within the box; all together always as many.
  virtual void add(std::int64_t step, double time, std::span<const Particle> mine) = 0;
  virtual void finish() = 0;
};

/// Throws Error unless `file` is one that `open_trajectory` can write: extended XYZ, *.xyz, GSD,
/// *.gsd, or H5MD, *.h5 or *.h5md.
void check_trajectory(const std::string& file);

/// How its format is written.
halocline::base::Writing writing_of_trajectory(const std::string& file);

std::unique_ptr<Trajectory> open_trajectory(MPI_Comm comm, const std::string& file, const Box& box);

// What it consists of: one for each format.
std::unique_ptr<Trajectory> xyz_trajectory(MPI_Comm comm, const std::string& file, const Box& box);
std::unique_ptr<Trajectory> gsd_trajectory(MPI_Comm comm, const std::string& file, const Box& box);
std::unique_ptr<Trajectory> h5md_trajectory(MPI_Comm comm, const std::string& file, const Box& box);

}  // namespace md
