// md's checkpoints on any ranks: the same bytes, and the same bits back. (What is wrong with
// damaged ones is the frame's concern.)

#include "common/complaint.hpp"
#include "common/job_folder.hpp"

#include <halocline/environment.hpp>
#include <halocline/more/mpi.hpp>

#include <input/particle_file.hpp>
#include <output/checkpoint.hpp>
#include <output/in_order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using namespace md;
using halocline::Error;
using halocline::world;
namespace mpi = halocline::mpi;

const Box box({3, 5.5, 4}, {false, true, false});
constexpr LennardJones potential{.mass = 2, .sigma = 0.9, .epsilon = 1.5, .cutoff = 2};

/// Particles with gaps between their numbers.
std::vector<Particle> particles(std::int64_t count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> anywhere(0, 1), fast(-3, 3);
  std::vector<Particle> all;
  std::int64_t id = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    id += 1 + static_cast<std::int64_t>(random() % 1000);
    Particle particle{.id = id};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      particle.position[axis] = anywhere(random) * box.edges()[axis];
      particle.velocity[axis] = potential.velocity_grid().rounded(fast(random));
    }
    particle.position = box.position(particle.position);
    all.push_back(particle);
  }
  return all;
}

/// Everybody has some, in no order.
std::vector<Particle> share(const std::vector<Particle>& all) {
  std::mt19937 random(11);
  std::vector<Particle> mine;
  for (const Particle& particle : all)
    if (static_cast<int>(random() % static_cast<unsigned>(mpi::size(world()))) ==
        mpi::rank(world()))
      mine.push_back(particle);
  std::ranges::reverse(mine);
  return mine;
}

const Moment moment{.step = 70,
                    .left = 30,
                    .edges = box.edges(),
                    .walls = {false, true, false},
                    .lj = potential,
                    .time_step = 0.003,
                    .skin = 0.4};

void write_checkpoint(const std::string& file, std::span<const Particle> mine) {
  InFile all(world(), mine);
  nlohmann::ordered_json progress = progress_of(moment);
  progress["step"] = moment.step;
  frame::write_state(world(), "--checkpoint", file, {"md", {}, std::move(progress)}, all.shares(),
                     false);
}

TEST(InOrder, BringsAllParticlesByNumber) {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{5}, std::int64_t{150'000}}) {
    const std::vector<Particle> all = particles(count);
    std::vector<Particle> brought;
    in_order(world(), share(all), [&](std::span<const Particle> piece) {
      EXPECT_LE(piece.size(), 65536u);
      brought.insert(brought.end(), piece.begin(), piece.end());
    });
    if (mpi::rank(world()) == 0)
      EXPECT_TRUE(brought == all) << count;
    else
      EXPECT_TRUE(brought.empty());
  }
}

TEST(InOrder, WhatRankZeroThrowsAllThrow) {
  EXPECT_EQ(complaint([] {
              in_order(world(), share(particles(100)),
                       [](std::span<const Particle>) { throw Error("no room"); });
            }),
            "no room");
}

TEST(Checkpoint, ComesBackBitForBit) {
  const JobFolder folder;
  const std::string file = folder / "checkpoint";
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{70'000}}) {
    const std::vector<Particle> all = particles(count);
    write_checkpoint(file, share(all));
    const frame::StateFile state(world(), "--restart", file, "md");
    const Moment back = moment_of(state);
    EXPECT_EQ(back.step, 70);
    EXPECT_EQ(back.left, 30);
    EXPECT_EQ(back.particles, count);
    EXPECT_EQ(back.edges, box.edges());
    EXPECT_EQ(back.walls, moment.walls);
    EXPECT_EQ(back.lj.mass, potential.mass);
    EXPECT_EQ(back.lj.sigma, potential.sigma);
    EXPECT_EQ(back.lj.epsilon, potential.epsilon);
    EXPECT_EQ(back.lj.cutoff, potential.cutoff);
    EXPECT_EQ(back.lj.shifted, potential.shifted);
    EXPECT_EQ(back.time_step, 0.003);
    EXPECT_EQ(back.skin, 0.4);
    const auto mine = particles_of(world(), state, box, potential);
    const std::int64_t ranks = mpi::size(world()), me = mpi::rank(world());
    EXPECT_TRUE(mine == std::vector(all.begin() + count * me / ranks,
                                    all.begin() + count * (me + 1) / ranks))
        << count;
  }
}

TEST(Checkpoint, IsTheSameBytesWhoeverHasTheParticles) {
  const JobFolder folder;
  const std::string one = folder / "one", other = folder / "other";
  const std::vector<Particle> all = particles(300);
  write_checkpoint(one, share(all));
  const bool last = mpi::rank(world()) == mpi::size(world()) - 1;
  write_checkpoint(other, last ? std::span<const Particle>(all) : std::span<const Particle>());
  EXPECT_TRUE(content_of(one) == content_of(other));
}

TEST(Checkpoint, IsRefusedByMdWhenItIsOfVersionOne) {
  const JobFolder folder;
  const std::string file = folder / "first";
  put(file, "halocline md\n" + std::string(200, '\0'));
  EXPECT_EQ(complaint([&] { frame::StateFile(world(), "--restart", file, "md"); }),
            "--restart " + file + ": it is of version 1, this md reads version 2");
}

TEST(ParticleFile, GivesEachParticleToOneRank) {
  const JobFolder folder;
  const std::string file = folder / "particles.data";
  constexpr std::int64_t count = 40'000;  // more lines than travel at a time
  std::string text = "title\n\n" + std::to_string(count) +
                     " atoms\n1 atom types\n0 3 xlo xhi\n-1 4.5 ylo yhi\n0 4 zlo zhi\n\nAtoms\n\n";
  const std::vector<Particle> all = particles(count);
  for (const Particle& particle : all) {
    char line[128];
    std::snprintf(line, sizeof line, "%lld 1 %.17g %.17g %.17g\n",
                  static_cast<long long>(particle.id), particle.position[0],
                  particle.position[1] - 1, particle.position[2]);
    text += line;
  }
  put(file, text);
  EXPECT_EQ(facts_of_file(world(), file).head.particles, count);
  const auto mine = particles_of_file(world(), file, box, potential);
  EXPECT_EQ(count_of(world(), mine), count);
  std::size_t i = 0;
  for (const Particle& particle : mine) {
    EXPECT_EQ(particle.id % mpi::size(world()), mpi::rank(world()));
    while (all[i].id < particle.id) ++i;
    EXPECT_EQ(all[i].id, particle.id);
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(particle.position[axis], all[i].position[axis], 1e-14);
  }
}

}  // namespace
