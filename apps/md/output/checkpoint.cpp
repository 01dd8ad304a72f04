#include "checkpoint.hpp"

#include "in_order.hpp"

#include <base/whole_file.hpp>
#include <numerics/point_checksum.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

namespace md {

using namespace halocline;

namespace {

/// What a file begins with: 8 bytes each, in the byte order of the machine. Particles follow, then
/// the checksum.
struct CheckpointHeader {
  std::array<char, 16> magic{'h', 'a', 'l', 'o', 'c', 'l', 'i', 'n', 'e', ' ', 'm', 'd', '\n'};
  std::int64_t version = 1;
  std::int64_t step, left, particles;
  Vector edges;
  std::array<std::int64_t, 3> walls;
  double mass, sigma, epsilon, cutoff;
  std::int64_t shifted;
  double time_step, skin;
};
static_assert(sizeof(CheckpointHeader) == 16 + 17 * 8);

CheckpointHeader header_of(const Moment& moment) {
  CheckpointHeader header{.step = moment.step,
                          .left = moment.left,
                          .particles = moment.particles,
                          .edges = moment.edges,
                          .walls = {},
                          .mass = moment.lj.mass,
                          .sigma = moment.lj.sigma,
                          .epsilon = moment.lj.epsilon,
                          .cutoff = moment.lj.cutoff,
                          .shifted = moment.lj.shifted,
                          .time_step = moment.time_step,
                          .skin = moment.skin};
  std::ranges::copy(moment.walls, header.walls.begin());
  return header;
}

Moment moment_of(const CheckpointHeader& header) {
  Moment moment{.step = header.step,
                .left = header.left,
                .particles = header.particles,
                .edges = header.edges,
                .walls = {},
                .lj = {.mass = header.mass,
                       .sigma = header.sigma,
                       .epsilon = header.epsilon,
                       .cutoff = header.cutoff,
                       .shifted = header.shifted != 0},
                .time_step = header.time_step,
                .skin = header.skin};
  for (std::size_t axis = 0; axis < 3; ++axis) moment.walls[axis] = header.walls[axis] != 0;
  return moment;
}

/// The bytes of something, and of words of 8 bytes their checksum with their places in the file.
template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

class Checksum {
 public:
  void add(std::string_view bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      double word;
      std::memcpy(&word, bytes.data() + at, 8);
      sum_ += numerics::point_checksum(words_++, word);
    }
  }
  std::uint64_t value() const noexcept { return sum_; }

 private:
  std::uint64_t sum_ = 0;
  std::int64_t words_ = 0;
};

/// The file on rank 0.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file), in_(file, std::ios::binary) {
    if (!in_.is_open()) fail(std::strerror(errno));
    get(&header_, sizeof header_, "it is no checkpoint of md");
    const CheckpointHeader right{};
    if (header_.magic != right.magic) fail("it is no checkpoint of md");
    if (header_.version != right.version)
      fail("it is of version " + std::to_string(header_.version) + ", this md reads version " +
           std::to_string(right.version));
    in_.seekg(0, std::ios::end);
    const auto length = static_cast<std::int64_t>(in_.tellg());
    const auto other = static_cast<std::int64_t>(sizeof header_ + sizeof(std::uint64_t));
    constexpr auto each = static_cast<std::int64_t>(sizeof(Particle));
    if (header_.particles < 0 || (length - other) % each != 0 ||
        (length - other) / each != header_.particles)
      fail("it has " + std::to_string(length) + " bytes, which are not those of its " +
           std::to_string(header_.particles) + " particles: it is incomplete or damaged");
    in_.seekg(sizeof header_);
    sum_.add(bytes_of(std::span<const CheckpointHeader>(&header_, 1)));
  }

  const CheckpointHeader& header() const noexcept { return header_; }

  void next(std::span<Particle> particles) {
    get(particles.data(), particles.size_bytes(), "it ends too early");
    sum_.add(bytes_of(std::span<const Particle>(particles)));
  }

  /// When all particles have been read.
  void check() {
    std::uint64_t sum;
    get(&sum, sizeof sum, "it ends too early");
    if (sum != sum_.value()) fail("its checksum is not that of its content: it has been damaged");
  }

 private:
  void get(void* to, std::size_t bytes, const char* otherwise) {
    if (bytes > 0 && !in_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
      fail(otherwise);
  }
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error("--restart " + file_ + ": " + reason);
  }

  std::string file_;
  std::ifstream in_;
  CheckpointHeader header_{};
  Checksum sum_;
};

}  // namespace

void write_checkpoint(MPI_Comm comm, const std::string& file, Moment moment,
                      std::span<const Particle> mine) {
  moment.particles = count_of(comm, mine);
  const bool root = mpi::rank(comm) == 0;
  std::optional<base::WholeFile> out;
  Checksum sum;
  const auto put = [&](std::string_view bytes) {
    out->write(bytes);
    sum.add(bytes);
  };
  mpi::together(comm, [&] {
    if (!root) return;
    out.emplace("--checkpoint", file);
    const CheckpointHeader header = header_of(moment);
    put(bytes_of(std::span<const CheckpointHeader>(&header, 1)));
  });
  in_order(comm, mine, [&](std::span<const Particle> piece) { put(bytes_of(piece)); });
  mpi::together(comm, [&] {
    if (!root) return;
    const std::uint64_t end = sum.value();
    put(bytes_of(std::span<const std::uint64_t>(&end, 1)));
    out->finish();
  });
}

Moment read_moment(MPI_Comm comm, const std::string& file) {
  CheckpointHeader header{};
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) header = Reader(file).header();
  });
  HALOCLINE_MPI(MPI_Bcast, &header, sizeof header, MPI_BYTE, 0, comm);
  return moment_of(header);
}

std::vector<Particle> read_checkpoint(MPI_Comm comm, const std::string& file, const Box& box,
                                      const LennardJones& lj) {
  // Pieces, so that no rank holds many more than its own and counts stay far below 2^31.
  constexpr std::int64_t piece = 16384;
  constexpr int tag = 0;
  const std::int64_t all = read_moment(comm, file).particles, ranks = mpi::size(comm);
  const bool root = mpi::rank(comm) == 0;
  const auto begin_of = [&](std::int64_t rank) { return all * rank / ranks; };
  std::vector<Particle> mine, other;
  std::optional<Reader> in;
  mpi::together(comm, [&] {
    if (root) in.emplace(file);
  });
  // What goes wrong while others wait is told when all have got something.
  std::string complaint;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    for (std::int64_t at = begin_of(rank); at < begin_of(rank + 1); at += piece) {
      const auto count = static_cast<std::size_t>(std::min(piece, begin_of(rank + 1) - at));
      const int bytes = static_cast<int>(count * sizeof(Particle));
      if (root) {
        other.assign(count, {});
        try {
          if (complaint.empty()) in->next(other);
        } catch (const Error& problem) {
          complaint = problem.what();
        }
        if (rank == 0)
          mine.insert(mine.end(), other.begin(), other.end());
        else
          HALOCLINE_MPI(MPI_Send, other.data(), bytes, MPI_BYTE, static_cast<int>(rank), tag, comm);
      } else if (rank == mpi::rank(comm)) {
        mine.resize(mine.size() + count);
        HALOCLINE_MPI(MPI_Recv, mine.data() + mine.size() - count, bytes, MPI_BYTE, 0, tag, comm,
                      MPI_STATUS_IGNORE);
      }
    }
  mpi::together(comm, [&] {
    if (!complaint.empty()) throw Error(complaint);
    if (root) in->check();
  });
  // The grids of numbers depend on box and potential.
  for (Particle& particle : mine) {
    particle.position = box.position(particle.position);
    for (double& v : particle.velocity) v = lj.velocity_grid().rounded(v);
  }
  return mine;
}

}  // namespace md
