#include "settings.hpp"

#include "physics/cells.hpp"

#include <base/text.hpp>
#include <frame/lists.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace md {

using namespace halocline;
using frame::Value;

namespace {

constexpr std::initializer_list<std::pair<const char*, bool>> on_or_off{{"on", true},
                                                                        {"off", false}};
constexpr std::initializer_list<std::pair<const char*, Layout>> layouts{
    {"aos", Layout::aos}, {"soa", Layout::soa}, {"cluster", Layout::cluster}};
constexpr std::initializer_list<std::pair<const char*, Shell>> shells{
    {"full", Shell::full}, {"half", Shell::half}, {"eighth", Shell::eighth}};
constexpr std::initializer_list<std::pair<const char*, CellIndices>> indices{
    {"computed", CellIndices::computed}, {"table", CellIndices::table}};
constexpr std::initializer_list<std::pair<const char*, Sum>> sums{{"exact", Sum::exact},
                                                                  {"fast", Sum::fast}};

template <class Choice>
const char* name_of(std::initializer_list<std::pair<const char*, Choice>> choices, Choice choice) {
  return std::ranges::find(choices, choice, &std::pair<const char*, Choice>::second)->first;
}

// From measured sizes of processes (melt of 256,000 and 864,000 particles): bytes of a particle
// without its list, and for each particle within its reach.
constexpr double particle_bytes = 240, pair_bytes = 8;

/// Throws Error where so many ranks cannot share this box.
void check(const Plan& plan, int ranks) {
  const Vector& edges = plan.box.edges();
  const double cutoff = plan.forces.lj.cutoff;
  const double reach = cutoff + (plan.forces.lists ? plan.forces.skin : 0);
  double cells = 1;
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool periodic = !plan.box.walls(static_cast<int>(axis));
    if (periodic && edges[axis] < std::max(2 * cutoff, reach)) {
      if (edges[axis] < 2 * cutoff)
        base::append(text,
                     "the box is %g long along %c, less than two cut-offs of %g: particles would "
                     "feel others twice; a larger box or a smaller --cutoff is needed",
                     edges[axis], "xyz"[axis], cutoff);
      else
        base::append(text,
                     "the box is %g long along %c, less than cut-off and skin, %g; a smaller "
                     "--skin is needed",
                     edges[axis], "xyz"[axis], reach);
      throw Error(text);
    }
    cells *= std::max(1.0, std::floor(edges[axis] / cutoff));
  }
  if (ranks > cells) {
    base::append(text,
                 "%d ranks are more than the %.0f cells of at least a cut-off a side that the box "
                 "has; use fewer ranks",
                 ranks, cells);
    throw Error(text);
  }
}

}  // namespace

void Settings::declare(frame::CommandLine& line, frame::Checkpoints& checkpoints) {
  const auto positive = [&](const char* spelled, const char* help, double& to) {
    line.option(spelled, help, [&to](const Value& value) {
      to = value.real("a number above 0", [](double x) { return x > 0; });
    });
  };
  const auto not_negative = [&](const char* spelled, const char* help, double& to) {
    line.option(spelled, help, [&to](const Value& value) {
      to = value.real("a number that is not negative", [](double x) { return x >= 0; });
    });
  };
  const auto choice = [&](const char* spelled, const char* help, auto choices, auto& to) {
    line.option(spelled, help, [&to, choices](const Value& value) { to = value.choose(choices); });
  };

  line.section("Problem");
  // Whatever of these is given, the next ones build on it.
  line.option(
      "--size N", "cells of the lattice along all axes, or X,Y,Z (20; drop: 32; dense: 111)",
      [this](const Value& value) {
        if (value.text.find(',') == std::string::npos)
          lattice.cells.fill(value.integer(1, 100'000));
        else
          lattice.cells = frame::three(value, 100'000, "one number from 1 to 100000, or three");
        start = scenario("melt", lattice);
      });
  const auto with_edge = [this](double edge) {
    lattice.edge = edge;
    start = scenario("melt", lattice);
  };
  const auto above_0 = [](double x) { return x > 0; };
  line.option("--lattice A", "edge of a cell of the lattice, which has 4 particles (as --density)",
              [=](const Value& value) { with_edge(value.real("a number above 0", above_0)); });
  line.option("--density D", "particles in a unit of volume of the lattice (0.8442)",
              [=, this](const Value& value) {
                frame::only_with(lattice.edge == 0, "--density", "runs without --lattice");
                with_edge(std::cbrt(4 / value.real("a number above 0", above_0)));
              });
  line.option("--scenario S",
              "melt (as LAMMPS starts it), sparse, dense, crystal (perfect, at rest), drop (melt)",
              [this](const Value& value) {
                start = scenario(value.text, lattice);
                scenario_named = true;
              });
  line.option(
      "--input F",
      "particles, velocities and box out of a file: extended XYZ (*.xyz) or LAMMPS' data file",
      [this](const Value& value) {
        input = value.text;
        from_file(facts_of_file(world(), input));
      });
  checkpoints.declare_restart(
      line, "go on from a checkpoint: its particles, box, potential, step in time and steps left",
      [this](const frame::StateFile& state) { from_checkpoint(state); });
  line.option("--steps N",
              "steps in time; beside --restart those that follow, or of all with --scenario or "
              "--input, whose run goes on",
              [this](const Value& value) {
                start.steps = value.integer(0, 1'000'000'000'000);
                if (!whole_run) return;
                if (start.steps < first_step)
                  throw Error("--restart " + restart + ": has " + std::to_string(first_step) +
                              " steps behind it, more than --steps " + value.text);
                start.steps -= first_step;
              });
  positive("--dt T", "a step in time", start.time_step);
  positive("--mass M", "of a particle", start.lj.mass);
  positive("--sigma S", "the distance at which the potential is 0", start.lj.sigma);
  positive("--epsilon E", "the depth of the potential", start.lj.epsilon);
  positive("--cutoff R", "particles farther apart feel nothing of each other", start.lj.cutoff);
  choice("--shift S", "raise the potential so that it is 0 at the cut-off, on or off (off)",
         on_or_off, start.lj.shifted);
  not_negative("--temperature T", "of the velocities at first", start.temperature);
  line.option("--seed N", "of random velocities and displacements (87287)",
              [this](const Value& value) {
                start.seed = static_cast<std::uint64_t>(value.integer(1, 2'000'000'000));
              });
  line.option("--walls AXES", "axes with reflecting walls, such as xz; the others are periodic",
              [this](const Value& value) {
                for (const char axis : value.text) {
                  if (axis < 'x' || axis > 'z') value.refuse("some of the letters x, y, z");
                  walls[static_cast<std::size_t>(axis - 'x')] = true;
                }
              });

  line.section("Method");
  choice("--lists L", "neighbour lists, or linked cells at every step: on or off (on)", on_or_off,
         lists);
  not_negative("--skin R", "lists hold pairs that are so much farther apart than the cut-off",
               start.skin);
  line.option(
      "--rebuild-every N",
      "build lists every N steps, whatever has moved, and so perhaps miss pairs, as LAMMPS' "
      "benchmark does with 20 (when something has moved half the skin)",
      [this](const Value& value) { rebuild_every = value.integer(1, 1'000'000'000); });
  choice("--layout L", "particles in memory: aos, soa or cluster (cluster)", layouts, layout);
  choice("--cells C", "indices of cells: computed or table (computed)", indices, cells);
  choice("--shell S",
         "whose copies a rank keeps: full, or half or eighth, which send forces back (full)",
         shells, shell);
  choice("--sum S",
         "forces added in fixed point, exact: the same bits in any order, or fast (exact)", sums,
         sum);
  choice("--overlap O", "compute inner forces while halos travel: on or off (on)", on_or_off,
         overlap);
  choice("--balance B", "move cuts when ranks have not the same to do: on or off (off)", on_or_off,
         balance);
  line.option("--ranks-grid X,Y,Z", "ranks along each axis", [this](const Value& value) {
    std::ranges::copy(
        frame::three(value, 1'000'000, "three numbers of ranks from 1 to 1000000, such as 2,2,1"),
        dims.begin());
  });
  line.option("--threads N", "OpenMP threads of a rank (1)",
              [this](const Value& value) { threads = static_cast<int>(value.integer(1, 4096)); });
  const auto other_scheme = [&](const char* spelled, const char* help, Scheme& to, bool& named) {
    line.option(spelled, help, [&to, &named](const Value& value) {
      to = Scheme(value.text);
      named = true;
    });
  };
  other_scheme("--forces-scheme S", "how forces go back (as --scheme)", schemes.forces,
               forces_named);
  other_scheme("--migration-scheme S", "how particles and new lists of ghosts travel (as --scheme)",
               migration, migration_named);
}

void Settings::from_file(const FileFacts& facts) {
  const formats::ParticleHead& head = facts.head;
  start = {.name = input, .edges = head.edges};
  for (const std::string& note : facts.notes)
    start.note += (start.note.empty() ? "" : "\nmd: ") + note;
  in_file = head.particles;
  start.lj.mass = head.mass.value_or(1);
  start.lj.sigma = head.sigma.value_or(1);
  start.lj.epsilon = head.epsilon.value_or(1);
  start.lj.cutoff = head.cutoff.value_or(start.lj.cutoff);
  walls = head.open;
}

void Settings::from_checkpoint(const frame::StateFile& state) {
  left = moment_of(state);
  const Moment& moment = left;
  restart = state.file();
  whole_run = scenario_named || !input.empty();
  if (whole_run && Box(start.edges, moment.walls).edges() != moment.edges) {
    const auto edges = [](const Vector& of) {
      return base::formatted("%g x %g x %g", of[0], of[1], of[2]);
    };
    throw Error("--restart " + restart + ": its box is " + edges(moment.edges) + ", but that of " +
                start.name + " is " + edges(start.edges));
  }
  start = {.name = restart,
           .lj = moment.lj,
           .skin = moment.skin,
           .time_step = moment.time_step,
           .steps = moment.left,
           .edges = moment.edges};
  in_file = moment.particles;
  walls = moment.walls;
  first_step = moment.step;
}

Plan plan_of(const Settings& settings, int ranks) {
  const Scenario& start = settings.start;
  frame::only_with(settings.input.empty() || !settings.scenario_named, "--scenario",
                   "runs without --input");
  const bool file = (start.name == settings.input || start.name == settings.restart) &&
                    !(settings.scenario_named && settings.whole_run);
  frame::only_with(!file || settings.lattice.cells[0] == 0, "--size", "--scenario");
  frame::only_with(!file || settings.lattice.edge == 0, "--lattice, --density", "--scenario");
  frame::only_with(!file || start.temperature == 0, "--temperature",
                   "--scenario; files have velocities");
  Plan plan;
  plan.box = Box(start.edges, settings.walls);
  plan.forces.lj = start.lj;
  plan.forces.skin = start.skin;
  plan.forces.lists = settings.lists;
  plan.forces.cells = settings.cells;
  plan.forces.sum = settings.sum;
  plan.forces.threads = settings.threads;
  plan.time_step = start.time_step;
  plan.layout = settings.layout;
  plan.shell = settings.shell;
  plan.overlap = settings.overlap;
  plan.rebuild_every = settings.rebuild_every;
  frame::only_with(settings.lists || settings.rebuild_every == 0, "--rebuild-every", "--lists on");
  plan.balance = settings.balance;
  plan.schemes = settings.schemes;
  plan.migration = settings.migration;
  const auto [x, y, z] = settings.dims;
  if (x > 0 && x * y * z != ranks)
    throw Error("--ranks-grid " + std::to_string(x) + "," + std::to_string(y) + "," +
                std::to_string(z) + " needs " + std::to_string(x * y * z) + " ranks, there are " +
                std::to_string(ranks));
  check(plan, ranks);
  plan.dims =
      x > 0 ? settings.dims : choose_dims(ranks, plan.box.edges(), start.lj.cutoff + start.skin);
  return plan;
}

double bytes_needed(const Settings& settings, const Plan& plan, int ranks) {
  const bool file = !settings.input.empty() || !settings.restart.empty();
  const double in_drop = 4.0 / 3 * std::numbers::pi * std::pow(0.3, 3);
  const double particles = static_cast<double>(file ? settings.in_file : settings.start.sites()) *
                           (settings.start.radius > 0 ? in_drop : 1);
  const double cutoff = plan.forces.lj.cutoff;
  const double reach = cutoff + (plan.forces.lists ? plan.forces.skin : 0);
  Vector edges = plan.box.edges();
  for (std::size_t axis = 0; axis < 3; ++axis) edges[axis] /= plan.dims[axis];
  double cells = 1;
  for (const int along : cells_along(edges, reach)) cells *= along + 2;
  const double cell_bytes =
      2 * sizeof(int) + (plan.forces.cells == CellIndices::table ? sizeof(Cells::Around) : 0);
  // Copies at the start and of halos, positions, velocities, forces, places in cells; then lists,
  // which have room for more than they hold.
  const double around = 4.0 / 3 * std::numbers::pi * std::pow(reach, 3) / plan.box.volume();
  const double pairs = plan.forces.lists ? std::min(particles, around * particles) : 0;
  return particles / ranks * (particle_bytes + pair_bytes * pairs) + cells * cell_bytes;
}

nlohmann::ordered_json parameters(const Settings& settings, const Plan& plan) {
  const Scenario& start = settings.start;
  return {{"scenario", start.name},
          {"first_step", settings.first_step},
          {"steps", start.steps},
          {"dt", plan.time_step},
          {"edges", plan.box.edges()},
          {"walls", settings.walls},
          {"mass", plan.forces.lj.mass},
          {"sigma", plan.forces.lj.sigma},
          {"epsilon", plan.forces.lj.epsilon},
          {"cutoff", plan.forces.lj.cutoff},
          {"shifted", plan.forces.lj.shifted},
          {"skin", plan.forces.skin},
          {"lists", plan.forces.lists},
          {"rebuild_every", plan.rebuild_every},
          {"layout", name_of(layouts, plan.layout)},
          {"cells", name_of(indices, plan.forces.cells)},
          {"shell", name_of(shells, plan.shell)},
          {"sum", name_of(sums, plan.forces.sum)},
          {"overlap", plan.overlap},
          {"balance", plan.balance},
          {"ranks_grid", plan.dims},
          {"forces_scheme", plan.schemes.forces.str()},
          {"migration_scheme", plan.migration.str()}};
}

}  // namespace md
