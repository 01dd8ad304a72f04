// The loop on any number of ranks: the same bits through every shell, layout, lists, cut and
// scheme.

#include "dynamics.hpp"
#include "domain/balance.hpp"

#include "common/complaint.hpp"
#include "common/tested_schemes.hpp"

#include <numerics/point_checksum.hpp>

#include <halocline/cut.hpp>
#include <halocline/more/mpi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

using namespace md;
using namespace halocline;

/// A little of the usual melt, shaken: 4 cells^3 face-centred cubic.
struct Melt {
  explicit Melt(std::array<int, 3> cells = {5, 5, 5}, std::array<bool, 3> walls = {}) {
    const double edge = std::cbrt(4 / 0.8442);
    box = md::Box({cells[0] * edge, cells[1] * edge, cells[2] * edge}, walls);
    const LennardJones lj;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> shake(-0.08, 0.08), speed(-3, 3);
    constexpr double sites[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    for (int x = 0; x < cells[0]; ++x)
      for (int y = 0; y < cells[1]; ++y)
        for (int z = 0; z < cells[2]; ++z)
          for (const auto& site : sites) {
            Particle particle;
            particle.id = static_cast<std::int64_t>(particles.size()) + 1;
            const double base[3] = {x + site[0], y + site[1], z + site[2]};
            Vector place;
            for (std::size_t axis = 0; axis < 3; ++axis) {
              place[axis] = (base[axis] + 0.25) * edge + shake(random);
              particle.velocity[axis] = lj.velocity_grid().rounded(speed(random));
            }
            particle.position = box.position(place);
            particles.push_back(particle);
          }
  }
  /// What one of several ranks brings along: they are dealt like cards.
  std::vector<Particle> share(MPI_Comm comm) const {
    std::vector<Particle> mine;
    const auto ranks = static_cast<std::size_t>(mpi::size(comm));
    for (auto i = static_cast<std::size_t>(mpi::rank(comm)); i < particles.size(); i += ranks)
      mine.push_back(particles[i]);
    return mine;
  }

  md::Box box;
  std::vector<Particle> particles;
};

Plan plan_for(const Melt& melt, MPI_Comm comm) {
  Plan plan;
  plan.box = melt.box;
  plan.dims = choose_dims(mpi::size(comm), melt.box.edges(), 2.8);
  return plan;
}

/// All positions and velocities in one number, and the totals beside it.
struct End {
  std::uint64_t sum = 0;
  Totals totals;
  std::int64_t rebuilds = 0;
};

End run(MPI_Comm comm, const Melt& melt, const Plan& plan, int steps) {
  Dynamics dynamics(comm, plan, melt.share(comm));
  for (int i = 1; i <= steps; ++i) dynamics.step(i == steps);
  End end;
  end.totals = dynamics.totals();
  end.rebuilds = dynamics.account().rebuilds;
  for (const Particle& particle : dynamics.particles())
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto place = static_cast<std::int64_t>(axis);
      end.sum += numerics::point_checksum(6 * particle.id + place, particle.position[axis]);
      end.sum += numerics::point_checksum(6 * particle.id + 3 + place, particle.velocity[axis]);
    }
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &end.sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return end;
}

/// What a rank alone comes to.
End alone(const Melt& melt, int steps) {
  Plan plan = plan_for(melt, MPI_COMM_SELF);
  plan.layout = Layout::aos;
  return run(MPI_COMM_SELF, melt, plan, steps);
}

constexpr int steps = 12;

bool crowd() {
  return mpi::size(world()) > 4;
}

std::string words(const Plan& plan) {
  return "shell " + std::to_string(static_cast<int>(plan.shell)) + ", layout " +
         std::to_string(static_cast<int>(plan.layout)) + ", lists " +
         std::to_string(plan.forces.lists) + ", overlap " + std::to_string(plan.overlap);
}

void expect_same(const End& end, const End& reference, const Plan& plan) {
  EXPECT_EQ(end.sum, reference.sum) << words(plan);
  EXPECT_EQ(end.totals.potential, reference.totals.potential) << words(plan);
  EXPECT_EQ(end.totals.virial, reference.totals.virial) << words(plan);
  EXPECT_EQ(end.totals.kinetic, reference.totals.kinetic) << words(plan);
  EXPECT_EQ(end.totals.momentum, reference.totals.momentum) << words(plan);
}

/// The same in every shell, layout and listing.
std::vector<Plan> every_way(Plan plan) {
  std::vector<Plan> plans;
  for (const Shell shell : {Shell::full, Shell::half, Shell::eighth})
    for (const Layout layout : {Layout::aos, Layout::soa, Layout::cluster})
      for (const bool lists : {true, false}) {
        plan.shell = shell, plan.layout = layout, plan.forces.lists = lists;
        plans.push_back(plan);
      }
  return plans;
}

TEST(Dynamics, SameBitsInEveryShellLayoutAndListing) {
  const Melt melt;
  const int steps = crowd() ? 4 : 12;
  const End reference = alone(melt, steps);
  Plan plan = plan_for(melt, world());
  plan.forces.skin = 0.1;
  for (Plan& way : every_way(plan)) {
    way.overlap = way.layout != Layout::soa;
    expect_same(run(world(), melt, way, steps), reference, way);
  }
}

TEST(Dynamics, SubdomainsThinnerThanTheCutoff) {
  const Melt melt;
  const End reference = alone(melt, steps);
  Plan plan = plan_for(melt, world());
  plan.dims = {mpi::size(world()), 1, 1};
  for (const Shell shell : {Shell::full, Shell::half, Shell::eighth}) {
    plan.shell = shell;
    expect_same(run(world(), melt, plan, steps), reference, plan);
  }
}

TEST(Dynamics, Walls) {
  const Melt melt({5, 4, 6}, {true, false, true});
  const End reference = alone(melt, steps);
  Plan plan = plan_for(melt, world());
  for (const Shell shell : {Shell::full, Shell::half, Shell::eighth}) {
    plan.shell = shell;
    expect_same(run(world(), melt, plan, steps), reference, plan);
  }
}

TEST(Dynamics, FloatingPointIsEqualToRounding) {
  const Melt melt;
  Dynamics exact(MPI_COMM_SELF, plan_for(melt, MPI_COMM_SELF), melt.particles);
  for (int i = 1; i <= 20; ++i) exact.step(i == 20);
  const Totals reference = exact.totals();
  std::vector<Particle> there = exact.particles();
  std::ranges::sort(there, {}, &Particle::id);
  const auto expect_near = [](const Vector& a, const Vector& b) {
    for (std::size_t axis = 0; axis < 3; ++axis) ASSERT_NEAR(a[axis], b[axis], 1e-10);
  };

  for (Plan& plan : every_way(plan_for(melt, world()))) {
    // Many ranks on few cores are slow.
    if (crowd() && plan.layout != Layout::cluster) continue;
    SCOPED_TRACE(words(plan));
    plan.forces.sum = Sum::fast;
    Dynamics fast(world(), plan, melt.share(world()));
    for (int i = 1; i <= 20; ++i) fast.step(i == 20);
    const Totals totals = fast.totals();
    EXPECT_NEAR(totals.potential / reference.potential, 1, 1e-10);
    EXPECT_NEAR(totals.kinetic / reference.kinetic, 1, 1e-10);
    EXPECT_NEAR(totals.virial / reference.virial, 1, 1e-10);
    for (const Particle& particle : fast.particles()) {
      const Particle& same = there[static_cast<std::size_t>(particle.id - 1)];
      expect_near(particle.position, same.position);
      expect_near(particle.velocity, same.velocity);
    }
  }
}

TEST(Dynamics, ListsAreBuiltWhenSomethingHasMovedHalfTheSkin) {
  const Melt melt;
  Plan plan = plan_for(melt, world());
  plan.forces.skin = 0.6;
  const End thick = run(world(), melt, plan, 30);
  plan.forces.skin = 0.15;
  const End thin = run(world(), melt, plan, 30);
  plan.forces.lists = false;
  const End without = run(world(), melt, plan, 30);
  EXPECT_GT(thick.rebuilds, 1);
  EXPECT_LT(2 * thick.rebuilds, thin.rebuilds);
  EXPECT_LT(thin.rebuilds, without.rebuilds);
  EXPECT_EQ(without.rebuilds, 31);
  EXPECT_EQ(thick.sum, thin.sum);
  EXPECT_EQ(thick.sum, without.sum);
}

/// The particles of a ball near a corner of a larger box, with vacuum around it.
Melt drop() {
  Melt drop({9, 9, 9});
  const Vector& edges = drop.box.edges();
  std::erase_if(drop.particles, [&](const Particle& particle) {
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      squared += std::pow(particle.position[axis] / edges[axis] - 0.35, 2);
    return squared > 0.25 * 0.25;
  });
  return drop;
}

TEST(Dynamics, TimeReversalReturnsToTheFirstBits) {
  const Melt melt;
  const Plan plan = plan_for(melt, world());
  const auto turned = [](std::vector<Particle> particles) {
    for (Particle& particle : particles)
      for (double& v : particle.velocity) v = -v;
    return particles;
  };
  Dynamics forth(world(), plan, melt.share(world()));
  for (int i = 0; i < 100; ++i) forth.step(false);
  Dynamics back(world(), plan, turned(forth.particles()));
  for (int i = 0; i < 100; ++i) back.step(false);
  for (const Particle& particle : turned(back.particles())) {
    const Particle& first = melt.particles[static_cast<std::size_t>(particle.id - 1)];
    EXPECT_EQ(particle.position, first.position) << "particle " << particle.id;
    EXPECT_EQ(particle.velocity, first.velocity) << "particle " << particle.id;
  }
}

TEST(Dynamics, AnyScheme) {
  const Melt melt;
  const End reference = alone(melt, 5);
  Plan plan = plan_for(melt, world());
  plan.shell = Shell::half;
  plan.forces.skin = 0.08;
  int turn = 0;
  for (const std::string& scheme : tested_schemes()) {
    // Many ranks on few cores are slow: each number of them takes some of the schemes.
    if (crowd() && turn++ % 4 != mpi::size(world()) % 4) continue;
    SCOPED_TRACE(scheme);
    plan.schemes = {scheme, scheme, scheme};
    plan.migration = scheme;
    const End end = run(world(), melt, plan, 5);
    expect_same(end, reference, plan);
    EXPECT_GT(end.rebuilds, 1);
    EXPECT_LT(end.rebuilds, 6);
  }
}

/// Shell, layout, listing and scheme in every combination, and with each any of what else changes
/// no bit. All of them take minutes: HALOCLINE_SOAK=SEED has all, else there are some at random.
TEST(Dynamics, AnyCombination) {
  const Melt melt;
  const int ranks = mpi::size(world()), steps = 4;
  const End reference = alone(melt, steps);
  const std::vector<std::string> schemes = tested_schemes();
  Plan plain = plan_for(melt, world());
  plain.forces.skin = 0.08;
  std::vector<Plan> plans;
  for (const std::string& scheme : schemes)
    for (Plan& plan : every_way(plain)) {
      plan.schemes = {scheme, scheme, scheme};
      plan.migration = scheme;
      plans.push_back(plan);
    }

  const char* const soak = std::getenv("HALOCLINE_SOAK");
  std::mt19937 random(static_cast<unsigned>(soak ? std::atoi(soak) : 10 * ranks));
  const auto below = [&](std::size_t end) { return random() % end; };
  if (!soak) {
    std::ranges::shuffle(plans, random);
    plans.resize(crowd() ? 4 : 16);
  }
  for (Plan& plan : plans) {
    plan.forces.cells = below(2) ? CellIndices::computed : CellIndices::table;
    plan.forces.threads = crowd() ? 1 : static_cast<int>(1 + below(3));
    plan.overlap = below(2);
    plan.balance = below(2);
    for (Scheme* const other : {&plan.schemes.forces, &plan.migration})
      if (below(2)) *other = schemes[below(schemes.size())];
    if (below(3) == 0) plan.dims = {1, 1, 1}, plan.dims[below(3)] = ranks;
    SCOPED_TRACE(plan.schemes.positions.str() + ", back " + plan.schemes.forces.str() +
                 ", migration " + plan.migration.str() + ", threads " +
                 std::to_string(plan.forces.threads));
    expect_same(run(world(), melt, plan, steps), reference, plan);
    if (HasFailure()) return;
  }
  RecordProperty("combinations", static_cast<int>(plans.size()));
  if (soak && mpi::rank(world()) == 0) std::printf("%zu combinations\n", plans.size());
}

TEST(Dynamics, CutsThatMoveChangeNoBit) {
  const Melt ball = drop();
  const End reference = alone(ball, 90);
  Plan plan = plan_for(ball, world());
  plan.balance = true;
  for (const Shell shell : {Shell::full, Shell::half, Shell::eighth}) {
    if (crowd() && static_cast<int>(shell) != mpi::size(world()) % 3) continue;
    plan.shell = shell;
    expect_same(run(world(), ball, plan, 90), reference, plan);
  }
}

TEST(Balance, EveryRankGetsItsShareOfADrop) {
  const md::Box box({10, 10, 10});
  std::mt19937 random(5);
  std::uniform_real_distribution<double> anywhere_in(0, 10);
  std::vector<Particle> drop;
  while (drop.size() < 20000) {
    const Vector place{anywhere_in(random), anywhere_in(random), anywhere_in(random)};
    double squared = 0;
    for (const double x : place) squared += (x - 3.5) * (x - 3.5);
    if (squared < 9)
      drop.push_back(
          {.id = static_cast<std::int64_t>(drop.size()), .position = box.position(place)});
  }
  const int ranks = mpi::size(world());
  for (const bool straight : {false, true}) {
    md::Decomposition cuts(box, choose_dims(ranks, box.edges(), 2.8));
    Particles mine(Layout::soa);
    const auto share_out = [&](std::span<const Particle> from) {
      mine.assign(distribute(world(), cuts, from));
      return imbalance(world(), static_cast<double>(mine.owned()));
    };
    const auto all =
        mpi::rank(world()) == 0 ? std::span<const Particle>(drop) : std::span<const Particle>();
    share_out(all);
    cuts = balanced(world(), cuts, mine, static_cast<double>(mine.owned()), straight, 0.1);
    if (straight) {
      EXPECT_TRUE(cuts.straight());
    }
    const double uneven = share_out(all);
    if (!straight) {
      EXPECT_LT(uneven, 1.1);
    }
    auto sum = static_cast<std::int64_t>(mine.owned());
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, world());
    EXPECT_EQ(sum, 20000);
  }
}

TEST(Migration, WhoJumpsTooFarIsNamed) {
  const int ranks = mpi::size(world());
  if (ranks < 4) GTEST_SKIP() << "needs four ranks";  // all are neighbours
  const Melt melt;
  // In slabs along x; all neighbours of rank 0 are ranks 1 and the last one.
  const md::Decomposition cuts(melt.box, {ranks, 1, 1});
  Migration migration(world(), cuts, 0.01, Scheme("p2p:nonblocking"));
  const Region far = cuts.region(2);
  Particle lost;
  lost.id = 4711, lost.position = far.low;
  Particles particles(Layout::soa);
  particles.assign(std::vector{lost});
  if (mpi::rank(world()) == 0) {
    const std::string said = complaint([&] { migration.run(particles); });
    EXPECT_NE(said.find("particle 4711 has left the subdomain of rank 0 by more than a cell"),
              said.npos)
        << said;
  }
}

}  // namespace
