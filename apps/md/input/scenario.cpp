#include "scenario.hpp"

#include "../physics/integrator.hpp"

#include <halocline/more/mpi.hpp>
#include <numerics/point_checksum.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace md {

using namespace halocline;

namespace {

/// Jenkins' one-at-a-time hash, with bytes taken as signed numbers.
class Hash {
 public:
  template <class T>
  void add(const T& value) {
    for (const char byte : std::bit_cast<std::array<char, sizeof(T)>>(value)) {
      state_ += static_cast<std::uint32_t>(static_cast<signed char>(byte));
      state_ += state_ << 10;
      state_ ^= state_ >> 6;
    }
  }
  std::uint32_t value() const {
    std::uint32_t end = state_;
    end += end << 3;
    end ^= end >> 11;
    return end + (end << 15);
  }

 private:
  std::uint32_t state_ = 0;
};

/// Three numbers from -1/2 to 1/2 that depend on seed and place alone, as LAMMPS' `velocity create
/// ... loop geom` takes them: from the minimal standard generator (Park and Miller, CACM 31, 1988),
/// started from a hash of both.
Vector random_at(std::uint64_t seed, const Vector& place) {
  Hash hash;
  hash.add(static_cast<std::int32_t>(seed));
  for (const double x : place) hash.add(x);
  const std::uint32_t start = hash.value() & 0x7ffffff;
  std::minstd_rand0 generator(start == 0 ? 1 : start);
  generator.discard(5);
  Vector numbers;
  for (double& number : numbers)
    number = static_cast<double>(generator()) / std::minstd_rand0::modulus - 0.5;
  return numbers;
}

/// From -1 to 1, by a particle's number.
double random_of(std::uint64_t seed, std::int64_t id, int axis) {
  const std::uint64_t bits =
      numerics::mix(numerics::mix(seed) + static_cast<std::uint64_t>(3 * id + axis));
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

ParticleSums sums_of(MPI_Comm comm, const std::vector<Particle>& mine, const LennardJones& lj) {
  Particles particles(Layout::aos);
  particles.assign(mine);
  ParticleSums sums(particles, lj);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, sums.integers().data(),
                static_cast<int>(sums.integers().size()), MPI_INT64_T, MPI_SUM, comm);
  return sums;
}

void rest(MPI_Comm comm, std::vector<Particle>& mine, const LennardJones& lj) {
  const ParticleSums sums = sums_of(comm, mine, lj);
  const Vector momentum = sums.momentum(lj);
  const double mass = lj.mass * static_cast<double>(sums.particles());
  for (Particle& particle : mine)
    for (std::size_t axis = 0; axis < 3; ++axis)
      particle.velocity[axis] =
          lj.velocity_grid().rounded(particle.velocity[axis] - momentum[axis] / mass);
}

void warm(MPI_Comm comm, std::vector<Particle>& mine, const LennardJones& lj, double temperature) {
  const ParticleSums sums = sums_of(comm, mine, lj);
  const double now = 2 * sums.kinetic(lj) / (3 * static_cast<double>(sums.particles()) - 3);
  const double factor = std::sqrt(temperature / now);
  for (Particle& particle : mine)
    for (double& v : particle.velocity) v = lj.velocity_grid().rounded(factor * v);
}

Scenario of_study(const std::string& name) {
  Scenario all{.name = name, .skin = 0.5, .time_step = 5e-4};
  all.lj = {.sigma = 1.15, .epsilon = 2, .cutoff = 3.5};
  return all;
}

}  // namespace

Scenario scenario(const std::string& name, const Lattice& lattice) {
  if (name == "sparse" && lattice.cells[0] > 0)
    throw Error("--scenario sparse has a lattice of its own: without --size");
  if ((name == "sparse" || name == "dense") && lattice.edge > 0)
    throw Error("--scenario " + name +
                " has a spacing of its own: without --lattice and --density");
  if (name == "sparse") {
    Scenario sparse = of_study(name);
    sparse.steps = 1000;
    sparse.edges = {16 * 3.5, 32 * 3.5, 32 * 3.5};
    sparse.cells = {10, 25, 32};
    sparse.spacing = 3;
    sparse.note =
        "a lattice of 10 x 20 x 40 particles with spacing 3 is 120 long and the box 112; here are "
        "10 x 25 x 32";
    return sparse;
  }
  if (name == "dense") {
    Scenario dense = of_study(name);
    dense.steps = 50;
    dense.spacing = 112.0 / 111;
    dense.cells = lattice.cells;
    if (dense.cells[0] == 0) dense.cells.fill(111);
    for (std::size_t axis = 0; axis < 3; ++axis)
      dense.edges[axis] = dense.spacing * static_cast<double>(dense.cells[axis]);
    dense.displaced = 0.02;
    dense.note =
        "111^3 particles fit 32^3 cells of 3.5 with spacing 112/111, not 3; displaced by up to "
        "0.02 at random, for on the perfect lattice nothing would move";
    return dense;
  }
  Scenario all{.name = name,
               .cells = lattice.cells,
               .spacing = lattice.edge > 0 ? lattice.edge : std::cbrt(4 / 0.8442),
               .face_centred = true};
  if (name == "melt")
    all.temperature = 1.44;
  else if (name == "drop")
    all.temperature = 0.7;
  else if (name != "crystal")
    throw Error("--scenario " + name + ": must be one of melt, sparse, dense, crystal, drop");
  if (all.cells[0] == 0) all.cells.fill(name == "drop" ? 32 : 20);
  for (std::size_t axis = 0; axis < 3; ++axis)
    all.edges[axis] = all.spacing * static_cast<double>(all.cells[axis]);
  if (name == "drop") all.radius = 0.3 * std::ranges::min(all.edges);
  return all;
}

std::vector<Particle> particles_of(MPI_Comm comm, const Scenario& scenario, const Box& box) {
  constexpr double sites[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  const std::int64_t in_cell = scenario.face_centred ? 4 : 1, ranks = mpi::size(comm),
                     me = mpi::rank(comm), all = scenario.sites();
  const LennardJones& lj = scenario.lj;
  std::vector<Particle> mine;
  for (std::int64_t i = all * me / ranks; i < all * (me + 1) / ranks; ++i) {
    const std::int64_t cell = i / in_cell;
    const auto& site = sites[i % in_cell];
    const std::int64_t at[3] = {cell / (scenario.cells[1] * scenario.cells[2]),
                                cell / scenario.cells[2] % scenario.cells[1],
                                cell % scenario.cells[2]};
    Vector place;
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      place[axis] = scenario.spacing * (static_cast<double>(at[axis]) + site[axis]);
      const double away = place[axis] - 0.35 * scenario.edges[axis];
      squared += away * away;
    }
    if (scenario.radius > 0 && squared > scenario.radius * scenario.radius) continue;
    Particle particle{.id = i + 1};
    if (scenario.temperature > 0) {
      particle.velocity = random_at(scenario.seed, place);
      for (double& v : particle.velocity) v = lj.velocity_grid().rounded(v);
    }
    if (scenario.displaced > 0)
      for (int axis = 0; axis < 3; ++axis)
        place[static_cast<std::size_t>(axis)] +=
            scenario.displaced * random_of(scenario.seed, i, axis);
    particle.position = box.position(place);
    mine.push_back(particle);
  }
  if (scenario.temperature > 0) {
    rest(comm, mine, lj);
    warm(comm, mine, lj, scenario.temperature);
  }
  return mine;
}

}  // namespace md
