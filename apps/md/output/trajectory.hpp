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

/// Frames that earlier parts of a run have left, which a file begins with.
struct Earlier {
  std::string file;        ///< on rank 0; empty: there are none
  std::int64_t until = 0;  ///< frames after this step are made again
  std::int64_t every = 1;  ///< steps from frame to frame, of which none may be missing
  std::int64_t particles = 0;
};

/// A file that is whole when `finish` returns; what was there before stays until then. Rank 0
/// writes and holds some particles at a time. All is collective and throws Error on all ranks.
class Trajectory {
 public:
  virtual ~Trajectory() = default;
  /// The step of the newest frame; -1: there is none.
  virtual std::int64_t last() const { return -1; }
  /// The particles of this rank, within the box; all together always as many.
  virtual void add(std::int64_t step, double time, std::span<const Particle> mine) = 0;
  /// What there is by now outlives this process, in the file whose name is returned.
  virtual std::string keep() = 0;
  virtual void finish() = 0;
};

/// Throws Error unless `file` is one that `open_trajectory` can write: extended XYZ, *.xyz, GSD,
/// *.gsd, or H5MD, *.h5 or *.h5md.
void check_trajectory(const std::string& file);

/// How its format is written.
halocline::base::Writing writing_of_trajectory(const std::string& file);

/// Begins with what there is of earlier parts; that is an Error if frames are missing.
std::unique_ptr<Trajectory> open_trajectory(MPI_Comm comm, const std::string& file, const Box& box,
                                            const Earlier& earlier);

// What it consists of: one for each format.
std::unique_ptr<Trajectory> xyz_trajectory(MPI_Comm comm, const std::string& file, const Box& box,
                                           const Earlier& earlier);
std::unique_ptr<Trajectory> gsd_trajectory(MPI_Comm comm, const std::string& file, const Box& box,
                                           const Earlier& earlier);
std::unique_ptr<Trajectory> h5md_trajectory(MPI_Comm comm, const std::string& file, const Box& box,
                                            const Earlier& earlier);
/// Throws Error where what was there for `file` ends with a frame of step `last`, and more should
/// be there; -1: it has none, or none of this program.
void check_earlier(const std::string& file, const Earlier& earlier, std::int64_t last);

}  // namespace md
