#include "text.hpp"

#include <base/text.hpp>
#include <frame/facts.hpp>

#include <algorithm>
#include <cmath>

namespace laplace {

using halocline::base::append;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

const char* name(Mode mode) {
  return mode == Mode::sync ? "sync" : mode == Mode::async ? "async" : "racy";
}

const char* name(Model model) {
  return model == Model::mpi ? "mpi" : model == Model::shmem ? "shmem" : "threads";
}

long long count(std::int64_t number) {
  return number;
}

}  // namespace

json gather_workers(MPI_Comm comm, const Report& report) {
  json mine = json::array();
  for (const Worker& worker : report.workers)
    mine.push_back({{"iterations", worker.iterations},
                    {"sent", worker.counts.sent},
                    {"skipped", worker.counts.skipped},
                    {"received", worker.counts.received},
                    {"superseded", worker.counts.superseded},
                    {"age_mean", worker.age.mean()},
                    {"age_most", worker.age.oldest}});
  const json ranks = frame::facts::gather(comm, mine);
  if (ranks.is_null()) return nullptr;
  json all = json::array();
  for (const json& rank : ranks)
    for (json worker : rank) {
      worker["worker"] = all.size();
      all.push_back(std::move(worker));
    }
  return all;
}

Iterations iterations_of(const json& workers) {
  Iterations all{workers.at(0).at("iterations"), 0, 0};
  for (const json& worker : workers) {
    const std::int64_t one = worker.at("iterations");
    all.least = std::min(all.least, one);
    all.most = std::max(all.most, one);
    all.mean += static_cast<double>(one) / static_cast<double>(workers.size());
  }
  return all;
}

std::string text(const Config& config, const Run& run, const Report& report, const json& workers) {
  const Problem& problem = config.problem;
  const Iterations iterations = iterations_of(workers);
  const bool threads = config.model == Model::threads;
  const std::vector<int> dims = run.dims();
  std::string text;
  if (config.matrix.empty())
    append(text, "Points:                 %lld x %lld x %lld\n", count(problem.x), count(problem.y),
           count(problem.z));
  else
    append(text, "Matrix:                 %s, %lld rows\n", config.matrix.c_str(),
           count(run.extent()[2]));
  append(text, "%s                %zu, %d x %d x %d\n",
         threads ? "Threads:" : "Ranks:  ", workers.size(), dims[2], dims[1], dims[0]);
  append(text, "Mode:                   %s, %s\n", name(config.mode), run.scheme().c_str());
  if (config.style) append(text, "Style:                  %s\n", run.style().c_str());
  append(text, "Calculation time:       %f s\n", report.seconds);
  if (config.mode == Mode::sync) {
    append(text, "Number of iterations:   %lld\n", count(iterations.least));
  } else {
    append(text, "Number of iterations:   %.1f, from %lld to %lld\n", iterations.mean,
           count(iterations.least), count(iterations.most));
    append(text, "Halos sent:             every %s\n",
           report.halo_period > 0 ? (std::to_string(report.halo_period) + " iterations").c_str()
                                  : "1 to 32 iterations in turn, still being measured");
    std::int64_t sent = 0, skipped = 0, superseded = 0, oldest = 0;
    double age = 0;
    for (const json& worker : workers) {
      sent += worker.at("sent").get<std::int64_t>();
      skipped += worker.at("skipped").get<std::int64_t>();
      superseded += worker.at("superseded").get<std::int64_t>();
      oldest = std::max(oldest, worker.at("age_most").get<std::int64_t>());
      age += worker.at("age_mean").get<double>() / static_cast<double>(workers.size());
    }
    append(text, "Messages:               %lld sent, %lld skipped, %lld superseded\n", count(sent),
           count(skipped), count(superseded));
    append(text, "Age of halos:           %.2f iterations, at most %lld\n", age, count(oldest));
    append(text, "Confirmed:              %lld iterations in step, %d asynchronous phase%s\n",
           count(report.synchronous), report.phases, report.phases == 1 ? "" : "s");
  }
  if (report.device) {
    const machine::DeviceUse& use = *report.device;
    const auto sweeps = static_cast<double>(std::max<std::int64_t>(use.sweeps, 1));
    append(text, "Device:                 %s, %s\n", use.device.c_str(),
           machine::name(*config.device));
    append(text,
           "Copied in a sweep:      %.0f bytes to the host, %.0f to the device, %.0f within, "
           "in %.1f copies (rank 0)\n",
           static_cast<double>(use.traffic.to_host) / sweeps,
           static_cast<double>(use.traffic.to_device) / sweeps,
           static_cast<double>(use.traffic.within) / sweeps,
           static_cast<double>(use.traffic.copies) / sweeps);
    if (config.measure)
      append(text, "Seconds:                %f sweeps, %f packing, %f copies, %f MPI (rank 0)\n",
             report.times.compute, use.times.pack, use.times.copy,
             use.times.transfer + use.times.wait);
  }
  append(text, "Residual:               %e, tolerance %g %s\n", report.residual, config.tolerance,
         report.converged ? "reached" : "not reached");
  return text;
}

ordered_json parameters(const Config& config, const Run& run) {
  const Problem& problem = config.problem;
  ordered_json all = {{"model", name(config.model)}, {"mode", name(config.mode)}};
  if (config.style) all["style"] = config.style->str();
  if (config.matrix.empty()) {
    all["grid"] = {problem.x, problem.y, problem.z};
    all["offset"] = problem.offset;
    if (problem.circle) all["circle"] = *problem.circle;
  } else {
    all["matrix"] = config.matrix;
    all["rhs"] = config.right_side;
    all["rows"] = run.extent()[2];
  }
  all["dims"] = run.dims();
  all["tolerance"] = config.tolerance;
  all["max_iterations"] = config.max_iterations;
  if (config.slow_worker >= 0)
    all["slow"] = {{"worker", config.slow_worker}, {"factor", config.slow_factor}};
  if (config.mode == Mode::sync) {
    all["check_every"] = config.check_every;
  } else {
    if (config.model != Model::threads) all["check"] = halocline::name(config.check);
    all["buffers"] = config.buffers;
    all["confirm"] = config.confirm;
  }
  return all;
}

ordered_json outcome(const Config& config, const Report& report, const json& workers) {
  const Iterations iterations = iterations_of(workers);
  ordered_json all = {{"iterations", std::llround(iterations.mean)},
                      {"residuum", report.residual},
                      {"converged", report.converged}};
  ordered_json points = ordered_json::array();
  for (const ConvergencePoint& point : report.convergence)
    points.push_back({point.seconds, point.residual});
  all["convergence"] = std::move(points);
  if (report.device) {
    const machine::DeviceUse& use = *report.device;
    all["device"] = {{"device", use.device},
                     {"step", machine::name(*config.device)},
                     {"sweeps", use.sweeps},
                     {"bytes_to_host", use.traffic.to_host},
                     {"bytes_to_device", use.traffic.to_device},
                     {"bytes_within", use.traffic.within},
                     {"copies", use.traffic.copies},
                     {"copying", use.times.copy}};
  }
  if (config.mode == Mode::sync) return all;
  all["iterations_least"] = iterations.least;
  all["iterations_mean"] = iterations.mean;
  all["iterations_most"] = iterations.most;
  all["halo_period"] = report.halo_period;
  all["confirming_iterations"] = report.synchronous;
  all["phases"] = report.phases;
  all["workers"] = workers;
  return all;
}

}  // namespace laplace
