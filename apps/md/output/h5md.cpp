// Trajectories as H5MD 1.1 (P. de Buyl, P. H. Colberg, F. Hoefling, Computer Physics Communications
// 185 (2014) 1546; https://h5md.nongnu.org), which MDAnalysis reads.

#include "trajectory.hpp"

#ifdef HALOCLINE_HAVE_HDF5

#include "in_order.hpp"

#include <base/whole_file.hpp>

#include <halocline/version.hpp>

#include <formats/hdf5_file.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace md {

using namespace halocline;

namespace {

using formats::check_hdf5;
using Object = formats::Hdf5;

/// One that is there, or a new one.
Object group(hid_t in, const char* name) {
  if (H5Lexists(in, name, H5P_DEFAULT) > 0)
    return {H5Gopen2(in, name, H5P_DEFAULT), H5Gclose, "open a group"};
  return {H5Gcreate2(in, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "make a group"};
}

Object space(const std::vector<hsize_t>& extent, const hsize_t* most = nullptr) {
  if (extent.empty()) return {H5Screate(H5S_SCALAR), H5Sclose, "describe a value"};
  return {H5Screate_simple(static_cast<int>(extent.size()), extent.data(), most), H5Sclose,
          "describe values"};
}

void label(hid_t object, const char* name, hid_t file_type, hid_t type, const void* values,
           const std::vector<hsize_t>& extent) {
  const Object where = space(extent);
  const Object attribute(H5Acreate2(object, name, file_type, where, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, "create an attribute");
  check_hdf5(H5Awrite(attribute, type, values), "write an attribute");
}

/// One text, or as many as the extent says, each with so many characters.
void label(hid_t object, const char* name, const std::string& text,
           const std::vector<hsize_t>& extent = {}, std::size_t each = 0) {
  const Object type(H5Tcopy(H5T_C_S1), H5Tclose, "describe a text");
  check_hdf5(H5Tset_size(type, each > 0 ? each : text.size()), "describe a text");
  label(object, name, type, type, text.data(), extent);
}

/// An array that grows with every frame, in a group with its steps and times.
class Element {
 public:
  /// `extent`: of a frame; an array that is there has its own.
  Element(hid_t in, const char* name, hid_t file_type, hid_t type, std::vector<hsize_t> extent)
      : group_(group(in, name)),
        extent_(std::move(extent)),
        type_(type),
        value_(growing("value", file_type, extent_)),
        step_(growing("step", H5T_STD_I64LE, {})),
        time_(growing("time", H5T_IEEE_F64LE, {})) {
    const std::vector<hsize_t> there = lengths(value_);
    extent_.assign(there.begin() + 1, there.end());
  }

  /// The length of a frame along its first axis.
  std::int64_t length() const { return static_cast<std::int64_t>(extent_.at(0)); }
  /// Leaves the frames up to this step; returns the last of their steps, or -1.
  std::int64_t cut(std::int64_t until) {
    std::vector<std::int64_t> steps(lengths(step_).at(0));
    if (!steps.empty())
      check_hdf5(H5Dread(step_, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, steps.data()),
                 "read steps");
    frames_ = static_cast<hsize_t>(std::ranges::upper_bound(steps, until) - steps.begin());
    resize();
    return frames_ > 0 ? steps[frames_ - 1] : -1;
  }
  void begin(std::int64_t step, double time) {
    ++frames_;
    resize();
    put(step_, H5T_NATIVE_INT64, {}, &step, 0, 1);
    put(time_, H5T_NATIVE_DOUBLE, {}, &time, 0, 1);
  }
  /// `count` rows from `first` on, of the frame that has been begun.
  void write(const void* values, std::size_t first, std::size_t count) {
    put(value_, type_, extent_, values, first, count);
  }

 private:
  static std::vector<hsize_t> lengths(hid_t array) {
    const Object where(H5Dget_space(array), H5Sclose, "describe values");
    std::vector<hsize_t> all(H5S_MAX_RANK);
    const int axes = H5Sget_simple_extent_dims(where, all.data(), nullptr);
    check_hdf5(axes > 0 ? 0 : -1, "find the extent of values");
    all.resize(static_cast<std::size_t>(axes));
    return all;
  }

  /// One that is there, or a new one.
  Object growing(const char* name, hid_t type, const std::vector<hsize_t>& extent) {
    if (H5Lexists(group_, name, H5P_DEFAULT) > 0)
      return {H5Dopen2(group_, name, H5P_DEFAULT), H5Dclose, "open an array"};
    std::vector<hsize_t> now{0}, most{H5S_UNLIMITED}, chunk{extent.empty() ? hsize_t{256} : 1};
    for (const hsize_t length : extent) {
      now.push_back(length);
      most.push_back(length);
      chunk.push_back(std::max<hsize_t>(1, std::min<hsize_t>(length, 16384)));
    }
    const Object where = space(now, most.data());
    const Object chunks(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "describe an array");
    check_hdf5(H5Pset_chunk(chunks, static_cast<int>(chunk.size()), chunk.data()),
               "describe an array");
    return {H5Dcreate2(group_, name, type, where, H5P_DEFAULT, chunks, H5P_DEFAULT), H5Dclose,
            "create an array"};
  }

  /// To so many frames as there are.
  void resize() const {
    std::vector<hsize_t> now{frames_};
    now.insert(now.end(), extent_.begin(), extent_.end());
    for (const hid_t array : {hid_t{value_}, hid_t{step_}, hid_t{time_}})
      check_hdf5(H5Dset_extent(array, now.data()), "make room");
  }

  void put(hid_t array, hid_t type, const std::vector<hsize_t>& extent, const void* values,
           std::size_t first, std::size_t count) const {
    std::vector<hsize_t> begin{frames_ - 1}, size{1};
    for (const hsize_t length : extent) {
      begin.push_back(0);
      size.push_back(length);
    }
    if (extent.size() > 0) begin[1] = first, size[1] = count;
    const Object file(H5Dget_space(array), H5Sclose, "describe values");
    check_hdf5(
        H5Sselect_hyperslab(file, H5S_SELECT_SET, begin.data(), nullptr, size.data(), nullptr),
        "choose values");
    const Object memory = space(size);
    check_hdf5(H5Dwrite(array, type, memory, file, H5P_DEFAULT, values), "write values");
  }

  Object group_;
  std::vector<hsize_t> extent_;
  hid_t type_;
  hsize_t frames_ = 0;
  Object value_, step_, time_;
};

/// The file on rank 0.
class File {
 public:
  /// A new one, or one that is there and goes on.
  File(const std::string& name, const Box& box, std::int64_t particles, bool is_new)
      : file_(formats::hdf5_file(name, is_new)),
        all_(((is_new ? say_who() : void()), group(file_, "particles"))),
        ours_(group(all_, "all")),
        around_(group(ours_, "box")),
        edges_(around_, "edges", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3, 3}),
        position_(ours_, "position", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                  {static_cast<hsize_t>(particles), 3}),
        velocity_(ours_, "velocity", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                  {static_cast<hsize_t>(particles), 3}),
        id_(ours_, "id", H5T_STD_I64LE, H5T_NATIVE_INT64, {static_cast<hsize_t>(particles)}) {
    for (std::size_t axis = 0; axis < 3; ++axis) lattice_[axis][axis] = box.edges()[axis];
    if (!is_new) return;
    const int dimension = 3;
    label(around_, "dimension", H5T_STD_I32LE, H5T_NATIVE_INT, &dimension, {});
    std::string boundaries;
    for (int axis = 0; axis < 3; ++axis)
      boundaries += box.walls(axis) ? std::string("none\0\0\0\0", 8) : "periodic";
    label(around_, "boundary", boundaries, {3}, 8);
  }

  /// Leaves the frames up to this step; returns the last of their steps, or -1.
  std::int64_t cut(std::int64_t until, std::int64_t particles) {
    if (id_.length() != particles) throw Error("it has other particles");
    const std::int64_t last = edges_.cut(until);
    for (Element* const element : {&position_, &velocity_, &id_})
      if (element->cut(until) != last) throw Error("one of its arrays has other frames");
    return last;
  }

  void begin(std::int64_t step, double time) {
    written_ = 0;
    edges_.begin(step, time);
    edges_.write(lattice_.data(), 0, 3);
    position_.begin(step, time);
    velocity_.begin(step, time);
    id_.begin(step, time);
  }

  void write(std::span<const Particle> piece) {
    std::vector<Vector> positions, velocities;
    std::vector<std::int64_t> ids;
    for (const Particle& particle : piece) {
      positions.push_back(particle.position);
      velocities.push_back(particle.velocity);
      ids.push_back(particle.id);
    }
    if (piece.empty()) return;
    position_.write(positions.data(), written_, piece.size());
    velocity_.write(velocities.data(), written_, piece.size());
    id_.write(ids.data(), written_, piece.size());
    written_ += piece.size();
  }

  void flush() { check_hdf5(H5Fflush(file_, H5F_SCOPE_LOCAL), "flush the file"); }

 private:
  void say_who() {
    const Object meta = group(file_, "h5md");
    const int version[] = {1, 1};
    label(meta, "version", H5T_STD_I32LE, H5T_NATIVE_INT, version, {2});
    const Object author = group(meta, "author"), creator = group(meta, "creator");
    label(author, "name", "unknown");
    label(creator, "name", "Halocline md");
    label(creator, "version", halocline::version_text());
  }

  Object file_, all_, ours_, around_;
  // The box does not change; but MDAnalysis looks for a matrix in each frame.
  std::array<Vector, 3> lattice_{};
  Element edges_, position_, velocity_, id_;
  std::size_t written_ = 0;
};

class H5md final : public Trajectory {
 public:
  H5md(MPI_Comm comm, const std::string& file, const Box& box, const Earlier& earlier)
      : comm_(comm), name_(file), box_(box) {
    mpi::together(comm, [&] {
      if (mpi::rank(comm) != 0) return;
      whole_.emplace("--trajectory", file, base::Writing::by_name);
      if (earlier.file.empty()) return;
      saying([&] { go_on(earlier); });
      check_earlier(file, earlier, last_);
    });
    HALOCLINE_MPI(MPI_Bcast, &last_, 1, MPI_INT64_T, 0, comm);
  }

  std::int64_t last() const override { return last_; }

  void add(std::int64_t step, double time, std::span<const Particle> mine) override {
    const std::int64_t count = count_of(comm_, mine);
    attempt([&] {
      if (!file_) file_ = std::make_unique<File>(whole_->name(), box_, count, true);
      file_->begin(step, time);
    });
    in_order(comm_, mine,
             [&](std::span<const Particle> piece) { saying([&] { file_->write(piece); }); });
    attempt([&] { file_->flush(); });
    last_ = step;
  }

  std::string keep() override {  // each frame is flushed
    return mpi::from_root(comm_, whole_ ? whole_->name() : "");
  }

  void finish() override {
    attempt([&] {
      if (!file_) return;
      file_->flush();
      file_.reset();
    });
    mpi::together(comm_, [&] {
      if (whole_) whole_->finish();
    });
  }

 private:
  /// Begins with the frames that an earlier part has left.
  void go_on(const Earlier& earlier) {
    try {
      std::filesystem::copy_file(earlier.file, whole_->name(),
                                 std::filesystem::copy_options::overwrite_existing);
      file_ = std::make_unique<File>(whole_->name(), box_, 0, false);
      last_ = file_->cut(earlier.until, earlier.particles);
    } catch (const std::exception& problem) {
      throw Error(earlier.file + " is there, and cannot be gone on with: " + problem.what());
    }
  }

  template <class Act>
  void saying(Act&& act) {
    try {
      act();
    } catch (const std::exception& problem) {
      throw Error("--trajectory " + name_ + ": " + problem.what());
    }
  }
  template <class Act>
  void attempt(Act&& act) {
    mpi::together(comm_, [&] {
      if (mpi::rank(comm_) == 0) saying(act);
    });
  }

  MPI_Comm comm_;
  std::string name_;
  Box box_;
  // On rank 0. HDF5 closes the file before it vanishes or takes its place.
  std::optional<base::WholeFile> whole_;
  std::unique_ptr<File> file_;
  std::int64_t last_ = -1;
};

}  // namespace

std::unique_ptr<Trajectory> h5md_trajectory(MPI_Comm comm, const std::string& file, const Box& box,
                                            const Earlier& earlier) {
  return std::make_unique<H5md>(comm, file, box, earlier);
}

}  // namespace md

#else

namespace md {

std::unique_ptr<Trajectory> h5md_trajectory(MPI_Comm, const std::string& file, const Box&,
                                            const Earlier&) {
  check_trajectory(file);
  return nullptr;
}

}  // namespace md

#endif
