#pragma once
// Runs the steps of many ranks: each comes to its next operation as soon as those that it waits for
// allow. Ranks wait for named peers only, so the order in which they are looked at does not matter.

#include "machine_costs.hpp"

#include <halocline/more/model.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace halosim {

using halocline::model::Operation;

/// What happens to computing besides what it takes.
struct Disturbance {
  double imbalance = 0;  ///< of ranks: standard deviation of their speed, a share
  int slow_rank = -1;
  double slow_factor = 1;
  double noise_every_s = 0, noise_s = 0;    ///< interruptions so long, at random times so far apart
  int delayed_rank = -1, delayed_step = 0;  ///< once
  double delay_s = 0;
  std::vector<double> samples{};  ///< measured: factors of computing, drawn with replacement
  std::uint64_t seed = 1;
};

/// Where ranks are: their nodes and sockets (numbered over all nodes).
struct Places {
  std::vector<int> node, socket;
  Level level(int one, int other) const;
  /// Ranks that send to other nodes, on the node with most of them.
  int sharers = 1;
};

/// When an operation of a rank began and ended, and what its message took: for diagrams.
struct Event {
  int rank, step;
  std::size_t operation;  ///< of the rank's
  double begin, end;
  double arrival;  ///< of what left; 0 if nothing did
};

struct Outcome {
  double step_s = 0;               ///< of the steps after the warm-up, by the last rank
  std::vector<double> ends_s;      ///< of each step, by the last rank
  std::vector<double> rank_end_s;  ///< of the last step
  /// Seconds a step in the average rank, by verb: busy, and waited.
  std::array<double, halocline::model::verbs> busy_s{}, wait_s{};
  Cost parts;  ///< of step_s, which numbers of the file it is made of; only if asked for
  std::vector<Event> events;  ///< only if asked for
  std::size_t operations = 0;
};

struct Run {
  std::span<const std::vector<Operation>> programs;  ///< one step of each rank
  const MachineCosts& machine;
  const Places& places;
  int steps = 20, warm_up = 5;
  Disturbance disturbance{};
  bool record = false;
};

/// Throws halocline::Error, naming a rank and its operation, where ranks wait in a ring.
Outcome simulate(const Run& run);
/// The same with the parts of its time.
Outcome simulate_in_parts(const Run& run);

}  // namespace halosim
