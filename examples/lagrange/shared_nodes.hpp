#pragma once
// What the step wants of an exchange. plain.cpp and halocline.cpp do it, one by MPI alone.

#include "mesh.hpp"

#include <memory>
#include <string>
#include <vector>

namespace lagrange {

/// Adds up what the copies of each node have, in some arrays at once, along one axis after the
/// other: two copies at a time, and a + b is b + a, so in the end all have the same bits.
class SharedNodes {
 public:
  virtual ~SharedNodes() = default;
  virtual void add_up() = 0;
};

std::unique_ptr<SharedNodes> plain_shared_nodes(MPI_Comm comm, const Part& part,
                                                std::vector<double*> arrays);
std::unique_ptr<SharedNodes> halocline_shared_nodes(MPI_Comm comm, const Part& part,
                                                    const std::vector<double*>& arrays,
                                                    const std::string& scheme);

}  // namespace lagrange
