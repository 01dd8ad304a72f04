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

TEST(PartdiffOnDevice, HasTheBitsOfTheHostAtEveryStep) {
  try {
    open_device({}, mpi::rank(Islands(world()).island()));
  } catch (const std::runtime_error& problem) {
    ASSERT_NE(std::string(problem.what()).find("there is no device"), std::string::npos)
        << problem.what();
    GTEST_SKIP() << "there is no such device";
  }
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
        const Pattern halo = there->domain().grid().halo();
        const std::uint64_t bytes = halo.elements_sent() * sizeof(double);
        if (step == DeviceStep::update || step == DeviceStep::packed ||
            step == DeviceStep::overlap) {
          const auto sweeps = static_cast<std::uint64_t>(use.sweeps);
          EXPECT_EQ(use.traffic.to_host, bytes * (sweeps > 0 ? sweeps - 1 : 0)) << name(step);
        }
      }
      settings.device.reset();
    }
}

}  // namespace
