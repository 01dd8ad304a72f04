#pragma once
// The synchronous solver on a device: an exchange before every sweep, and the values, iterations
// and residual of the host's, bit for bit.

#include "device_sweep.hpp"
#include "residual.hpp"
#include "solver.hpp"

#include <machine/device_arrays.hpp>

namespace laplace {

class DeviceSolver {
 public:
  /// Throws the same Error on all ranks where there is no device or the settings do not fit.
  /// Collective.
  DeviceSolver(MPI_Comm comm, const Problem&, const Settings&, machine::DeviceStep step);

  /// From the start. Collective. The residual is taken on the host, of a copy.
  Outcome solve();

  const Domain& domain() const { return domain_; }
  const double* solution() const { return arrays_.host(newest_); }
  std::string scheme() const { return arrays_.scheme(); }
  std::string note() const { return {}; }
  machine::DeviceUse use() const { return arrays_.use(); }

 private:
  void sweep(bool exchanging);
  void sweep(const Box& part);

  Settings settings_;
  Domain domain_;
  machine::DeviceArrays arrays_;
  DeviceSweep kernel_;
  numerics::ExactSum source_;
  std::size_t newest_ = 0;
  Phases phases_;
};

}  // namespace laplace
