// The solution for ParaView: HDF5 with XDMF.

#include "output.hpp"

#include <base/text.hpp>
#include <base/whole_file.hpp>
#include <formats/hdf5_file.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace laplace {

using namespace halocline;

void check_output(const std::string& file) {
  if (!file.ends_with(".h5")) throw Error("--output " + file + ": must be an HDF5 file, *.h5");
#ifndef HALOCLINE_HAVE_HDF5
  throw Error("--output " + file +
              ": this laplace was built without HDF5 (Debian, Ubuntu: apt install libhdf5-dev)");
#else
  mpi::together(world(), [&] {
    if (mpi::rank(world()) != 0) return;
    base::WholeFile whole("--output", file, base::Writing::by_name);
    try {
      formats::hdf5_file(whole.name());
    } catch (const Error& problem) {
      throw Error("--output " + file + ": " + problem.what());
    }
  });
#endif
}

std::string xdmf_beside(const std::string& file) {
  return file.substr(0, file.size() - 3) + ".xmf";
}

#ifdef HALOCLINE_HAVE_HDF5

namespace {

using formats::check_hdf5;
using Object = formats::Hdf5;

/// The file on rank 0. Vectors have one axis there.
class File {
 public:
  File(const std::string& name, const Extent& extent)
      : axes_(extent[0] == 1 && extent[1] == 1 ? 1 : 3),
        shape_{size(extent[0]), size(extent[1]), size(extent[2])},
        file_(formats::hdf5_file(name)),
        space_(H5Screate_simple(axes_, last(shape_), nullptr), H5Sclose, "describe the values"),
        set_(H5Dcreate2(file_, "u", H5T_IEEE_F64LE, space_, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
             H5Dclose, "create the dataset") {}

  void label(const char* name, double value) {
    const Object scalar(H5Screate(H5S_SCALAR), H5Sclose, "describe an attribute");
    const Object attribute(H5Acreate2(set_, name, H5T_IEEE_F64LE, scalar, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose, "create an attribute");
    check_hdf5(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value), "write an attribute");
  }

  void write(std::int64_t first, std::int64_t planes, const double* values) {
    Shape begin{size(first), 0, 0}, count{size(planes), shape_[1], shape_[2]};
    const Object memory(H5Screate_simple(axes_, last(count), nullptr), H5Sclose, "describe planes");
    check_hdf5(
        H5Sselect_hyperslab(space_, H5S_SELECT_SET, last(begin), nullptr, last(count), nullptr),
        "select planes");
    check_hdf5(H5Dwrite(set_, H5T_NATIVE_DOUBLE, memory, space_, H5P_DEFAULT, values),
               "write planes");
  }

  void flush() { check_hdf5(H5Fflush(file_, H5F_SCOPE_LOCAL), "flush the file"); }

 private:
  using Shape = std::array<hsize_t, 3>;
  static hsize_t size(std::int64_t number) { return static_cast<hsize_t>(number); }
  /// The last `axes_` of three.
  const hsize_t* last(const Shape& shape) const { return shape.data() + 3 - axes_; }

  int axes_;
  Shape shape_;
  Object file_, space_, set_;
};

std::string xdmf(const Problem& problem, const std::string& file) {
  const auto triple = [&](auto&& of) {
    return of(problem.z) + " " + of(problem.y) + " " + of(problem.x);
  };
  const std::string shape = triple([](std::int64_t points) { return std::to_string(points + 2); });
  const auto spacing = [](std::int64_t points) {
    return base::formatted("%.17g", 1.0 / static_cast<double>(points + 1));
  };
  return R"(<?xml version="1.0"?>
<Xdmf Version="3.0">
 <Domain>
  <Grid Name="laplace" GridType="Uniform">
   <Topology TopologyType="3DCoRectMesh" Dimensions=")" +
         shape + R"("/>
   <Geometry GeometryType="ORIGIN_DXDYDZ">
    <DataItem Dimensions="3" Format="XML">0 0 0</DataItem>
    <DataItem Dimensions="3" Format="XML">)" +
         triple(spacing) + R"(</DataItem>
   </Geometry>
   <Attribute Name="u" AttributeType="Scalar" Center="Node">
    <DataItem Dimensions=")" +
         shape + R"(" NumberType="Float" Precision="8" Format="HDF">)" +
         base::xml_text(std::filesystem::path(file).filename().string()) + R"(:/u</DataItem>
   </Attribute>
  </Grid>
 </Domain>
</Xdmf>
)";
}

/// Planes [begin, end) of all parts, on rank 0: every rank sends rows that it has, each with its
/// place, in the order of its parts.
class Gatherer {
 public:
  Gatherer(MPI_Comm comm, const Solution& solution) : comm_(comm), solution_(solution) {}

  void planes(std::int64_t begin, std::int64_t end, std::vector<double>& all) {
    // A box's extents, then its values, one after the other.
    std::vector<double> mine;
    for (const Part& part : solution_.parts) pack(part, begin, end, mine);
    const int ranks = mpi::size(comm_), count = static_cast<int>(mine.size());
    std::vector<int> counts(static_cast<std::size_t>(ranks)), offsets(counts.size());
    HALOCLINE_MPI(MPI_Gather, &count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm_);
    for (std::size_t r = 1; r < counts.size(); ++r) offsets[r] = offsets[r - 1] + counts[r - 1];
    std::vector<double> received(
        mpi::rank(comm_) == 0 ? static_cast<std::size_t>(offsets.back() + counts.back()) : 0);
    HALOCLINE_MPI(MPI_Gatherv, mine.data(), count, MPI_DOUBLE, received.data(), counts.data(),
                  offsets.data(), MPI_DOUBLE, 0, comm_);
    for (const double* from = received.data(); from < received.data() + received.size();)
      from = unpack(from, begin, all);
  }

 private:
  static void pack(const Part& part, std::int64_t begin, std::int64_t end,
                   std::vector<double>& to) {
    const auto& [planes, rows, columns] = part.points;
    const std::int64_t first = std::max(begin, planes.begin), last = std::min(end, planes.end);
    if (first >= last) return;
    for (const std::int64_t number :
         {first, last, rows.begin, rows.end, columns.begin, columns.end})
      to.push_back(static_cast<double>(number));
    for (std::int64_t k = first; k < last; ++k)
      for (std::int64_t j = rows.begin; j < rows.end; ++j) {
        const double* const row =
            part.data + (k - planes.begin) * part.plane + (j - rows.begin) * part.row;
        to.insert(to.end(), row, row + columns.size());
      }
  }

  const double* unpack(const double* from, std::int64_t begin, std::vector<double>& all) const {
    std::int64_t box[6];
    for (std::int64_t& number : box) number = static_cast<std::int64_t>(*from++);
    for (std::int64_t k = box[0]; k < box[1]; ++k)
      for (std::int64_t j = box[2]; j < box[3]; ++j) {
        const std::int64_t to =
            ((k - begin) * solution_.extent[1] + j) * solution_.extent[2] + box[4];
        std::copy_n(from, box[5] - box[4], all.begin() + to);
        from += box[5] - box[4];
      }
    return from;
  }

  MPI_Comm comm_;
  const Solution& solution_;
};

}  // namespace

void write_solution(MPI_Comm comm, const Solution& solution, const std::string& file) {
  const bool root = mpi::rank(comm) == 0;
  std::optional<base::WholeFile> whole;  // on rank 0
  mpi::together(comm, [&] {
    if (root) whole.emplace("--output", file, base::Writing::by_name);
  });
  const auto attempt = [&](auto&& act) {
    mpi::together(comm, [&] {
      if (!root) return;
      try {
        act();
      } catch (const std::exception& problem) {
        throw Error("--output " + file + ": " + problem.what());
      }
    });
  };

  std::unique_ptr<File> out;
  attempt([&] {
    out = std::make_unique<File>(whole->name(), solution.extent);
    out->label("tolerance", solution.tolerance);
    out->label("residual", solution.residual);
    if (solution.problem) out->label("offset", solution.problem->offset);
    if (solution.problem && solution.problem->circle)
      out->label("circle", *solution.problem->circle);
  });
  // Some planes at a time: counts stay far below 2^31, and rank 0 needs little memory.
  const std::int64_t planes = solution.extent[0], plane = solution.extent[1] * solution.extent[2];
  const std::int64_t slab = std::max<std::int64_t>(1, (std::int64_t{4} << 20) / plane);
  std::vector<double> all(root ? static_cast<std::size_t>(std::min(slab, planes) * plane) : 0);
  Gatherer gatherer(comm, solution);
  for (std::int64_t begin = 0; begin < planes; begin += slab) {
    const std::int64_t end = std::min(begin + slab, planes);
    gatherer.planes(begin, end, all);
    attempt([&] { out->write(begin, end - begin, all.data()); });
  }
  attempt([&] {
    out->flush();
    out.reset();
  });
  mpi::together(comm, [&] {
    if (!root) return;
    whole->finish();
    if (solution.problem)
      base::write_whole("--output", xdmf_beside(file), xdmf(*solution.problem, file));
  });
}

#else

void write_solution(MPI_Comm, const Solution&, const std::string& file) {
  check_output(file);
}

#endif

}  // namespace laplace
