// Trajectories as GSD 2.0 with the schema hoomd 1.4 (https://gsd.readthedocs.io), which OVITO and
// MDAnalysis read: a header, chunks of data, and at last the index of the chunks and the names that
// it speaks of. Numbers are 4 bytes, the box is around 0, and particles are in the order of theirs.

#include "in_order.hpp"
#include "trajectory.hpp"

#include <halocline/version.hpp>

#include <base/whole_file.hpp>

#include <bit>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <vector>

namespace md {

using namespace halocline;

namespace {

static_assert(std::endian::native == std::endian::little, "GSD's numbers begin with the last byte");

constexpr std::uint32_t version(std::uint32_t major, std::uint32_t minor) {
  return major << 16 | minor;
}

struct GsdHeader {
  std::uint64_t magic = 0x65DF65DF65DF65DF;
  std::uint64_t index = 0, index_entries = 0, names = 0, names_entries = 0;
  std::uint32_t schema_version = version(1, 4), gsd_version = version(2, 0);
  char application[64] = "Halocline md " HALOCLINE_VERSION_TEXT;
  char schema[64] = "hoomd";
  char reserved[80] = {};
};
static_assert(sizeof(GsdHeader) == 256);

enum class Type : std::uint8_t { uint32 = 3, uint64 = 4, real = 9, real64 = 10 };

/// A chunk's place in the index: so many rows of so many numbers.
struct Entry {
  std::uint64_t frame, rows;
  std::int64_t place;
  std::uint32_t columns;
  std::uint16_t name;
  Type type;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Entry) == 32);

/// In the order in which a frame's chunks have to be.
enum Name : std::uint16_t { step, box_edges, time_of, particles, position, velocity };
constexpr const char* names[] = {"configuration/step", "configuration/box",  "log/time",
                                 "particles/N",        "particles/position", "particles/velocity"};
constexpr std::size_t bytes_of_name = 64;  // the table has room for so many each

template <class T>
std::string_view bytes(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

class Gsd final : public Trajectory {
 public:
  Gsd(MPI_Comm comm, const std::string& file, const Box& box, const Earlier& earlier)
      : comm_(comm), name_(file), box_(box) {
    mpi::together(comm, [&] {
      if (mpi::rank(comm) != 0) return;
      out_.emplace("--trajectory", file, base::Writing::anywhere);
      write(bytes(&header_, 1));
      if (earlier.file.empty()) return;
      go_on(earlier);
      check_earlier(file, earlier, last_);
    });
    HALOCLINE_MPI(MPI_Bcast, &last_, 1, MPI_INT64_T, 0, comm);
  }

  std::int64_t last() const override { return last_; }

  void add(std::int64_t now, double time, std::span<const Particle> mine) override {
    const std::int64_t all = count_of(comm_, mine);
    const auto count = static_cast<std::uint32_t>(all);
    mpi::together(comm_, [&] {
      if (!out_) return;
      if (all > std::numeric_limits<std::uint32_t>::max())
        throw Error("--trajectory " + name_ + ": GSD has no room for " + std::to_string(all) +
                    " particles");
      const auto number = static_cast<std::uint64_t>(now);
      add(step, Type::uint64, &number, 1, 1);
      if (frame_ == 0) {  // of all frames
        float edges[6] = {};
        for (std::size_t axis = 0; axis < 3; ++axis)
          edges[axis] = static_cast<float>(box_.edges()[axis]);
        add(box_edges, Type::real, edges, 6, 1);
      }
      add(time_of, Type::real64, &time, 1, 1);
      add(particles, Type::uint32, &count, 1, 1);
    });
    // Positions and velocities come together, and are apart in the file.
    std::uint64_t positions = end_, velocities = end_ + 12 * static_cast<std::uint64_t>(count);
    if (out_) {
      list(position, Type::real, count, 3, positions);
      list(velocity, Type::real, count, 3, velocities);
    }
    in_order(comm_, mine, [&](std::span<const Particle> piece) {
      std::vector<float> x, v;
      for (const Particle& particle : piece)
        for (std::size_t axis = 0; axis < 3; ++axis) {
          x.push_back(static_cast<float>(particle.position[axis] - box_.edges()[axis] / 2));
          v.push_back(static_cast<float>(particle.velocity[axis]));
        }
      out_->write_at(positions, bytes(x.data(), x.size()));
      out_->write_at(velocities, bytes(v.data(), v.size()));
      positions += 4 * x.size();
      velocities += 4 * v.size();
    });
    end_ = velocities;
    ++frame_;
    last_ = now;
  }

  std::string keep() override {
    mpi::together(comm_, [&] {
      if (out_) list_chunks();
    });
    return mpi::from_root(comm_, out_ ? out_->name() : "");
  }

  void finish() override {
    mpi::together(comm_, [&] {
      if (!out_) return;
      list_chunks();
      out_->finish();
    });
  }

 private:
  /// Begins with the chunks of the frames that an earlier part has left.
  void go_on(const Earlier& earlier) {
    std::ifstream in(earlier.file, std::ios::binary);
    const auto read = [&](std::uint64_t place, void* to, std::size_t count) {
      in.seekg(static_cast<std::streamoff>(place));
      return static_cast<bool>(
          in.read(static_cast<char*>(to), static_cast<std::streamsize>(count)));
    };
    GsdHeader old;
    const std::string_view ours = "Halocline md ";
    if (!read(0, &old, sizeof old) || old.magic != header_.magic ||
        std::memcmp(old.application, ours.data(), ours.size()) != 0)
      return;
    std::string piece;
    for (std::uint64_t i = 0; i < old.index_entries; ++i) {
      Entry entry;
      std::uint64_t now = 0;
      if (!read(old.index + i * sizeof entry, &entry, sizeof entry) || entry.name > velocity)
        return;
      if (entry.name == position && static_cast<std::int64_t>(entry.rows) != earlier.particles)
        throw Error("--trajectory " + name_ + ": " + earlier.file + " is there, and has other " +
                    "particles; name another file for what follows");
      if (entry.name == step) {
        if (!read(static_cast<std::uint64_t>(entry.place), &now, sizeof now) ||
            static_cast<std::int64_t>(now) > earlier.until)
          return;
        last_ = static_cast<std::int64_t>(now);
        frame_ = entry.frame + 1;
      }
      const bool wide = entry.type == Type::uint64 || entry.type == Type::real64;
      piece.resize(entry.rows * entry.columns * (wide ? 8 : 4));
      if (!read(static_cast<std::uint64_t>(entry.place), piece.data(), piece.size()))
        throw Error("--trajectory " + name_ + ": " + earlier.file + " ends too early");
      entry.place = static_cast<std::int64_t>(end_);
      index_.push_back(entry);
      write(piece);
    }
  }

  /// From here on the file is one of all frames so far; more may follow.
  void list_chunks() {
    header_.index = end_;
    header_.index_entries = index_.size();
    write(bytes(index_.data(), index_.size()));
    std::string all;
    for (const char* name : names) all.append(name, std::strlen(name) + 1);
    all.resize(std::size(names) * bytes_of_name);
    header_.names = end_;
    header_.names_entries = std::size(names);
    write(all);
    out_->write_at(0, bytes(&header_, 1));
  }
  void write(std::string_view content) {
    out_->write_at(end_, content);
    end_ += content.size();
  }
  void list(Name name, Type type, std::uint64_t rows, std::uint32_t columns, std::uint64_t place) {
    index_.push_back({frame_, rows, static_cast<std::int64_t>(place), columns, name, type});
  }
  template <class T>
  void add(Name name, Type type, const T* values, std::uint64_t rows, std::uint32_t columns) {
    list(name, type, rows, columns, end_);
    write(bytes(values, rows * columns));
  }

  MPI_Comm comm_;
  std::string name_;
  Box box_;
  GsdHeader header_;
  std::vector<Entry> index_;
  std::uint64_t frame_ = 0, end_ = 0;
  std::int64_t last_ = -1;
  std::optional<base::WholeFile> out_;  ///< on rank 0
};

}  // namespace

std::unique_ptr<Trajectory> gsd_trajectory(MPI_Comm comm, const std::string& file, const Box& box,
                                           const Earlier& earlier) {
  return std::make_unique<Gsd>(comm, file, box, earlier);
}

}  // namespace md
