#include "dynamics.hpp"

#include "domain/balance.hpp"

#include <machine/lap.hpp>
#include <machine/stopwatch.hpp>

#include <cmath>
#include <ctime>
#include <optional>
#include <utility>

namespace md {

using namespace halocline;
using machine::Stopwatch;

namespace {

/// After so many steps, at the next rebuild, ranks compare their work; cuts move if the slowest is
/// so much above the mean.
constexpr std::int64_t balance_every = 40;
constexpr double balanced_enough = 1.03;

/// Seconds that this process has computed: waits for a core do not count, as with the wall's clock.
double computed() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

ForceSettings force_settings(const Plan& plan) {
  ForceSettings settings = plan.forces;
  settings.back = plan.shell != Shell::full;
  settings.strict = plan.rebuild_every > 0;
  return settings;
}

std::int64_t sum(MPI_Comm comm, std::int64_t mine) {
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, comm);
  return mine;
}

}  // namespace

double Totals::temperature() const noexcept {
  return particles > 1 ? 2 * kinetic / (3 * static_cast<double>(particles) - 3) : 0;
}

double Totals::pressure(const Box& box) const noexcept {
  return (2 * kinetic + virial) / (3 * box.volume());
}

Dynamics::Dynamics(MPI_Comm comm, const Plan& plan, std::span<const Particle> share)
    : comm_(comm),
      plan_(plan),
      decomposition_(plan.box, plan.dims),
      particles_(plan.layout),
      integrator_(plan.box, force_settings(plan), plan.time_step),
      freshness_(comm, plan.forces.skin) {
  all_ = sum(comm, static_cast<std::int64_t>(share.size()));
  particles_.assign(distribute(comm, decomposition_, share));
  settle_down();
  rebuild();
  compute(true, true);
}

/// Everything that depends on where the cuts are.
void Dynamics::settle_down() {
  Region mine = decomposition_.region(mpi::rank(comm_));
  // What touches a wall is inside.
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (plan_.box.walls(static_cast<int>(axis)) && mine.high[axis] == plan_.box.edges()[axis])
      mine.high[axis] += plan_.box.quantum();
  forces_.emplace(force_settings(plan_), mine.low, mine.high);
  halo_.emplace(comm_, decomposition_, plan_.shell, forces_->reach(), plan_.schemes);
  migration_.emplace(comm_, decomposition_, forces_->reach(), plan_.migration);
}

void Dynamics::step(bool sums) {
  ++steps_;
  double moved;
  {
    const Stopwatch watch(account_.motion);
    integrator_.kick(particles_);
    moved = std::sqrt(integrator_.drift(particles_));
  }
  const double step = std::max(0.0, moved - moved_);
  const bool counted = plan_.rebuild_every > 0, lists = plan_.forces.lists && !counted;
  const bool anew = counted ? steps_ % plan_.rebuild_every == 0 : old_ || !lists;
  moved_ = anew ? 0 : moved;
  if (lists) freshness_.start(moved_, step);
  if (anew) rebuild();
  compute(anew, sums);
  if (lists) {
    Freshness::Lists state;
    {
      const Stopwatch watch(account_.reduce);
      state = freshness_.finish();
    }
    if (state == Freshness::Lists::stale) {
      ++account_.repeated;
      rebuild();
      compute(true, sums);
      moved_ = 0;
    }
    old_ = state == Freshness::Lists::old;
  }
  const Stopwatch watch(account_.motion);
  integrator_.kick(particles_);
}

void Dynamics::balance() {
  if (steps_ - looked_ < balance_every) return;
  looked_ = steps_;
  const double work = std::exchange(work_, 0), uneven = imbalance(comm_, work);
  account_.imbalance.push_back(uneven);
  if (!plan_.balance || uneven < balanced_enough) return;
  decomposition_ = balanced(comm_, decomposition_, particles_, work, plan_.shell == Shell::eighth,
                            forces_->reach() / 4);
  particles_.assign(distribute(comm_, decomposition_, particles()));
  settle_down();
}

void Dynamics::rebuild() {
  ++account_.rebuilds;
  const auto lists = [&](auto&& part) {
    const Stopwatch watch(account_.lists);
    const double before = computed();
    part();
    work_ += computed() - before;
  };
  {
    const Stopwatch watch(account_.lists);
    integrator_.wrap(particles_);
  }
  {
    const Stopwatch watch(account_.regroup);
    balance();
    account_.migrated += static_cast<std::int64_t>(migration_->run(particles_));
  }
  lists([&] { forces_->sort(particles_); });
  {
    const Stopwatch watch(account_.regroup);
    halo_->choose(particles_, plan_.forces.sum == Sum::exact, plan_.forces.lists);
  }
  account_.ghosts = static_cast<std::int64_t>(particles_.ghosts());
  lists([&] { forces_->build(particles_); });
  const Stopwatch watch(account_.lists);
  integrator_.remember(particles_);
}

void Dynamics::compute(bool rebuilt, bool sums) {
  const bool open = plan_.overlap && steps_ % open_every == 0;
  // Where ghosts are chosen anew, or their exchange is laid open, it takes longer.
  std::optional<machine::Lap> lap;
  if (!rebuilt && !open) lap.emplace(halo_->section());
  double exchange = 0;
  const auto finish = [&] {
    const Stopwatch watch(exchange);
    halo_->finish(particles_);
  };
  if (!rebuilt) {
    const Stopwatch watch(exchange);
    halo_->start();
  }
  if (!rebuilt && (open || !plan_.overlap)) finish();
  const double before = computed();
  {
    const Stopwatch watch(account_.forces);
    forces_->inner(particles_, sums);
  }
  const double between = computed();
  if (!rebuilt && !open && plan_.overlap) finish();
  const double after = computed();
  {
    const Stopwatch watch(account_.forces);
    forces_->outer(particles_, sums);
  }
  work_ += computed() - after + between - before;
  if (!rebuilt) {
    (open ? account_.open : account_.hidden) += exchange;
    ++(open ? account_.opened : account_.overlapped);
  }
  if (plan_.shell != Shell::full) {
    const Stopwatch watch(exchange);
    halo_->send_back();
  }
  account_.halo += exchange;
}

Totals Dynamics::totals() {
  PairSums pairs = forces_->sums();
  ParticleSums single(particles_, plan_.forces.lj);
  std::array<std::int64_t, 17> all;
  const auto middle = std::ranges::copy(pairs.integers(), all.begin()).out;
  std::ranges::copy(single.integers(), middle);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_INT64_T,
                MPI_SUM, comm_);
  std::copy_n(all.begin(), pairs.integers().size(), pairs.integers().begin());
  std::copy_n(all.begin() + pairs.integers().size(), single.integers().size(),
              single.integers().begin());
  const LennardJones& lj = plan_.forces.lj;
  if (single.particles() != all_)
    throw Error("there were " + std::to_string(all_) + " particles, now there are " +
                std::to_string(single.particles()));
  return {single.particles(), pairs.potential(lj), single.kinetic(lj), pairs.virial(lj),
          single.momentum(lj)};
}

std::vector<Particle> Dynamics::particles() const {
  std::vector<Particle> mine;
  mine.reserve(particles_.owned());
  for (std::size_t i = 0; i < particles_.owned(); ++i) {
    mine.push_back(particles_.particle(i));
    mine.back().position = plan_.box.position(mine.back().position);
  }
  return mine;
}

}  // namespace md
