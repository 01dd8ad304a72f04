// laplace on a device: whatever is copied when, the values, iterations and residual are the host's,
// bit for bit, and the steps copy what they say.

#include "device/aware.hpp"
#include "device/steps.hpp"

#include <device_solver.hpp>

#include <gtest/gtest.h>

using namespace halocline;
using namespace laplace;
using machine::DeviceStep;

namespace {

std::vector<double> values(const Domain& domain, const double* array) {
  std::vector<double> all;
  if (domain.idle()) return all;
  for (std::int64_t k = domain.points(0).begin; k < domain.points(0).end; ++k)
    for (std::int64_t j = domain.points(1).begin; j < domain.points(1).end; ++j)
      for (std::int64_t i = domain.points(2).begin; i < domain.points(2).end; ++i)
        all.push_back(array[domain.offset(k, j, i)]);
  return all;
}

TEST(LaplaceOnDevice, HasTheBitsOfTheHostAtEveryStep) {
  if (no_device()) GTEST_SKIP() << "there is no such device";
  const Problem problem{.x = 13, .y = 9, .z = 11, .offset = 0.5};
  Settings settings;
  settings.check_every = 10;
  settings.max_iterations = 60;
  settings.tolerance = 1e-3;
  SyncSolver host(world(), problem, settings);
  const Outcome expected = host.solve();

  for (const std::string scheme : {"p2p:nonblocking", "shm:signal", "rma:put:flush"})
    for (const DeviceStep step : {DeviceStep::mapped, DeviceStep::resident, DeviceStep::update,
                                  DeviceStep::packed, DeviceStep::overlap, DeviceStep::aware}) {
      const bool aware = step == DeviceStep::aware;
      if (aware && (scheme != "p2p:nonblocking" || !mpi_takes_addresses())) continue;
      settings.scheme = scheme;
      for (const bool measure : {false, true}) {
        settings.measure = measure;
        DeviceSolver there(world(), problem, settings, step);
        const Outcome outcome = there.solve();
        const std::string which = std::string(name(step)) + ", " + there.scheme();
        EXPECT_EQ(outcome.iterations, expected.iterations) << which;
        EXPECT_EQ(outcome.residual, expected.residual) << which;
        EXPECT_EQ(values(there.domain(), there.solution()), values(host.domain(), host.solution()))
            << which;

        const machine::DeviceUse use = there.use();
        EXPECT_EQ(use.sweeps, outcome.iterations);
        const auto exchanges = static_cast<std::uint64_t>(outcome.iterations);
        const Domain& domain = there.domain();
        const Pattern halo = domain.halo();
        expect_copies(step, use.traffic, halo, domain.elements() * sizeof(double), exchanges,
                      exchanges, which);
        if (step == DeviceStep::packed && halo.elements_sent() > 0) {
          EXPECT_EQ(use.traffic.copies, 2 * exchanges);
        }
      }
    }
}

TEST(LaplaceOnDevice, CopiesHalosFromPeers) {
  if (no_device()) GTEST_SKIP() << "there is no such device";
  if (!opened_device()->has_peers()) GTEST_SKIP() << "no rank reaches another one's device";
  const Problem problem{.x = 13, .y = 9, .z = 11, .offset = 0.5};
  Settings settings;
  settings.max_iterations = 60;
  settings.tolerance = 1e-30;
  SyncSolver host(world(), problem, settings);
  const Outcome expected = host.solve();
  settings.scheme = "shm:signal+device=peer";
  for (const DeviceStep step : {DeviceStep::packed, DeviceStep::overlap}) {
    DeviceSolver there(world(), problem, settings, step);
    const Outcome outcome = there.solve();
    EXPECT_EQ(outcome.residual, expected.residual) << name(step);
    EXPECT_EQ(values(there.domain(), there.solution()), values(host.domain(), host.solution()))
        << name(step);
    expect_copies_from_peers(there.use().traffic, there.domain().halo(), 60, name(step));
  }
}

TEST(LaplaceOnDevice, RefusesWhatCannotBe) {
  if (no_device()) GTEST_SKIP() << "there is no such device";
  const Problem problem{.x = 9, .y = 9, .z = 9};
  Settings settings;
  settings.scheme = "p2p:nonblocking+device=staged";
  EXPECT_THROW(DeviceSolver(world(), problem, settings, DeviceStep::resident), Error);
  settings.scheme = "p2p:nonblocking";
  settings.depth = 2;
  EXPECT_THROW(DeviceSolver(world(), problem, settings, DeviceStep::packed), Error);
  EXPECT_THROW(machine::device_step("--device", "everywhere"), Error);
}

}  // namespace
