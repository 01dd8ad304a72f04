#include "npy.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace partdiff {

using namespace halocline;

namespace {

std::string header(std::int64_t points) {
  const std::string shape = std::to_string(points);
  std::string text =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + ", " + shape + "), }";
  // Magic, version 1.0, length; the data begin at a multiple of 64.
  constexpr std::size_t before = 10;
  text.resize((before + text.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  text += '\n';
  const auto length = static_cast<unsigned>(text.size());
  std::string all = "\x93NUMPY";
  all += {1, 0, static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return all + text;
}

struct FileTraits {
  using Raw = MPI_File;
  static Raw null() noexcept { return MPI_FILE_NULL; }
  static void free(Raw* raw) noexcept { MPI_File_close(raw); }
};
using File = mpi::Handle<FileTraits>;

mpi::Datatype subarray(const int (&sizes)[2], const int (&part)[2], const int (&begin)[2]) {
  mpi::Datatype type;
  HALOCLINE_MPI(MPI_Type_create_subarray, 2, sizes, part, begin, MPI_ORDER_C, MPI_DOUBLE,
                type.address());
  HALOCLINE_MPI(MPI_Type_commit, type.address());
  return type;
}

/// What MPI knows of a failed write is often only "I/O error"; a full disk is the usual reason.
std::string explain(const std::string& file, const char* problem) {
  std::error_code unknown;
  const auto folder = std::filesystem::absolute(file, unknown).parent_path();
  const auto space = std::filesystem::space(folder, unknown);
  std::string text = "--output " + file + ": " + problem;
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (!unknown) text += " (" + std::to_string(space.available >> 20) + " MiB free)";
  return text;
}

void write(MPI_Comm comm, const Solver& solver, const std::string& name) {
  const Domain& domain = solver.domain();
  const std::int64_t points = domain.problem().points();
  const int all = static_cast<int>(points);
  const Range rows = domain.points(0), columns = domain.points(1);
  const std::string head = header(points);

  File file;
  HALOCLINE_MPI(MPI_File_open, comm, name.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                file.address());
  const auto bytes =
      static_cast<MPI_Offset>(head.size()) +
      static_cast<MPI_Offset>(points) * points * static_cast<MPI_Offset>(sizeof(double));
  HALOCLINE_MPI(MPI_File_set_size, file, bytes);  // also of a longer one left behind
  if (mpi::rank(comm) == 0)
    HALOCLINE_MPI(MPI_File_write_at, file, 0, head.data(), static_cast<int>(head.size()), MPI_CHAR,
                  MPI_STATUS_IGNORE);

  mpi::Datatype view;
  if (!domain.idle())
    view = subarray({all, all}, {static_cast<int>(rows.size()), static_cast<int>(columns.size())},
                    {static_cast<int>(rows.begin), static_cast<int>(columns.begin)});
  HALOCLINE_MPI(MPI_File_set_view, file, static_cast<MPI_Offset>(head.size()), MPI_DOUBLE,
                domain.idle() ? MPI_DOUBLE : view.get(), "native", MPI_INFO_NULL);

  // Some rows at a time: far below 2^31 bytes, and the library's buffers stay small.
  const std::int64_t slab = std::max<std::int64_t>(1, (std::int64_t{32} << 20) / (8 * points));
  std::int64_t most = rows.size();
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, comm);
  for (std::int64_t done = 0; done < most; done += slab) {
    const auto now = static_cast<int>(std::clamp<std::int64_t>(rows.size() - done, 0, slab));
    mpi::Datatype part;
    const double* from = nullptr;
    if (now > 0) {
      part = subarray({now, static_cast<int>(domain.stride())},
                      {now, static_cast<int>(columns.size())}, {0, 0});
      from = solver.solution() + domain.offset(rows.begin + done, columns.begin);
    }
    HALOCLINE_MPI(MPI_File_write_all, file, from, now > 0 ? 1 : 0,
                  now > 0 ? part.get() : MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
  MPI_File raw = file.get();
  *file.address() = MPI_FILE_NULL;
  HALOCLINE_MPI(MPI_File_close, &raw);
}

}  // namespace

void write_npy(MPI_Comm comm, const Solver& solver, const std::string& file) {
  const std::string partial = file + ".partial";
  const bool root = mpi::rank(comm) == 0;
  try {
    write(comm, solver, partial);
  } catch (const std::exception& problem) {
    std::error_code gone;
    std::filesystem::remove(partial, gone);
    throw Error(explain(file, problem.what()));
  }
  mpi::together(comm, [&] {
    if (root) std::filesystem::rename(partial, file);
  });
}

}  // namespace partdiff
