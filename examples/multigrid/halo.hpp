#pragma once
// What the solver wants of an exchange. plain.cpp and halocline.cpp do it, one by MPI alone.

#include "problem.hpp"

#include <memory>
#include <string>

namespace multigrid {

/// Fills the halo of any vector of one level.
class Halo {
 public:
  virtual ~Halo() = default;
  virtual void fill(Vector& x) = 0;
};

std::unique_ptr<Halo> plain_halo(MPI_Comm comm, const Level& level);
std::unique_ptr<Halo> halocline_halo(MPI_Comm comm, const Level& level, const std::string& scheme);

}  // namespace multigrid
