#include "migration.hpp"

#include <halocline/environment.hpp>
#include <halocline/error.hpp>
#include <halocline/more/mpi.hpp>

#include <algorithm>
#include <cstdio>

namespace md {

using namespace halocline;

namespace {

/// The ranks around, each once, without this one.
std::vector<int> neighbours_of(int part, const Decomposition& decomposition, double reach) {
  std::vector<int> ranks;
  for (const Image& image : decomposition.around(part, reach))
    if (image.part != part && (ranks.empty() || ranks.back() != image.part))
      ranks.push_back(image.part);
  return ranks;
}

[[noreturn]] void complain(const Particle& particle, int from, int to) {
  char text[320];
  std::snprintf(
      text, sizeof text,
      "particle %lld has left the subdomain of rank %d by more than a cell: it is at "
      "(%g, %g, %g), with rank %d; a shorter time step (--dt) or a smaller --rebuild-every "
      "is needed",
      static_cast<long long>(particle.id), from, particle.position[0], particle.position[1],
      particle.position[2], to);
  throw Error(text);
}

}  // namespace

Migration::Migration(MPI_Comm comm, const Decomposition& decomposition, double reach,
                     const Scheme& scheme)
    : decomposition_(decomposition),
      me_(mpi::rank(comm)),
      neighbours_(neighbours_of(me_, decomposition, reach)),
      exchange_(comm, neighbours_, neighbours_, sizeof(Particle), 64, scheme) {}

std::size_t Migration::run(Particles& particles) {
  std::vector<int> gone;
  std::vector<std::size_t> links, counts(neighbours_.size(), 0);
  for (const int number : outside(decomposition_.region(me_), particles)) {
    const auto i = static_cast<std::size_t>(number);
    const int owner = decomposition_.owner(particles.position(i));
    // What touches a wall stays.
    if (owner == me_) continue;
    const auto link = std::ranges::lower_bound(neighbours_, owner);
    if (link == neighbours_.end() || *link != owner) complain(particles.particle(i), me_, owner);
    gone.push_back(number);
    links.push_back(static_cast<std::size_t>(link - neighbours_.begin()));
    ++counts[links.back()];
  }
  std::vector<Particle*> next;
  for (std::size_t link = 0; link < counts.size(); ++link)
    next.push_back(exchange_.outgoing<Particle>(link, counts[link]).data());
  for (std::size_t k = 0; k < gone.size(); ++k)
    *next[links[k]]++ = particles.particle(static_cast<std::size_t>(gone[k]));
  exchange_.run();
  std::vector<Particle> coming;
  for (std::size_t link = 0; link < neighbours_.size(); ++link) {
    const auto of_one = exchange_.received<Particle>(link);
    coming.insert(coming.end(), of_one.begin(), of_one.end());
  }
  particles.replace(gone, coming);
  return gone.size();
}

std::vector<Particle> distribute(MPI_Comm comm, const Decomposition& decomposition,
                                 std::span<const Particle> particles) {
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  std::vector<int> owners, counts(ranks, 0), offsets(ranks + 1, 0);
  for (const Particle& particle : particles) {
    owners.push_back(decomposition.owner(particle.position));
    ++counts[static_cast<std::size_t>(owners.back())];
  }
  for (std::size_t r = 0; r < ranks; ++r) offsets[r + 1] = offsets[r] + counts[r];
  std::vector<Particle> sorted(particles.size());
  std::vector<int> next(offsets.begin(), offsets.end() - 1);
  for (std::size_t i = 0; i < particles.size(); ++i)
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(owners[i])]++)] = particles[i];

  std::vector<int> coming(ranks), places(ranks + 1, 0);
  HALOCLINE_MPI(MPI_Alltoall, counts.data(), 1, MPI_INT, coming.data(), 1, MPI_INT, comm);
  for (std::size_t r = 0; r < ranks; ++r) places[r + 1] = places[r] + coming[r];
  std::vector<Particle> mine(static_cast<std::size_t>(places.back()));
  mpi::Datatype type;
  HALOCLINE_MPI(MPI_Type_contiguous, sizeof(Particle), MPI_BYTE, type.address());
  HALOCLINE_MPI(MPI_Type_commit, type.address());
  HALOCLINE_MPI(MPI_Alltoallv, sorted.data(), counts.data(), offsets.data(), type, mine.data(),
                coming.data(), places.data(), type, comm);
  return mine;
}

}  // namespace md
