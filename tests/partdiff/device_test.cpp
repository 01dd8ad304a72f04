// Jacobi on a device: whatever is copied when, the values, sweeps and residuum are the host's, bit
// for bit.

#include "device/aware.hpp"
#include "device/steps.hpp"

#include <solver.hpp>

#include <gtest/gtest.h>

using namespace halocline;
using namespace partdiff;
using machine::DeviceStep;

namespace {

std::vector<double> values(const Solver& solver) {
  const Domain& domain = solver.domain();
  std::vector<double> all;
  if (domain.idle()) return all;
  for (std::int64_t i = domain.points(0).begin; i < domain.points(0).end; ++i)
    for (std::int64_t j = domain.points(1).begin; j < domain.points(1).end; ++j)
      all.push_back(solver.solution()[domain.offset(i, j)]);
  return all;
}

TEST(PartdiffOnDevice, HasTheBitsOfTheHostAtEveryStep) {
  if (no_device()) GTEST_SKIP() << "there is no such device";
  for (const Function function : {Function::zero, Function::sine})
    for (const bool to_accuracy : {false, true}) {
      const Problem problem(2, function);
      Settings settings;
      settings.decomposition = Decomposition::blocks;
      settings.termination = to_accuracy ? Termination::accuracy : Termination::iterations;
      settings.accuracy = 1e-4;
      settings.iterations = 25;
      settings.halo_depth = 1;
      const auto host = make_jacobi_solver(world(), problem, settings);
      const Outcome expected = host->solve();
      for (const DeviceStep step : {DeviceStep::mapped, DeviceStep::resident, DeviceStep::update,
                                    DeviceStep::packed, DeviceStep::overlap, DeviceStep::aware}) {
        if (step == DeviceStep::aware && !mpi_takes_addresses()) continue;
        settings.device = step;
        const auto there = make_jacobi_solver(world(), problem, settings);
        const Outcome outcome = there->solve();
        EXPECT_EQ(outcome.iterations, expected.iterations) << name(step);
        EXPECT_EQ(outcome.residuum, expected.residuum) << name(step);
        EXPECT_EQ(values(*there), values(*host)) << name(step);
        const machine::DeviceUse use = *there->device();
        EXPECT_EQ(use.sweeps, outcome.iterations) << name(step);
        const Domain& domain = there->domain();
        if (domain.idle()) continue;
        // There is none before the first sweep.
        const auto sweeps = static_cast<std::uint64_t>(use.sweeps), exchanges = sweeps - 1;
        expect_copies(step, use.traffic, domain.grid().halo(),
                      domain.grid().elements() * sizeof(double), sweeps, exchanges, name(step));
        EXPECT_EQ(use.traffic.within, 0u) << name(step);
      }
      settings.device.reset();
    }
}

TEST(PartdiffOnDevice, CopiesHalosFromPeers) {
  if (no_device()) GTEST_SKIP() << "there is no such device";
  if (!opened_device()->has_peers()) GTEST_SKIP() << "no rank reaches another one's device";
  const Problem problem(2, Function::sine);
  Settings settings;
  settings.decomposition = Decomposition::blocks;
  settings.iterations = 25;
  settings.halo_depth = 1;
  const auto host = make_jacobi_solver(world(), problem, settings);
  const Outcome expected = host->solve();
  settings.scheme = "p2p:nonblocking+device=peer";
  for (const DeviceStep step : {DeviceStep::packed, DeviceStep::overlap}) {
    settings.device = step;
    const auto there = make_jacobi_solver(world(), problem, settings);
    const Outcome outcome = there->solve();
    EXPECT_EQ(outcome.residuum, expected.residuum) << name(step);
    EXPECT_EQ(values(*there), values(*host)) << name(step);
    expect_copies_from_peers(there->device()->traffic, there->domain().grid().halo(), 24,
                             name(step));
  }
}

}  // namespace
