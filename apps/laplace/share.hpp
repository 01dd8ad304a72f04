#pragma once
// How a problem is cut into systems, one for each worker.

#include "system.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace laplace {

struct Share {
  std::unique_ptr<System> system;
  std::vector<int> dims;  ///< the workers' grid (z, y, x)
  Extent extent;          ///< of all shares together
};

/// Makes the share of one of several workers. Workers may call it at the same time.
using Cut = std::function<Share(int worker, int workers)>;

}  // namespace laplace
