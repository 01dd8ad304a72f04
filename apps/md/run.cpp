#include "run.hpp"

#include "output/picture.hpp"

#include <base/text.hpp>
#include <base/whole_file.hpp>
#include <frame/checksum.hpp>
#include <frame/image.hpp>
#include <frame/in_laps.hpp>
#include <machine/lap.hpp>
#include <machine/memory.hpp>
#include <machine/stopwatch.hpp>
#include <numerics/point_checksum.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace md {

using namespace halocline;

namespace {

/// Bits of positions and velocities; the sum over all particles says nothing about their order.
std::uint64_t checksum_of(const std::vector<Particle>& particles) {
  std::uint64_t sum = 0;
  for (const Particle& particle : particles)
    for (int axis = 0; axis < 3; ++axis) {
      const auto component = static_cast<std::size_t>(axis);
      sum += numerics::point_checksum(6 * particle.id + axis, particle.position[component]);
      sum += numerics::point_checksum(6 * particle.id + 3 + axis, particle.velocity[component]);
    }
  return sum;
}

/// In millions.
double rate(std::int64_t particles, std::int64_t steps, double seconds) {
  return seconds > 0 ? 1e-6 * static_cast<double>(particles * steps) / seconds : 0;
}

}  // namespace

std::string Run::usage() const {
  return "Usage: md --scenario melt|sparse|dense|crystal|drop [options]\n"
         "       md FILE.toml [options]\n\n"
         "Molecular dynamics of particles with the Lennard-Jones potential. Keys of the file are "
         "the "
         "names of\noptions (steps = 100); options go before it.\n\n"
         "Example: mpiexec -n 2 md --scenario melt --steps 1000 --scheme auto\n";
}

void Run::declare(frame::CommandLine& line) {
  line.take_settings_file();
  settings_.declare(line, checkpoints_);
  line.section(frame::results);
  line.option("--log-every N", "steps from line to line of --log (100)",
              [this](const frame::Value& value) {
                settings_.log_every = value.integer(1, 1'000'000'000'000);
              });
  declare_files(line);
  line.output(
      "--image F.png", "a picture of the particles at last, seen along z",
      [this](const std::string& file) {
        write_picture(world(), file, plan_.box, plan_.forces.lj.sigma / 2, dynamics_->particles());
      },
      frame::check_image);
  line.output(
      "--log F.csv", "temperature, energies a particle, pressure and momentum against time",
      [this](const std::string&) { write_log(); },
      [this](const std::string& file) {
        written_.log = file;
        if (settings_.log_every == 0) settings_.log_every = 100;
      });
}

/// Those that grow with the run, and so are not written when all is done.
void Run::declare_files(frame::CommandLine& line) {
  line.option("--trajectory F",
              "positions and velocities: extended XYZ (*.xyz), GSD (*.gsd) or H5MD (*.h5, *.h5md)",
              [this](const frame::Value& value) {
                check_trajectory(value.text);
                written_.trajectory = value.text;
              });
  line.option("--trajectory-every N", "steps from frame to frame of --trajectory (100)",
              [this](const frame::Value& value) {
                written_.trajectory_every = value.integer(1, 1'000'000'000'000);
              });
  line.option("--checkpoint-every N", "as --every Nsteps", [this](const frame::Value& value) {
    checkpoints_.every(value.integer(1, 1'000'000'000'000));
  });
}

std::vector<base::Planned> Run::files() const {
  std::vector<base::Planned> files;
  if (const std::string& file = written_.trajectory; !file.empty())
    files.push_back({"--trajectory", file, writing_of_trajectory(file)});
  return files;
}

void Run::settle(const frame::Options& options) {
  settings_.schemes.positions = options.scheme;
  if (!settings_.forces_named) settings_.schemes.forces = options.scheme;
  if (!settings_.migration_named) settings_.migration = options.scheme;
  settings_.schemes.choice = settings_.migration;
  // There the runs of all schemes take turns.
  const char* const alone = "runs without --in-turn";
  frame::only_with(options.in_turn.empty() || written_.trajectory.empty(), "--trajectory", alone);
  checkpoints_.settle(options, {});  // a state brings its own
  // What an earlier part has logged is in the state; else it is in a file of which that knows
  // nothing.
  if (!written_.log.empty() && !settings_.restart.empty() && settings_.left.log.empty())
    mpi::together(world(), [&] {
      if (mpi::rank(world()) != 0) return;
      const base::Destination to({"--log", written_.log});
      if (to.exists && !to.stream)
        throw Error("--log " + written_.log + ": is there, and the state " + settings_.restart +
                    " has no log that goes on; name another file for what follows");
    });
  plan_ = plan_of(settings_, options.ranks);
  if (options.progress) progress_ = frame::progress_line(name, "step", "");
}

void Run::set_up() {
  machine::check_memory(world(), bytes_needed(settings_, plan_, mpi::size(world())), name);
  start_ = start(world());
}

std::vector<Particle> Run::start(MPI_Comm comm) const {
  const LennardJones& lj = plan_.forces.lj;
  if (const frame::StateFile* const state = checkpoints_.restart())
    return particles_of(comm, *state, plan_.box, lj);
  if (!settings_.input.empty()) return particles_of_file(comm, settings_.input, plan_.box, lj);
  return particles_of(comm, settings_.start, plan_.box);
}

/// The file with the frames before a state that the run goes on from: that which was being written,
/// if its writer has been killed, else the whole one. On rank 0; empty: there is none.
std::string Run::earlier_frames() const {
  if (settings_.restart.empty() || mpi::rank(world()) != 0) return {};
  const base::Destination to({"--trajectory", written_.trajectory});
  const std::string& left = settings_.left.trajectory;
  std::error_code unknown;
  if (left.starts_with(to.place.string() + ".") && std::filesystem::exists(left, unknown))
    return left;
  return to.exists && !to.stream ? to.place.string() : "";
}

void Run::add_frame(std::int64_t step) {
  const std::int64_t now = settings_.first_step + step;
  if (!trajectory_ || now % written_.trajectory_every != 0 || now <= trajectory_->last()) return;
  trajectory_->add(now, static_cast<double>(now) * plan_.time_step, dynamics_->particles());
}

/// Collective: what is kept leads on to whole files.
Moment Run::moment(std::int64_t step) const {
  return {.left = settings_.start.steps - step,
          .edges = plan_.box.edges(),
          .walls = settings_.walls,
          .lj = plan_.forces.lj,
          .time_step = plan_.time_step,
          .skin = plan_.forces.skin,
          .log = written_.log.empty() ? "" : log_,
          .trajectory = trajectory_ ? trajectory_->keep() : ""};
}

/// After a step; false: it is to be the last.
bool Run::save(std::int64_t step) {
  const std::int64_t now = settings_.first_step + step;
  const bool last = step == settings_.start.steps;
  if (!checkpoints_.wanted() || (!last && !checkpoints_.due(now))) return true;
  InFile particles(world(), dynamics_->particles());
  if (!last) return checkpoints_.save(now, progress_of(moment(step)), particles.shares());
  checkpoints_.finish(now, progress_of(moment(step)), particles.shares());
  return true;
}

void Run::write_log() const {
  mpi::together(world(), [&] {
    if (mpi::rank(world()) == 0) base::write_whole("--log", written_.log, log_);
  });
}

frame::Repetition Run::solve() {
  dynamics_.reset();
  dynamics_ = std::make_unique<Dynamics>(world(), plan_, start_);
  const std::int64_t every = settings_.log_every, first = settings_.first_step;
  log_ = settings_.left.log;
  const bool goes_on = !log_.empty();
  if (!goes_on)
    log_ =
        "step,time,temperature,potential_energy,kinetic_energy,total_energy,pressure,"
        "momentum_x,momentum_y,momentum_z\n";
  // A log that goes on has the line of the state's step.
  if (every > 0 && first % every == 0 && !goes_on) note_totals(0);
  if (!written_.trajectory.empty())
    trajectory_ =
        open_trajectory(world(), written_.trajectory, plan_.box,
                        {earlier_frames(), first, written_.trajectory_every, settings_.in_file});
  add_frame(0);
  checkpoints_.begin(world(), settings_.first_step);
  if (settings_.start.steps == 0) save(0);
  frame::Repetition mine;
  const Account before_steps = dynamics_->account();  // the first lists and forces are set-up
  HALOCLINE_MPI(MPI_Barrier, world());
  const auto begin = machine::Clock::now();
  for (std::int64_t k = 1; k <= settings_.start.steps; ++k) {
    const auto before = machine::Clock::now();
    const bool logged = every > 0 && (first + k) % every == 0;
    dynamics_->step(logged || k == settings_.start.steps);
    if (logged) note_totals(k);
    add_frame(k);
    const bool is_last = !save(k);
    mine.steps.push_back(machine::seconds_since(before));
    if (progress_) progress_(k, std::nullopt);
    if (!is_last) continue;
    // What has been seen so far stays.
    if (!written_.log.empty()) write_log();
    break;
  }
  mine.seconds = seconds_ = machine::seconds_since(begin);
  if (trajectory_) finish_trajectory();
  const Account& account = dynamics_->account();
  const auto since = [&](double Account::*part) { return account.*part - before_steps.*part; };
  mine.phases.compute = since(&Account::forces) + since(&Account::motion) + since(&Account::lists);
  mine.phases.transfer = since(&Account::regroup);
  mine.phases.wait = since(&Account::halo);
  mine.phases.reduce = since(&Account::reduce);
  return mine;
}

void Run::finish_trajectory() {
  const std::string earlier = earlier_frames();
  trajectory_->finish();
  // What a part that was killed has left is in the whole file now.
  if (earlier == settings_.left.trajectory && !earlier.empty()) std::remove(earlier.c_str());
}

void Run::note_totals(std::int64_t step) {
  const Totals now = dynamics_->totals();
  step += settings_.first_step;
  const auto count = static_cast<double>(std::max<std::int64_t>(1, now.particles));
  base::append(log_, "%lld,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
               static_cast<long long>(step), static_cast<double>(step) * plan_.time_step,
               now.temperature(), now.potential / count, now.kinetic / count, now.total() / count,
               now.pressure(plan_.box), now.momentum[0], now.momentum[1], now.momentum[2]);
}

Run::Summary Run::summarise() {
  const Account& account = dynamics_->account();
  const auto mean = [](double seconds, std::int64_t times) {
    return times > 0 ? 1e6 * seconds / static_cast<double>(times) : 0;
  };
  double most[] = {seconds_, mean(account.hidden, account.overlapped),
                   mean(account.open, account.opened)};
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, world());
  Summary summary{dynamics_->totals(), most[0],          most[1],          most[2],
                  account.ghosts,      account.migrated, account.imbalance};
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &summary.ghosts, 1, MPI_INT64_T, MPI_MAX, world());
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &summary.migrated, 1, MPI_INT64_T, MPI_SUM, world());
  return summary;
}

std::string Run::text() {
  summary_ = summarise();
  const Totals& end = summary_.end;
  const auto each = [&](double all) {
    return all / static_cast<double>(std::max<std::int64_t>(1, end.particles));
  };
  const Account& account = dynamics_->account();
  std::string text;
  base::append(text, "Particles:              %lld on %d x %d x %d ranks, with up to %lld ghosts\n",
               static_cast<long long>(end.particles), plan_.dims[0], plan_.dims[1], plan_.dims[2],
               static_cast<long long>(summary_.ghosts));
  if (plan_.forces.lists)
    base::append(text, "Lists:                  built %lld times (%lld too late and again)\n",
                 static_cast<long long>(account.rebuilds),
                 static_cast<long long>(account.repeated));
  base::append(text, "Migrated:               %lld\n", static_cast<long long>(summary_.migrated));
  if (summary_.open > 0)
    base::append(text, "Exchange of a step:     %.1f us, felt %.1f us (%.0f %% hidden)\n",
                 summary_.open, summary_.felt,
                 100 * std::max(0.0, 1 - summary_.felt / summary_.open));
  if (!summary_.imbalance.empty())
    base::append(text, "Slowest rank:           %.3f of the mean at first, %.3f at last\n",
                 summary_.imbalance.front(), summary_.imbalance.back());
  base::append(text, "Steps:                  %lld\n",
               static_cast<long long>(settings_.start.steps));
  base::append(text, "Temperature:            %.7f\n", end.temperature());
  base::append(text, "Potential energy:       %.7f a particle\n", each(end.potential));
  base::append(text, "Kinetic energy:         %.7f a particle\n", each(end.kinetic));
  base::append(text, "Total energy:           %.7f a particle\n", each(end.total()));
  base::append(text, "Pressure:               %.8f\n", end.pressure(plan_.box));
  base::append(text, "Million particle steps: %.4f a second\n",
               rate(end.particles, settings_.start.steps, summary_.seconds));
  return text;
}

void Run::describe(frame::Record& record) {
  const Totals& end = summary_.end;
  const auto each = [&](double all) {
    return all / static_cast<double>(std::max<std::int64_t>(1, end.particles));
  };
  const Account& account = dynamics_->account();
  record.scheme = dynamics_->halo().scheme();
  record.running = frame::in_laps(machine::findings(dynamics_->halo().section()));
  record.parameters = parameters(settings_, plan_);
  record.outcome = {
      {"iterations", settings_.start.steps},
      {"particles", end.particles},
      {"temperature", end.temperature()},
      {"potential_energy", each(end.potential)},
      {"kinetic_energy", each(end.kinetic)},
      {"total_energy", each(end.total())},
      {"pressure", end.pressure(plan_.box)},
      {"momentum", end.momentum},
      {"million_particle_steps_s", rate(end.particles, settings_.start.steps, summary_.seconds)},
      {"rebuilds", account.rebuilds},
      {"repeated", account.repeated},
      {"migrated", summary_.migrated},
      {"ghosts_most", summary_.ghosts},
      {"inner_share", dynamics_->inner_share()},
      {"exchange_us", summary_.open},
      {"exchange_felt_us", summary_.felt},
      {"imbalance", summary_.imbalance}};
  const std::string sum = frame::checksum(world(), checksum_of(dynamics_->particles()));
  // In floating point bits depend on who adds what first.
  if (plan_.forces.sum == Sum::exact) record.outcome["checksum"] = sum;
}

}  // namespace md
