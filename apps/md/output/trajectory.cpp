#include "trajectory.hpp"

namespace md {

using halocline::Error;

void check_trajectory(const std::string& file) {
  if (file.ends_with(".xyz") || file.ends_with(".gsd")) return;
  if (!file.ends_with(".h5") && !file.ends_with(".h5md"))
    throw Error("--trajectory " + file +
                ": must be extended XYZ, *.xyz, GSD, *.gsd, or H5MD, *.h5 or *.h5md");
#ifndef HALOCLINE_HAVE_HDF5
  throw Error("--trajectory " + file +
              ": this md was built without HDF5 (Debian, Ubuntu: apt install libhdf5-dev)");
#endif
}

halocline::base::Writing writing_of_trajectory(const std::string& file) {
  using halocline::base::Writing;
  return file.ends_with(".xyz")   ? Writing::in_sequence
         : file.ends_with(".gsd") ? Writing::anywhere
                                  : Writing::by_name;
}

std::unique_ptr<Trajectory> open_trajectory(MPI_Comm comm, const std::string& file, const Box& box,
                                            const Earlier& earlier) {
  check_trajectory(file);
  const auto open = file.ends_with(".xyz")   ? xyz_trajectory
                    : file.ends_with(".gsd") ? gsd_trajectory
                                             : h5md_trajectory;
  return open(comm, file, box, earlier);
}

void check_earlier(const std::string& file, const Earlier& earlier, std::int64_t last) {
  const std::int64_t next = last < 0 ? 0 : (last / earlier.every + 1) * earlier.every;
  if (next <= earlier.until)
    throw Error("--trajectory " + file + ": " + earlier.file +
                " is there, but has no frame of this run of step " + std::to_string(next) +
                ", though the state that the run goes on from is of step " +
                std::to_string(earlier.until) + "; name another file for what follows");
}

}  // namespace md
