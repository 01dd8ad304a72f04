// Forces, energies and virial of all kernels against a plain sum over all pairs.

#include "physics/forces.hpp"
#include "physics/integrator.hpp"
#include "physics/near.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace {

using namespace md;

/// Particles at random places of a periodic box, none too close to another.
struct Crowd {
  Box box{{9.1, 8.3, 10.7}};
  LennardJones lj{.mass = 1.5, .sigma = 1.1, .epsilon = 0.8, .cutoff = 2.6, .shifted = true};
  std::vector<Particle> particles{};

  explicit Crowd(unsigned seed, std::size_t count = 400) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> anywhere_in(0, 1);
    while (particles.size() < count) {
      Particle one;
      one.id = static_cast<std::int64_t>(particles.size()) + 100;
      for (std::size_t axis = 0; axis < 3; ++axis)
        one.position[axis] = anywhere_in(random) * box.edges()[axis];
      one.position = box.position(one.position);
      bool room = true;
      for (const Particle& other : particles)
        room &= squared(separation(one.position, other.position)) > 0.7 * 0.7 * 1.21;
      if (room) particles.push_back(one);
    }
  }

  /// From b to a, by the shortest way.
  Vector separation(const Vector& a, const Vector& b) const {
    Vector d;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      d[axis] = a[axis] - b[axis];
      d[axis] -= std::round(d[axis] / box.edges()[axis]) * box.edges()[axis];
    }
    return d;
  }
  static double squared(const Vector& d) { return d[0] * d[0] + d[1] * d[1] + d[2] * d[2]; }
};

struct Sums {
  std::vector<std::array<long double, 3>> forces{};  ///< by number
  long double potential = 0, virial = 0;
};

/// As in the textbook, in long double.
Sums all_pairs(const Crowd& crowd) {
  const LennardJones& lj = crowd.lj;
  Sums sums;
  sums.forces.resize(crowd.particles.size());
  const auto u = [&](long double squared) {
    const long double s6 = std::pow(static_cast<long double>(lj.sigma) * lj.sigma / squared, 3);
    return 4 * static_cast<long double>(lj.epsilon) * (s6 * s6 - s6);
  };
  const long double cutoff_squared = static_cast<long double>(lj.cutoff) * lj.cutoff;
  for (std::size_t i = 0; i < crowd.particles.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Vector d = crowd.separation(crowd.particles[i].position, crowd.particles[j].position);
      long double squared = 0;
      for (const double x : d) squared += static_cast<long double>(x) * x;
      if (squared >= cutoff_squared) continue;
      const long double s6 = std::pow(static_cast<long double>(lj.sigma) * lj.sigma / squared, 3);
      const long double force = 24 * lj.epsilon / squared * (2 * s6 * s6 - s6);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        sums.forces[i][axis] += force * d[axis];
        sums.forces[j][axis] -= force * d[axis];
      }
      sums.potential += u(squared) - (lj.shifted ? u(cutoff_squared) : 0);
      sums.virial += force * squared;
    }
  return sums;
}

/// One rank with all particles, and their images as ghosts: all of them (full shell), or, as in the
/// other shells, those on one side only, whose forces go back.
struct Alone {
  Alone(const Crowd& crowd, const ForceSettings& settings, Layout layout,
        Zone (*zone)(int, int, int))
      : box(crowd.box), forces(settings, {0, 0, 0}, crowd.box.edges()), particles(layout) {
    particles.assign(crowd.particles);
    forces.sort(particles);
    const double reach = forces.reach();
    std::vector<Zone> zones;
    std::vector<Vector> places;
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z) {
          if ((x == 0 && y == 0 && z == 0) || zone(x, y, z) == nobody) continue;
          for (std::size_t i = 0; i < particles.owned(); ++i) {
            Vector place = particles.position(i);
            bool near = true;
            for (std::size_t axis = 0; axis < 3; ++axis) {
              const int side = axis == 0 ? x : axis == 1 ? y : z;
              const double edge = box.edges()[axis];
              place[axis] += side * edge;
              near &= place[axis] >= -reach && place[axis] <= edge + reach;
            }
            if (!near) continue;
            origins.push_back(i);
            places.push_back(place);
            zones.push_back(zone(x, y, z));
          }
        }
    particles.set_ghosts(origins.size());
    for (std::size_t ghost = 0; ghost < origins.size(); ++ghost) {
      particles.zone(ghost) = zones[ghost];
      for (std::size_t axis = 0; axis < 3; ++axis)
        particles.position(particles.owned() + ghost, axis) = places[ghost][axis];
    }
    forces.build(particles);
    forces.inner(particles, true);
    forces.outer(particles, true);
    if (settings.back)
      for (std::size_t ghost = 0; ghost < origins.size(); ++ghost)
        for (std::size_t axis = 0; axis < 3; ++axis) {
          ForceWord& to = particles.forces()[particles.words()(origins[ghost], axis)];
          const ForceWord from =
              particles.forces()[particles.words()(particles.owned() + ghost, axis)];
          if (settings.sum == Sum::exact)
            to.count += from.count;
          else
            to.force += from.force;
        }
  }

  static constexpr Zone nobody = 255;
  static Zone full(int, int, int) { return anywhere; }
  static Zone half(int x, int y, int z) {
    return z > 0 || (z == 0 && (y > 0 || (y == 0 && x > 0))) ? anywhere : nobody;
  }
  static Zone eighth(int x, int y, int z) {
    return x >= 0 && y >= 0 && z >= 0 ? static_cast<Zone>(x + 2 * y + 4 * z) : nobody;
  }

  Box box;
  Forces forces;
  Particles particles;
  std::vector<std::size_t> origins{};
};

TEST(Forces, AgreeWithAllPairsInEveryCombination) {
  for (const unsigned seed : {1u, 2u}) {
    const Crowd crowd(seed);
    const Sums reference = all_pairs(crowd);
    long double largest = 0;
    for (const auto& force : reference.forces)
      for (const long double f : force) largest = std::max(largest, std::abs(f));
    const double scale = static_cast<double>(largest);
    std::vector<Vector> first(crowd.particles.size());
    double first_potential = 0, first_virial = 0;
    bool is_first = true;

    constexpr std::array<Zone (*)(int, int, int), 3> shells{Alone::full, Alone::half,
                                                            Alone::eighth};
    for (const Sum sum : {Sum::exact, Sum::fast})
      for (std::size_t shell = 0; shell < 3; ++shell)
        for (const Layout layout : {Layout::aos, Layout::soa, Layout::cluster})
          for (const bool lists : {true, false})
            for (const CellIndices cells : {CellIndices::computed, CellIndices::table})
              for (const int threads : {1, 3}) {
                SCOPED_TRACE("sum " + std::to_string(static_cast<int>(sum)) + ", shell " +
                             std::to_string(shell) + ", layout " +
                             std::to_string(static_cast<int>(layout)) + ", lists " +
                             std::to_string(lists) + ", table " +
                             std::to_string(static_cast<int>(cells)) + ", threads " +
                             std::to_string(threads));
                ForceSettings settings;
                settings.lj = crowd.lj;
                settings.skin = 0.2;
                settings.lists = lists;
                settings.cells = cells;
                settings.sum = sum;
                settings.back = shell > 0;
                settings.threads = threads;
                const Alone alone(crowd, settings, layout, shells[shell]);
                for (std::size_t i = 0; i < alone.particles.owned(); ++i) {
                  const auto number = static_cast<std::size_t>(alone.particles.ids()[i]) - 100;
                  const Vector force = alone.forces.force(alone.particles, i);
                  for (std::size_t axis = 0; axis < 3; ++axis)
                    ASSERT_NEAR(force[axis], static_cast<double>(reference.forces[number][axis]),
                                1e-13 * scale);
                  if (is_first) first[number] = force;
                  if (sum == Sum::exact) {
                    ASSERT_EQ(force, first[number]);
                  }
                }
                const double potential = alone.forces.sums().potential(crowd.lj);
                const double virial = alone.forces.sums().virial(crowd.lj);
                ASSERT_NEAR(potential / static_cast<double>(reference.potential), 1, 1e-13);
                ASSERT_NEAR(virial / static_cast<double>(reference.virial), 1, 1e-13);
                if (is_first) first_potential = potential, first_virial = virial;
                if (sum == Sum::exact) {
                  ASSERT_EQ(potential, first_potential);
                  ASSERT_EQ(virial, first_virial);
                }
                is_first = false;
              }
  }
}

TEST(Forces, ExactOnesOfAllParticlesAddUpToNothing) {
  const Crowd crowd(3);
  ForceSettings settings;
  settings.lj = crowd.lj;
  const Alone alone(crowd, settings, Layout::aos, Alone::full);
  std::array<std::int64_t, 3> sum{};
  for (std::size_t i = 0; i < alone.particles.owned(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      sum[axis] += alone.particles.forces()[alone.particles.words()(i, axis)].count;
  EXPECT_EQ(sum, (std::array<std::int64_t, 3>{}));
}

TEST(Forces, OverlappingParticlesAreNamed) {
  for (const bool lists : {true, false}) {
    Crowd crowd(4, 100);
    crowd.particles[7].position = crowd.particles[80].position;
    ForceSettings settings;
    settings.lj = crowd.lj;
    settings.lists = lists;
    std::string complaint;
    try {
      const Alone alone(crowd, settings, Layout::aos, Alone::full);
    } catch (const std::runtime_error& problem) {
      complaint = problem.what();
    }
    EXPECT_NE(complaint.find("particle 107"), complaint.npos) << complaint;
    EXPECT_NE(complaint.find("particle 180"), complaint.npos) << complaint;
    EXPECT_NE(complaint.find("overlap"), complaint.npos) << complaint;
  }
}

TEST(Candidates, WhoIsWithinReachIsNearAndHardlyAnybodyElse) {
  constexpr double reach = 2.8;
  const CoarseGrid grid(reach);
  std::mt19937 random(3);
  for (const double from : {0.0, -1234.5, 1e7})
    for (std::size_t count = 1; count < 200; count += 3) {
      // All around, or close to the surface of the sphere that decides.
      const bool around = count % 2 == 0;
      std::uniform_real_distribution<double> part(-1, 1);
      std::vector<Vector> points{{from, from, from}};
      while (points.size() < count) {
        Vector d{part(random), part(random), part(random)};
        const double scale = around ? 5 : (1 + 1e-3 * part(random)) / std::sqrt(Crowd::squared(d));
        for (double& x : d) x = from + x * scale * reach;
        points.push_back(d);
      }
      std::vector<Coarse> at[3];
      std::vector<int> notes;
      for (const Vector& point : points) {
        for (std::size_t axis = 0; axis < 3; ++axis) at[axis].push_back(grid(point[axis]));
        notes.push_back(static_cast<int>(1000 + notes.size()));
      }
      for (auto& coordinates : at) coordinates.resize(count + Candidates::together);
      notes.resize(count + Candidates::together);
      Candidates candidates;
      candidates.add({at[0].data(), at[1].data(), at[2].data(), notes.data()}, 0, count);

      std::vector<int> found(count + Candidates::together);
      found.resize(candidates.near(at[0][0], at[1][0], at[2][0], 0, found.data()));
      std::size_t next = 0;
      for (std::size_t i = 1; i < count; ++i) {
        Vector d;
        for (std::size_t axis = 0; axis < 3; ++axis) d[axis] = points[i][axis] - from;
        const double distance = std::sqrt(Crowd::squared(d));
        const bool is_found = next < found.size() && found[next] == notes[i];
        next += is_found;
        if (distance <= reach) {
          EXPECT_TRUE(is_found) << distance;
        } else if (distance > 1.003 * reach) {
          EXPECT_FALSE(is_found) << distance;
        }
      }
      EXPECT_EQ(next, found.size());
    }
}

TEST(FixedPoint, CountsBecomeDoublesAsAConversionMakesThem) {
  std::mt19937_64 random(1);
  for (int shift = 0; shift < 64; ++shift)
    for (int k = 0; k < 100; ++k) {
      const auto number = static_cast<std::int64_t>(random()) >> shift;
      for (const std::int64_t count : {number, -(number + 1), (number >> 12) * 4096 + 2048})
        EXPECT_EQ(nearest_double(count), static_cast<double>(count)) << count;
    }
  EXPECT_EQ(nearest_double(std::numeric_limits<std::int64_t>::min()), -0x1p63);
}

TEST(Integrator, WhatIsNoNumberIsNamed) {
  Crowd crowd(5, 20);
  crowd.particles[3].velocity[1] = std::nan("");
  ForceSettings settings;
  settings.lj = crowd.lj;
  Particles particles(Layout::soa);
  particles.assign(crowd.particles);
  Integrator integrator(crowd.box, settings, 0.01);
  integrator.remember(particles);
  std::string complaint;
  try {
    integrator.drift(particles);
  } catch (const std::runtime_error& problem) {
    complaint = problem.what();
  }
  EXPECT_NE(complaint.find("particle 103"), complaint.npos) << complaint;
}

}  // namespace
