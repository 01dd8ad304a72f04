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

  /// From the start, or the checkpoint. Collective. The residual is taken where the array is
  /// current with its halo.
  Outcome solve();

  const Domain& domain() const { return domain_; }
  const double* solution() const { return arrays_.host(newest_); }
  std::string scheme() const { return arrays_.scheme(); }
  std::string note() const { return {}; }
  machine::DeviceUse use() const { return arrays_.use(); }

 private:
  void sweep(bool exchanging);
  void sweep(const Box& part);
  DeviceBox on_device(const Box& part) const;
  /// Sums up the newest array, whose halo is right.
  numerics::ExactSum squares() const;

  Settings settings_;
  Domain domain_;
  machine::DeviceArrays arrays_;
  DeviceSweep sweep_;
  DeviceResidual residual_;
  numerics::DeviceSum sum_;
  numerics::ExactSum source_;
  std::size_t newest_ = 0;
  Phases phases_;
};

}  // namespace laplace
