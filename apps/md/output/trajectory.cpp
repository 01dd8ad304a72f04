#include "trajectory.hpp"

namespace md {

using halocline::Error;

void check_trajectory(const std::string& file) {
  if (file.ends_with(".xyz")) return;
  if (!file.ends_with(".h5") && !file.ends_with(".h5md"))
    throw Error("--trajectory " + file + ": must be extended XYZ, *.xyz, or H5MD, *.h5 or *.h5md");
#ifndef HALOCLINE_HAVE_HDF5
  throw Error("--trajectory " + file +
              ": this md was built without HDF5 (Debian, Ubuntu: apt install libhdf5-dev)");
#endif
}

std::unique_ptr<Trajectory> open_trajectory(MPI_Comm comm, const std::string& file,
                                            const Box& box) {
  check_trajectory(file);
  return file.ends_with(".xyz") ? xyz_trajectory(comm, file, box)
                                : h5md_trajectory(comm, file, box);
}

}  // namespace md
