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
  if (file.ends_with(".xyz")) return xyz_trajectory(comm, file, box, earlier);
  if (const std::string there = halocline::mpi::from_root(comm, earlier.file); !there.empty())
    throw Error("--trajectory " + file + ": " + there +
                " is there, from an earlier part; name another file for what follows, or move that "
                "one (md continues *.xyz alone)");
  return (file.ends_with(".gsd") ? gsd_trajectory : h5md_trajectory)(comm, file, box);
}

}  // namespace md
