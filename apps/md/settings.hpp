#pragma once
// What a run is told.

#include "dynamics.hpp"
#include "input/particle_file.hpp"
#include "input/scenario.hpp"
#include "output/checkpoint.hpp"

#include <frame/checkpoints.hpp>
#include <frame/command_line.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace md {

struct Settings {
  Lattice lattice;  ///< of the scenario
  Scenario start = scenario("melt");
  std::string input, restart;  ///< files that particles come from, if not from the scenario
  bool scenario_named = false;
  std::int64_t in_file = 0;     ///< particles of it
  std::int64_t first_step = 0;  ///< what the checkpoint has behind it
  bool whole_run = false;       ///< the words are those of the whole run, the checkpoint's beside
  Moment left;                  ///< what the checkpoint says beside the particles
  CellIndices cells = CellIndices::computed;
  bool lists = true, overlap = true, balance = false;
  Sum sum = Sum::exact;
  Layout layout = Layout::cluster;
  Shell shell = Shell::full;
  std::array<bool, 3> walls{};
  std::int64_t rebuild_every = 0;
  std::array<int, 3> dims{};  ///< 0: chosen
  int threads = 1;
  std::int64_t log_every = 0;
  HaloSchemes schemes;
  halocline::Scheme migration{"p2p:nonblocking"};
  bool forces_named = false, migration_named = false;  ///< schemes that differ from --scheme

  void declare(frame::CommandLine& line, frame::Checkpoints& checkpoints);

 private:
  void from_file(const FileFacts& facts);
  void from_checkpoint(const frame::StateFile& state);
};

/// What the loop needs to know, on so many ranks. Throws Error where settings do not go together.
Plan plan_of(const Settings& settings, int ranks);

/// Memory that a rank needs in the mean, about.
double bytes_needed(const Settings& settings, const Plan& plan, int ranks);

nlohmann::ordered_json parameters(const Settings& settings, const Plan& plan);

}  // namespace md
