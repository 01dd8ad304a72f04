// Trajectories as text: extended XYZ, which OVITO, ASE and MDAnalysis read.

#include "in_order.hpp"
#include "trajectory.hpp"

#include <base/text.hpp>
#include <base/whole_file.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

namespace md {

using namespace halocline;

namespace {

class XyzTrajectory final : public Trajectory {
 public:
  XyzTrajectory(MPI_Comm comm, const std::string& file, const Box& box, const Earlier& earlier)
      : comm_(comm), box_(box) {
    mpi::together(comm, [&] {
      if (mpi::rank(comm) != 0) return;
      out_.emplace("--trajectory", file);
      if (earlier.file.empty()) return;
      go_on("--trajectory " + file + ": ", earlier);
      check_earlier(file, earlier, last_);
    });
    HALOCLINE_MPI(MPI_Bcast, &last_, 1, MPI_INT64_T, 0, comm);
  }

  std::int64_t last() const override { return last_; }

  void add(std::int64_t step, double time, std::span<const Particle> mine) override {
    const std::int64_t count = count_of(comm_, mine);
    mpi::together(comm_, [&] {
      if (out_) out_->write(head(count, step, time));
    });
    // All digits: who starts from the file starts from the same bits.
    in_order(comm_, mine, [&](std::span<const Particle> piece) {
      std::string text;
      for (const auto& [id, x, v] : piece)
        base::append(text, "X %.17g %.17g %.17g %.17g %.17g %.17g %lld\n", x[0], x[1], x[2], v[0],
                     v[1], v[2], static_cast<long long>(id));
      out_->write(text);
    });
    last_ = step;
  }

  std::string keep() override {
    mpi::together(comm_, [&] {
      if (out_) out_->sync();
    });
    return mpi::from_root(comm_, out_ ? out_->name() : "");
  }

  void finish() override {
    mpi::together(comm_, [&] {
      if (out_) out_->finish();
    });
  }

 private:
  /// Begins with the frames that an earlier part has left.
  void go_on(const std::string& name, const Earlier& earlier) {
    std::ifstream in(earlier.file, std::ios::binary);
    if (!in) throw Error(name + std::strerror(errno));
    std::string frame, line;
    // A process that was killed may have left a piece of a frame at the end.
    while (std::getline(in, line)) {
      const auto particles = base::number<std::int64_t>(line);
      frame = line + '\n';
      if (particles != earlier.particles || !std::getline(in, line)) break;
      if (!line.starts_with(line_of_box())) break;
      frame += line + '\n';
      constexpr std::string_view mark = " Step=";
      const std::size_t at = line.find(mark);
      std::istringstream words(at == line.npos ? "" : line.substr(at + mark.size()));
      std::int64_t step = -1;
      if (!(words >> step) || step > earlier.until) break;
      for (std::int64_t i = 0; i < *particles && std::getline(in, line); ++i) frame += line + '\n';
      if (in.eof()) break;
      out_->write(frame);
      last_ = step;
    }
  }

  std::string line_of_box() const {
    const Vector& edges = box_.edges();
    std::string text;
    base::append(text, "Lattice=\"%.17g 0 0 0 %.17g 0 0 0 %.17g\" pbc=\"", edges[0], edges[1],
                 edges[2]);
    for (int axis = 0; axis < 3; ++axis)
      base::append(text, axis > 0 ? " %c" : "%c", box_.walls(axis) ? 'F' : 'T');
    return text + "\"";
  }

  std::string head(std::int64_t count, std::int64_t step, double time) const {
    std::string text = std::to_string(count) + "\n" + line_of_box();
    base::append(text, " Properties=species:S:1:pos:R:3:velo:R:3:id:I:1 Step=%lld Time=%.17g\n",
                 static_cast<long long>(step), time);
    return text;
  }

  MPI_Comm comm_;
  Box box_;
  std::int64_t last_ = -1;
  std::optional<base::WholeFile> out_;  ///< on rank 0
};

}  // namespace

std::unique_ptr<Trajectory> xyz_trajectory(MPI_Comm comm, const std::string& file, const Box& box,
                                           const Earlier& earlier) {
  return std::make_unique<XyzTrajectory>(comm, file, box, earlier);
}

}  // namespace md
