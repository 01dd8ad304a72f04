// Whole runs, all ways: they end, all ranks agree, nothing is lost, and a run can be run again.

#include <halocline/environment.hpp>
#include <halocline/error.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/scheme.hpp>

#include <run.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace laplace {
namespace {

using namespace halocline;

Config config_of(Mode mode) {
  Config config;
  config.problem = {7, 9, 8, 1.0, {}};
  config.mode = mode;
  config.tolerance = 1e-5;
  config.timeout = 60;
  return config;
}

/// Schemes that can be asynchronous here.
std::vector<std::string> schemes() {
  std::vector<std::string> all;
  for (const SchemeFacts& known : known_schemes())
    for (const std::string& name : async_schemes())
      if (known.scheme == name && known.unavailable.empty()) all.push_back(name);
  return all;
}

void check(const Config& config) {
  SCOPED_TRACE(config.scheme.str() + (config.racy() ? " racy" : ""));
  const auto run = make_run(world(), config);
  for (int again = 0; again < 2; ++again) {
    const Report report = run->solve();
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.residual, config.tolerance);
    double extremes[] = {report.residual, -report.residual};
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, extremes, 2, MPI_DOUBLE, MPI_MAX, world());
    EXPECT_EQ(extremes[0], -extremes[1]);

    std::int64_t values = 0;
    for (const Part& part : run->parts()) {
      values += part.points[0].size() * part.points[1].size() * part.points[2].size();
      for (std::int64_t k = part.points[0].begin; k < part.points[0].end; ++k) {
        const double value = part.at(k, part.points[1].begin, part.points[2].begin);
        EXPECT_TRUE(value >= 1 && value <= 2) << value;
      }
    }
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &values, 1, MPI_INT64_T, MPI_SUM, world());
    EXPECT_EQ(values, 9 * 11 * 10);
  }
}

TEST(Run, AsynchronousByEveryScheme) {
  for (const std::string& scheme : schemes())
    for (const Mode mode : {Mode::async, Mode::racy}) {
      Config config = config_of(mode);
      config.scheme = scheme;
      check(config);
    }
}

TEST(Run, WithManyBuffersRareHalosAndTheOtherSum) {
  Config config = config_of(Mode::async);
  config.buffers = 5;
  check(config);
  config.halo_period = 7;
  check(config);
  config.halo_period = 0;
  config.check = AsyncSumKind::iallreduce;
  check(config);
}

TEST(Run, ConvergenceThatWasNoneIsTakenBack) {
  Config config = config_of(Mode::async);
  config.halo_period = 3000;
  check(config);
  const auto run = make_run(world(), config);
  const Report report = run->solve();
  // By iterations in step, or, where these do not do, by going on asynchronously.
  EXPECT_EQ(report.phases > 1 || report.synchronous > 0, mpi::size(world()) > 1);
}

TEST(Run, InStep) {
  check(config_of(Mode::sync));
}

TEST(Run, EndsWhereItIsOutOfIterations) {
  for (const Mode mode : {Mode::sync, Mode::async}) {
    Config config = config_of(mode);
    config.max_iterations = 10;
    const Report report = make_run(world(), config)->solve();
    EXPECT_FALSE(report.converged);
    EXPECT_GT(report.residual, config.tolerance);
    EXPECT_LT(report.residual, 1);
    EXPECT_GE(report.workers.at(0).iterations, mode == Mode::sync ? 10 : 1);
  }
}

TEST(Run, ASchemeThatWaitsIsRefused) {
  Config config = config_of(Mode::async);
  config.scheme = "rma:put:fence";
  EXPECT_THROW(make_run(world(), config), Error);
}

}  // namespace
}  // namespace laplace
