#include "job.hpp"

#include "simulator.hpp"
#include "world.hpp"

#include <base/text.hpp>

#include <halocline/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <sstream>

using halocline::Error;
using namespace halocline::model;
using nlohmann::json;

namespace halosim {

namespace {

/// A scheme that this MPI has, or a method by name.
Step described_step(const std::string& scheme, const Links& links, Kind kind) {
  const auto methods = described_methods();
  return std::find(methods.begin(), methods.end(), scheme) != methods.end()
             ? describe_method(scheme, links, kind)
             : describe(halocline::Scheme(scheme), links, kind);
}

Kind kind_of_pattern(const json& pattern) {
  return kind_of(pattern.is_object() ? pattern.value("exchange", "fixed") : std::string("fixed"));
}

/// One of the exchanges of a program's step: between whom, by what, and how it is described.
struct Exchanged {
  World world;
  std::string scheme;
  Kind kind;

  Exchanged(json request, const json& pattern) : scheme(request.at("scheme")) {
    if (pattern.is_object()) request["scheme"] = scheme = pattern.value("scheme", scheme);
    request["pattern"] = pattern;
    world = halosim::world(request);
    kind = kind_of_pattern(pattern);
    if (!pattern.is_object()) return;
    // Neighbours that have communicators of their own.
    if (pattern.value("pairs", false) && scheme.starts_with("rma:") && scheme.ends_with(":fence"))
      scheme += "+group=neighbors";
  }
};

/// "pattern", which has the name "", or "patterns" by their names.
std::map<std::string, Exchanged> exchanges(const json& request) {
  std::map<std::string, Exchanged> all;
  if (request.contains("patterns")) {
    for (const auto& [name, pattern] : request["patterns"].items())
      all.emplace(name, Exchanged(request, pattern));
  } else {
    all.emplace("", Exchanged(request, request.at("pattern")));
  }
  if (all.empty()) throw Error("patterns: there must be one at least");
  return all;
}

/// One number for all ranks, or a list with one for each.
double of_rank(const json& numbers, std::size_t rank) {
  return (numbers.is_array() ? numbers.at(rank) : numbers).get<double>();
}

/// "compute": seconds, or {"program": "laplace"} from the machine file, or {"seconds_per_point":
/// s}, of as many points as the rank has or "points" says: one number, or one for each rank. They
/// are some "of" so many, which a machine takes as long for as the file says.
double computing(const json& how, const MachineCosts& machine, double points, std::size_t rank) {
  if (how.is_number()) return how;
  if (how.contains("points")) points = of_rank(how["points"], rank);
  if (how.contains("seconds_per_point")) return points * how["seconds_per_point"].get<double>();
  if (!(points > 0)) return 0;
  const double all = how.contains("of") ? of_rank(how["of"], rank) : points;
  if (!(all > 0)) throw Error("compute: \"of\" must be above 0 for a rank that has points");
  return machine.compute(how.at("program"), all) * points / all;
}

/// What a program does in a step, part by part: {"compute": ..., "share": 1}, {"start": NAME},
/// {"finish": NAME}, {"exchange": NAME} for both, {"reduce": KIND}, {"times": n, "do": [...]};
/// {"parity": 0, "do": [...]} is done by every second rank only.
json script(const json& request) {
  if (request.contains("program")) return request["program"];
  const json how = request.value("compute", json(0.0));
  const auto compute = [&](double share) { return json{{"compute", how}, {"share", share}}; };
  const json start{{"start", ""}}, finish{{"finish", ""}};
  json parts = json::array();
  if (request.value("order", "exchange") == "pipeline") {
    // A solver that hands rows on: what comes is waited for before computing, what leaves follows.
    for (const json& part : {finish, compute(1), start}) parts.push_back(part);
  } else {
    const double inside = request.value("overlapped", 0.0);  // computing within exchanges
    const int times = request.value("exchanges", 1);
    json once = json::array();
    for (const json& part : {compute((1 - inside) / times), start, compute(inside / times), finish})
      once.push_back(part);
    parts.push_back({{"times", times}, {"do", once}});
  }
  if (const std::string kind = request.value("reduction", "none"); kind != "none")
    parts.push_back({{"reduce", kind}});
  return parts;
}

/// Operations of a rank in a step: no program has as many, but loops within loops soon do.
constexpr std::size_t most_operations = std::size_t{1} << 20;

/// One step of each rank, and what that needs in memory.
class Programs {
 public:
  Programs(const json& request, const MachineCosts& machine)
      : machine_(machine), exchanges_(exchanges(request)) {
    const json parts = script(request);
    const std::size_t ranks = exchanges_.begin()->second.world.links.size();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      describe(rank);
      add(parts, rank, of_ranks.emplace_back());
    }
  }

  std::vector<std::vector<Operation>> of_ranks;
  std::size_t buffer_bytes = 0, window_bytes = 0;  ///< of the rank with most

  /// Where the ranks are.
  Places places() const {
    Places all = exchanges_.begin()->second.world.places;
    for (const auto& [name, one] : exchanges_)
      all.sharers = std::max(all.sharers, one.world.places.sharers);
    return all;
  }
  /// The cut of the first grid.
  std::vector<int> dims() const {
    for (const auto& [name, one] : exchanges_)
      if (!one.world.dims.empty()) return one.world.dims;
    return {};
  }

 private:
  void describe(std::size_t rank) {
    std::size_t buffers = 0, windows = 0;
    int number = 0;
    for (const auto& [name, one] : exchanges_) {
      Step step = described_step(one.scheme, one.world.links[rank], one.kind);
      for (auto* const half : {&step.start, &step.finish})
        for (Operation& operation : *half) operation.exchange += number * hops_by_heads;
      ++number;
      buffers += step.buffer_bytes;
      windows += step.window_bytes;
      steps_[name] = std::move(step);
    }
    buffer_bytes = std::max(buffer_bytes, buffers);
    window_bytes = std::max(window_bytes, windows);
  }

  double points(std::size_t rank) const {
    for (const auto& [name, one] : exchanges_)
      if (one.world.points[rank] > 0) return one.world.points[rank];
    return 0;
  }

  const Step& step(const json& name) const {
    const auto found = steps_.find(name.get<std::string>());
    if (found == steps_.end())
      throw Error("program: there is no pattern " + halocline::base::json_text(name) +
                  " among the patterns");
    return found->second;
  }

  void add(const json& parts, std::size_t rank, std::vector<Operation>& program) const {
    const auto append = [&](const std::vector<Operation>& more) {
      if (program.size() + more.size() > most_operations)
        throw Error("program: a step has more than " + std::to_string(most_operations) +
                    " operations of a rank");
      program.insert(program.end(), more.begin(), more.end());
    };
    for (const json& part : parts) {
      if (part.contains("compute")) {
        const double seconds =
            computing(part["compute"], machine_, points(rank), rank) * part.value("share", 1.0);
        if (seconds > 0)
          program.push_back({.verb = Verb::compute, .cost = "compute", .seconds = seconds});
      } else if (part.contains("start")) {
        append(step(part["start"]).start);
      } else if (part.contains("finish")) {
        append(step(part["finish"]).finish);
      } else if (part.contains("exchange")) {
        append(step(part["exchange"]).start);
        append(step(part["exchange"]).finish);
      } else if (part.contains("reduce")) {
        const Links& links = exchanges_.begin()->second.world.links[rank];
        append(describe_reduction(part["reduce"].get<std::string>(), links.rank, links.ranks));
      } else if (part.contains("do")) {
        if (part.contains("parity") && part["parity"] != rank % 2) continue;
        std::vector<Operation> once;
        add(part["do"], rank, once);
        const int times = once.empty() ? 0 : part.value("times", 1);
        for (int i = 0; i < times; ++i) append(once);
      } else {
        throw Error("program: " + halocline::base::json_text(part) +
                    " must be one of compute, start, finish, exchange, reduce, do");
      }
    }
  }

  const MachineCosts& machine_;
  std::map<std::string, Exchanged> exchanges_;
  std::map<std::string, Step> steps_;  // of one rank
};

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

json by_verb(const std::array<double, verbs>& seconds, double iterations) {
  json object = json::object();
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (seconds[i] > 0) object[std::string(name(static_cast<Verb>(i)))] = seconds[i] / iterations;
  return object;
}

}  // namespace

json simulated(const json& machine_file, const json& request) {
  const MachineCosts machine(machine_file);
  const Programs all(request, machine);
  const Places places = all.places();
  Run run{.programs = all.of_ranks, .machine = machine, .places = places};
  run.steps = request.value("steps", 20);
  run.warm_up = request.value("warm_up", std::min(5, run.steps - 1));
  if (run.steps < 2 || run.warm_up < 1 || run.warm_up >= run.steps)
    throw Error("steps must be at least 2, and warm_up from 1 to steps - 1");
  run.disturbance = disturbance(request);
  run.record = request.value("record", false);
  const Outcome outcome = request.value("parts", false) ? simulate_in_parts(run) : simulate(run);
  double first = outcome.ends_s.back();
  for (const double end : outcome.rank_end_s) first = std::min(first, end);
  // A step may be several iterations of a program's method. What is said of a step is of one of
  // them; when steps and ranks end is a time of the run, and stays as it is.
  const double iterations = request.value("iterations", 1);
  json said = {{"step_s", outcome.step_s / iterations},
               {"total_s", outcome.ends_s.back()},
               {"spread_s", outcome.ends_s.back() - first},
               {"busy_s", by_verb(outcome.busy_s, iterations)},
               {"wait_s", by_verb(outcome.wait_s, iterations)},
               {"buffer_bytes", all.buffer_bytes},
               {"window_bytes", all.window_bytes},
               {"operations", outcome.operations},
               {"dims", all.dims()}};
  if (request.value("ends", false)) {
    said["ends_s"] = outcome.ends_s;
    said["rank_end_s"] = outcome.rank_end_s;
  }
  if (request.value("parts", false)) {
    json counts = json::object();
    for (const auto& [number, times] : outcome.parts.counts)
      counts[machine.numbers()[static_cast<std::size_t>(number)]] = times / iterations;
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
  json named = request;
  named["scheme"] = scheme;
  const World here = world(named);
  const auto rank = request.value("rank", std::size_t{0});
  if (rank >= here.links.size()) throw Error("rank " + std::to_string(rank) + " is not there");
  const Step step =
      described_step(scheme, here.links[rank], kind_of_pattern(request.at("pattern")));
  const auto listed = [](const std::vector<Operation>& operations) {
    json list = json::array();
    for (const Operation& operation : operations) {
      std::ostringstream text;
      text << operation;
      json one = {{"verb", name(operation.verb)}, {"cost", operation.cost}, {"text", text.str()}};
      if (operation.peer >= 0) one["peer"] = operation.peer;
      if (operation.bytes > 0) one["bytes"] = operation.bytes;
      if (operation.any) one["any"] = true;
      if (operation.verb == Verb::notify || operation.verb == Verb::await)
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
