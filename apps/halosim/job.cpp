#include "job.hpp"

#include "simulator.hpp"
#include "world.hpp"

#include <halocline/mpi.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

using halocline::Error;
using namespace halocline::model;
using nlohmann::json;

namespace halosim {

namespace {

/// A scheme that this MPI has, or a method by name.
Step described_step(const std::string& scheme, const Links& links) {
  const auto methods = described_methods();
  return std::find(methods.begin(), methods.end(), scheme) != methods.end()
             ? describe_method(scheme, links)
             : describe(halocline::Scheme(scheme), links);
}

/// What a program does in a step with an exchange, and what that needs in memory.
struct Programs {
  std::vector<std::vector<Operation>> of_ranks;
  std::size_t buffer_bytes = 0, window_bytes = 0;  ///< of the rank with most
};

/// "compute": seconds, or {"program": "laplace"} from the machine file, or {"seconds_per_point":
/// s}.
double computing(const json& request, const Machine& machine, double points) {
  const json how = request.value("compute", json(0.0));
  if (how.is_number()) return how;
  if (how.contains("seconds_per_point")) return points * how["seconds_per_point"].get<double>();
  return machine.compute(how.at("program"), points);
}

Programs programs(const json& request, const Machine& machine, const World& world) {
  Programs made;
  const std::string scheme = request.at("scheme");
  const std::string order = request.value("order", "exchange");
  const double inside = request.value("overlapped", 0.0);  // share of computing within exchanges
  const int repeats = request.value("exchanges", 1);
  for (std::size_t r = 0; r < world.links.size(); ++r) {
    const Links& links = world.links[r];
    const Step step = described_step(scheme, links);
    std::vector<Operation> program;
    const double seconds = computing(request, machine, world.points[r]);
    const auto compute = [&](double share) {
      if (seconds * share > 0)
        program.push_back({.verb = Verb::compute, .cost = "compute", .seconds = seconds * share});
    };
    const auto append = [&](const std::vector<Operation>& more) {
      program.insert(program.end(), more.begin(), more.end());
    };
    if (order == "pipeline") {
      // A solver that hands rows on: what comes is waited for before computing, what leaves
      // follows.
      append(step.finish);
      compute(1);
      append(step.start);
    } else {
      for (int i = 0; i < repeats; ++i) {
        compute((1 - inside) / repeats);
        append(step.start);
        compute(inside / repeats);
        append(step.finish);
      }
    }
    if (const std::string kind = request.value("reduction", "none"); kind != "none")
      append(describe_reduction(kind, links.rank, links.ranks));
    made.of_ranks.push_back(std::move(program));
    made.buffer_bytes = std::max(made.buffer_bytes, step.buffer_bytes);
    made.window_bytes = std::max(made.window_bytes, step.window_bytes);
  }
  return made;
}

Disturbance disturbance(const json& request) {
  Disturbance made;
  made.imbalance = request.value("imbalance", 0.0);
  made.slow_rank = request.value("slow_rank", -1);
  made.slow_factor = request.value("slow_factor", 1.0);
  made.noise_every_s = request.value("noise_every_s", 0.0);
  made.noise_s = request.value("noise_s", 0.0);
  made.delayed_rank = request.value("delayed_rank", -1);
  made.delayed_step = request.value("delayed_step", 0);
  made.delay_s = request.value("delay_s", 0.0);
  made.samples = request.value("noise_samples", std::vector<double>{});
  made.seed = request.value("seed", std::uint64_t{1});
  return made;
}

json by_verb(const std::array<double, 17>& seconds) {
  json object = json::object();
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (seconds[i] > 0) object[std::string(name(static_cast<Verb>(i)))] = seconds[i];
  return object;
}

}  // namespace

json simulated(const json& machine_file, const json& request) {
  const Machine machine(machine_file);
  const World here = world(request);
  const Programs all = programs(request, machine, here);
  Run run{.programs = all.of_ranks, .machine = machine, .places = here.places};
  run.steps = request.value("steps", 20);
  run.warm_up = request.value("warm_up", std::min(5, run.steps - 1));
  if (run.steps < 2 || run.warm_up < 1 || run.warm_up >= run.steps)
    throw Error("steps must be at least 2, and warm_up from 1 to steps - 1");
  run.disturbance = disturbance(request);
  run.record = request.value("record", false);
  const bool parts = request.value("parts", false);
  const Outcome outcome = parts ? simulate_in_parts(run) : simulate(run);
  double first = outcome.ends_s.back();
  for (const double end : outcome.rank_end_s) first = std::min(first, end);
  json said = {{"step_s", outcome.step_s},
               {"total_s", outcome.ends_s.back()},
               {"spread_s", outcome.ends_s.back() - first},
               {"busy_s", by_verb(outcome.busy_s)},
               {"wait_s", by_verb(outcome.wait_s)},
               {"buffer_bytes", all.buffer_bytes},
               {"window_bytes", all.window_bytes},
               {"operations", outcome.operations},
               {"dims", here.dims}};
  if (request.value("ends", false)) {
    said["ends_s"] = outcome.ends_s;
    said["rank_end_s"] = outcome.rank_end_s;
  }
  if (parts) {
    json counts = json::object();
    for (const auto& [number, times] : outcome.parts.counts)
      counts[machine.numbers()[static_cast<std::size_t>(number)]] = times;
    said["parts"] = counts;
  }
  if (run.record) {
    json events = json::array();
    for (const Event& event : outcome.events) {
      const Operation& operation =
          all.of_ranks[static_cast<std::size_t>(event.rank)][event.operation];
      std::ostringstream text;
      text << operation;
      events.push_back({{"rank", event.rank},
                        {"step", event.step},
                        {"begin_s", event.begin},
                        {"end_s", event.end},
                        {"arrival_s", event.arrival},
                        {"verb", name(operation.verb)},
                        {"word", name(operation.word)},
                        {"peer", operation.peer},
                        {"text", text.str()}});
    }
    said["events"] = events;
  }
  return said;
}

json answers(const json& request) {
  json all = json::array();
  for (const json& one : request.at("cases")) {
    try {
      all.push_back(
          simulated(one.contains("machine") ? one["machine"] : request.at("machine"), one));
    } catch (const Error& problem) {
      all.push_back({{"error", problem.what()}});
    }
  }
  return all;
}

json described(const std::string& scheme, const json& request) {
  const World here = world(request);
  const auto rank = request.value("rank", std::size_t{0});
  if (rank >= here.links.size()) throw Error("rank " + std::to_string(rank) + " is not there");
  const Step step = described_step(scheme, here.links[rank]);
  const auto listed = [](const std::vector<Operation>& operations) {
    json list = json::array();
    for (const Operation& operation : operations) {
      std::ostringstream text;
      text << operation;
      json one = {{"verb", name(operation.verb)}, {"cost", operation.cost}, {"text", text.str()}};
      if (operation.peer >= 0) one["peer"] = operation.peer;
      if (operation.bytes > 0) one["bytes"] = operation.bytes;
      if (operation.any) one["any"] = true;
      if (operation.verb == Verb::tell || operation.verb == Verb::hear)
        one["word"] = name(operation.word);
      if (operation.lag > 0) one["lag"] = operation.lag;
      list.push_back(std::move(one));
    }
    return list;
  };
  return {{"scheme", scheme},
          {"start", listed(step.start)},
          {"finish", listed(step.finish)},
          {"buffer_bytes", step.buffer_bytes},
          {"window_bytes", step.window_bytes}};
}

}  // namespace halosim
