#include "particle_file.hpp"

#include "formats.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace md {

using namespace halocline;

namespace {

std::unique_ptr<ParticleFormat> open(const std::string& file) {
  return file.ends_with(".xyz") || file.ends_with(".extxyz") ? xyz_format(file)
                                                             : lammps_format(file);
}

/// Everything that lines say about a particle, on the rank of its number. Rank 0 reads, some lines
/// at a time.
std::vector<Said> deal(MPI_Comm comm, const std::string& file) {
  constexpr std::size_t lines_at_a_time = 32768;
  struct Load {
    int bytes, more;
  };
  const bool root = mpi::rank(comm) == 0;
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  std::unique_ptr<ParticleFormat> in;
  std::vector<Said> mine, said, dealt;
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
      const auto home = [&](const Said& what) { return static_cast<std::size_t>(what.id) % ranks; };
      for (const Said& what : said)
        if (what.id < 0)
          throw Error("--input " + file + ":" + std::to_string(what.line) + ": number " +
                      std::to_string(what.id) + " of a particle is negative");
      std::ranges::fill(loads, Load{0, more ? 1 : 0});
      for (const Said& what : said) loads[home(what)].bytes += static_cast<int>(sizeof(Said));
      for (std::size_t r = 0; r < ranks; ++r) {
        bytes[r] = loads[r].bytes;
        offsets[r] = r > 0 ? offsets[r - 1] + bytes[r - 1] : 0;
      }
      std::vector<std::size_t> at(ranks);
      for (std::size_t r = 0; r < ranks; ++r)
        at[r] = static_cast<std::size_t>(offsets[r]) / sizeof(Said);
      dealt.resize(said.size());
      for (const Said& what : said) dealt[at[home(what)]++] = what;
    });
    HALOCLINE_MPI(MPI_Scatter, loads.data(), sizeof(Load), MPI_BYTE, &load, sizeof(Load), MPI_BYTE,
                  0, comm);
    const std::size_t before = mine.size();
    mine.resize(before + static_cast<std::size_t>(load.bytes) / sizeof(Said));
    HALOCLINE_MPI(MPI_Scatterv, dealt.data(), bytes.data(), offsets.data(), MPI_BYTE,
                  mine.data() + before, load.bytes, MPI_BYTE, 0, comm);
  }
  return mine;
}

}  // namespace

FileHead read_head(MPI_Comm comm, const std::string& file) {
  FileHead head;
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) head = open(file)->head();
  });
  static_assert(std::is_trivially_copyable_v<FileHead>);
  HALOCLINE_MPI(MPI_Bcast, &head, sizeof head, MPI_BYTE, 0, comm);
  return head;
}

std::vector<Particle> particles_of_file(MPI_Comm comm, const std::string& file, const Box& box,
                                        const LennardJones& lj) {
  const FileHead head = read_head(comm, file);
  std::vector<Said> said = deal(comm, file);
  std::ranges::sort(said, [](const Said& a, const Said& b) {
    return std::tie(a.id, a.velocity, a.line) < std::tie(b.id, b.velocity, b.line);
  });
  std::vector<Particle> mine;
  mpi::together(comm, [&] {
    for (std::size_t i = 0; i < said.size(); ++i) {
      const auto& [line, id, values, velocity] = said[i];
      const auto fail = [&, at = line, number = id](const std::string& what) {
        throw Error("--input " + file + ":" + std::to_string(at) + ": particle " +
                    std::to_string(number) + " " + what);
      };
      if (i > 0 && said[i - 1].id == id && said[i - 1].velocity == velocity)
        fail(std::string(velocity ? "has a velocity" : "is") + " in line " +
             std::to_string(said[i - 1].line) + " already");
      if (!velocity) {
        Vector place;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          place[axis] = values[axis] - head.origin[axis];
          // Both ends are: along a periodic axis they are the same place.
          if (!(place[axis] >= 0 && place[axis] <= head.edges[axis]))
            fail(std::string("is outside of the box along ") + "xyz"[axis]);
        }
        mine.push_back({id, box.position(place), {}});
        continue;
      }
      if (mine.empty() || mine.back().id != id) fail("has a velocity, but is not among the atoms");
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!(std::fabs(values[axis]) < lj.velocity_grid().limit()))
          fail("is too fast: velocities are below " + std::to_string(lj.velocity_grid().limit()));
        mine.back().velocity[axis] = lj.velocity_grid().rounded(values[axis]);
      }
    }
  });
  return mine;
}

}  // namespace md
