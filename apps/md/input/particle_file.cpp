#include "particle_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace md {

using namespace halocline;
using formats::open_particles;
using formats::ParticleFact;
using formats::ParticleHead;
using formats::ParticleReader;

namespace {

std::unique_ptr<ParticleReader> open(const std::string& file) {
  return open_particles(file, "--input " + file);
}

ParticleHead from_rank_0(MPI_Comm comm, ParticleHead head) {
  static_assert(std::is_trivially_copyable_v<ParticleHead>);
  HALOCLINE_MPI(MPI_Bcast, &head, sizeof head, MPI_BYTE, 0, comm);
  return head;
}

/// Everything that lines say about a particle, on the rank of its number. Rank 0 reads, some lines
/// at a time.
struct Dealt {
  ParticleHead head;
  std::vector<ParticleFact> facts;
};
Dealt deal(MPI_Comm comm, const std::string& file) {
  constexpr std::size_t lines_at_a_time = 32768;
  struct Load {
    int bytes, more;
  };
  const bool root = mpi::rank(comm) == 0;
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  std::unique_ptr<ParticleReader> in;
  std::vector<ParticleFact> mine, said, dealt;
  std::vector<Load> loads(root ? ranks : 0);
  std::vector<int> bytes(loads.size()), offsets(loads.size());
  Load load{0, 1};
  while (load.more) {
    mpi::together(comm, [&] {
      if (!root) return;
      if (!in) in = open(file);
      said.clear();
      bool more = true;
      while (more && said.size() < lines_at_a_time) more = in->next(said);
      const auto home = [&](const ParticleFact& what) {
        return static_cast<std::size_t>(what.id) % ranks;
      };
      std::ranges::fill(loads, Load{0, more ? 1 : 0});
      for (const ParticleFact& what : said)
        loads[home(what)].bytes += static_cast<int>(sizeof(ParticleFact));
      for (std::size_t r = 0; r < ranks; ++r) {
        bytes[r] = loads[r].bytes;
        offsets[r] = r > 0 ? offsets[r - 1] + bytes[r - 1] : 0;
      }
      std::vector<std::size_t> at(ranks);
      for (std::size_t r = 0; r < ranks; ++r)
        at[r] = static_cast<std::size_t>(offsets[r]) / sizeof(ParticleFact);
      dealt.resize(said.size());
      for (const ParticleFact& what : said) dealt[at[home(what)]++] = what;
    });
    HALOCLINE_MPI(MPI_Scatter, loads.data(), sizeof(Load), MPI_BYTE, &load, sizeof(Load), MPI_BYTE,
                  0, comm);
    const std::size_t before = mine.size();
    mine.resize(before + static_cast<std::size_t>(load.bytes) / sizeof(ParticleFact));
    HALOCLINE_MPI(MPI_Scatterv, dealt.data(), bytes.data(), offsets.data(), MPI_BYTE,
                  mine.data() + before, load.bytes, MPI_BYTE, 0, comm);
  }
  return {from_rank_0(comm, root ? in->head() : ParticleHead{}), std::move(mine)};
}

/// A coordinate from the box's beginning, moved into the box; nothing if it is too far away for its
/// digits to say where in the box it is.
std::optional<double> wrapped(double place, double edge) {
  constexpr double boxes = 1e6;
  if (std::fabs(place) > boxes * edge) return std::nullopt;
  return place < 0 || place >= edge ? std::fmod(place, edge) : place;
}

}  // namespace

FileFacts facts_of_file(MPI_Comm comm, const std::string& file) {
  FileFacts facts;
  mpi::together(comm, [&] {
    if (mpi::rank(comm) != 0) return;
    const std::unique_ptr<ParticleReader> in = open(file);
    bool momenta = false;
    for (std::vector<ParticleFact> some; in->next(some); some.clear())
      momenta = momenta || some.back().kind == ParticleFact::Kind::momentum;
    facts = {in->head(), in->notes()};
    if (momenta && !facts.head.mass)
      facts.notes.push_back("--input " + file +
                            ": velocities are its momenta over --mass, 1 unless that is given");
  });
  facts.head = from_rank_0(comm, facts.head);
  return facts;
}

std::vector<Particle> particles_of_file(MPI_Comm comm, const std::string& file, const Box& box,
                                        const LennardJones& lj) {
  using Kind = ParticleFact::Kind;
  Dealt dealt = deal(comm, file);
  const ParticleHead& head = dealt.head;
  // By name: Clang 14 takes no binding into a lambda.
  std::vector<ParticleFact>& said = dealt.facts;
  std::ranges::sort(said, [](const ParticleFact& a, const ParticleFact& b) {
    return std::tie(a.id, a.kind, a.line) < std::tie(b.id, b.kind, b.line);
  });
  std::vector<Particle> mine;
  mpi::together(comm, [&] {
    for (std::size_t i = 0; i < said.size(); ++i) {
      const auto& [line, id, values, kind] = said[i];
      const auto fail = [&, at = line, number = id](const std::string& what) {
        throw Error("--input " + file + ":" + std::to_string(at) + ": particle " +
                    std::to_string(number) + " " + what);
      };
      if (i > 0 && said[i - 1].id == id && said[i - 1].kind == kind)
        fail(std::string(kind == Kind::position ? "is" : "has a velocity") + " in line " +
             std::to_string(said[i - 1].line) + " already");
      if (kind == Kind::position) {
        Vector place;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const std::string along = std::string(" along ") + "xyz"[axis];
          place[axis] = values[axis] - head.origin[axis];
          if (box.walls(static_cast<int>(axis))) {
            if (!(place[axis] >= 0 && place[axis] <= head.edges[axis]))
              fail("is outside of the box" + along + ", which is not periodic");
          } else if (const auto inside = wrapped(place[axis], head.edges[axis])) {
            place[axis] = *inside;
          } else {
            fail("is more than a million boxes outside of the box" + along);
          }
        }
        mine.push_back({id, box.position(place), {}});
        continue;
      }
      if (mine.empty() || mine.back().id != id) fail("has a velocity, but is not among the atoms");
      const double mass = kind == Kind::momentum ? lj.mass : 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double velocity = values[axis] / mass;
        if (!(std::fabs(velocity) < lj.velocity_grid().limit()))
          fail("is too fast: velocities are below " + std::to_string(lj.velocity_grid().limit()));
        mine.back().velocity[axis] = lj.velocity_grid().rounded(velocity);
      }
    }
  });
  return mine;
}

}  // namespace md
