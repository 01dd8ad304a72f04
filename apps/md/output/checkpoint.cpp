#include "checkpoint.hpp"

#include "in_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace md {

using namespace halocline;
using nlohmann::ordered_json;

namespace {

constexpr const char* array_of_particles = "particles";
constexpr std::int64_t particle_words = sizeof(Particle) / 8;

}  // namespace

ordered_json progress_of(const Moment& moment) {
  const LennardJones& lj = moment.lj;
  ordered_json all = {{"left", moment.left}, {"edges", moment.edges}, {"walls", moment.walls},
                      {"mass", lj.mass},     {"sigma", lj.sigma},     {"epsilon", lj.epsilon},
                      {"cutoff", lj.cutoff}, {"shifted", lj.shifted}, {"dt", moment.time_step},
                      {"skin", moment.skin}};
  if (!moment.log.empty()) all["log"] = moment.log;
  if (!moment.trajectory.empty()) all["trajectory"] = moment.trajectory;
  return all;
}

Moment moment_of(const frame::StateFile& state) {
  const auto text = [&](const char* name) {
    return state.head().progress.contains(name) ? state.progress<std::string>(name) : "";
  };
  return {.step = state.progress<std::int64_t>("step"),
          .left = state.progress<std::int64_t>("left"),
          .particles = state.length(array_of_particles),
          .edges = state.progress<Vector>("edges"),
          .walls = state.progress<std::array<bool, 3>>("walls"),
          .lj = {.mass = state.progress<double>("mass"),
                 .sigma = state.progress<double>("sigma"),
                 .epsilon = state.progress<double>("epsilon"),
                 .cutoff = state.progress<double>("cutoff"),
                 .shifted = state.progress<bool>("shifted")},
          .time_step = state.progress<double>("dt"),
          .skin = state.progress<double>("skin"),
          .log = text("log"),
          .trajectory = text("trajectory")};
}

InFile::InFile(MPI_Comm comm, std::span<const Particle> mine) : all_(count_of(comm, mine)) {
  if (all_ == 0) return;
  // Each rank gets the particles of an even part of all numbers that may occur.
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  std::int64_t ends[2] = {std::numeric_limits<std::int64_t>::max(),
                          std::numeric_limits<std::int64_t>::max()};
  for (const Particle& particle : mine) {
    ends[0] = std::min(ends[0], particle.id);
    ends[1] = std::min(ends[1], -particle.id);
  }
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, ends, 2, MPI_INT64_T, MPI_MIN, comm);
  const std::int64_t lowest = ends[0], highest = -ends[1],
                     part = (highest - lowest) / static_cast<std::int64_t>(ranks) + 1;
  std::vector<Particle> sorted(mine.begin(), mine.end());
  std::ranges::sort(sorted, {}, &Particle::id);
  std::vector<int> sends(ranks), receives(ranks), from(ranks), to(ranks);
  for (const Particle& particle : sorted)
    ++sends[static_cast<std::size_t>((particle.id - lowest) / part)];
  HALOCLINE_MPI(MPI_Alltoall, sends.data(), 1, MPI_INT, receives.data(), 1, MPI_INT, comm);
  std::exclusive_scan(sends.begin(), sends.end(), from.begin(), 0);
  std::exclusive_scan(receives.begin(), receives.end(), to.begin(), 0);
  mine_.resize(static_cast<std::size_t>(to.back() + receives.back()));
  mpi::Datatype type;
  HALOCLINE_MPI(MPI_Type_contiguous, static_cast<int>(particle_words), MPI_DOUBLE, type.address());
  HALOCLINE_MPI(MPI_Type_commit, type.address());
  HALOCLINE_MPI(MPI_Alltoallv, sorted.data(), sends.data(), from.data(), type, mine_.data(),
                receives.data(), to.data(), type, comm);
  std::ranges::sort(mine_, {}, &Particle::id);
  const std::int64_t count = std::ssize(mine_);
  HALOCLINE_MPI(MPI_Exscan, &count, &first_, 1, MPI_INT64_T, MPI_SUM, comm);
  if (mpi::rank(comm) == 0) first_ = 0;  // of which MPI says nothing
}

std::array<frame::Share, 1> InFile::shares() {
  return {frame::Share::of_vector(array_of_particles, all_, {first_, first_ + std::ssize(mine_)},
                                  mine_.data(), particle_words)};
}

std::vector<Particle> particles_of(MPI_Comm comm, const frame::StateFile& state, const Box& box,
                                   const LennardJones& lj) {
  const std::int64_t all = state.length(array_of_particles), ranks = mpi::size(comm),
                     me = mpi::rank(comm);
  const Range range{all * me / ranks, all * (me + 1) / ranks};
  std::vector<Particle> mine(static_cast<std::size_t>(range.size()));
  state.read(comm, std::array{frame::Share::of_vector(array_of_particles, all, range, mine.data(),
                                                      particle_words)});
  // The grids of numbers depend on box and potential.
  for (Particle& particle : mine) {
    particle.position = box.position(particle.position);
    for (double& v : particle.velocity) v = lj.velocity_grid().rounded(v);
  }
  return mine;
}

}  // namespace md
