// Jacobi on a device: whatever is copied when, the values, sweeps and residuum are the host's, bit
// for bit.

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

bool no_device() {
  try {
    open_device({}, mpi::rank(Islands(world()).island()));
    return false;
  } catch (const std::runtime_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("there is no device"), std::string::npos)
        << problem.what();
    return true;
  }
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
        if (step == DeviceStep::aware && !opened_device()->is_host()) continue;
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
        const std::uint64_t array = domain.grid().elements() * sizeof(double);
        const Pattern halo = domain.grid().halo();
        const std::uint64_t leaves = halo.elements_sent() * sizeof(double),
                            lands = halo.reversed().elements_sent() * sizeof(double);
        switch (step) {
          case DeviceStep::mapped:
            EXPECT_EQ(use.traffic.to_host, 2 * array * sweeps);
            EXPECT_EQ(use.traffic.to_device, 2 * array * sweeps);
            break;
          case DeviceStep::resident:
            EXPECT_EQ(use.traffic.to_host, array * exchanges);
            EXPECT_EQ(use.traffic.to_device, array * exchanges);
            break;
          case DeviceStep::aware: EXPECT_EQ(use.traffic.to_host + use.traffic.to_device, 0u); break;
          default:  // two halos, not two grids
            EXPECT_EQ(use.traffic.to_host, leaves * exchanges) << name(step);
            EXPECT_EQ(use.traffic.to_device, lands * exchanges) << name(step);
        }
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
    const DeviceTraffic traffic = there->device()->traffic;
    const std::uint64_t lands = there->domain().grid().halo().reversed().elements_sent();
    EXPECT_EQ(traffic.to_host + traffic.to_device, 0u) << name(step);
    EXPECT_EQ(traffic.within, lands * sizeof(double) * 24) << name(step);
  }
}

}  // namespace
