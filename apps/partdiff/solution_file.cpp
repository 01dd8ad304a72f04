#include "solution_file.hpp"

#include <formats/npy.hpp>
#include <frame/mpi_file.hpp>

#include <algorithm>

namespace partdiff {

using namespace halocline;

namespace {

mpi::Datatype subarray(const int (&sizes)[2], const int (&part)[2], const int (&begin)[2]) {
  mpi::Datatype type;
  HALOCLINE_MPI(MPI_Type_create_subarray, 2, sizes, part, begin, MPI_ORDER_C, MPI_DOUBLE,
                type.address());
  HALOCLINE_MPI(MPI_Type_commit, type.address());
  return type;
}

void write(MPI_Comm comm, const Solver& solver, const std::string& name) {
  const Domain& domain = solver.domain();
  const std::int64_t points = domain.problem().points();
  const int all = static_cast<int>(points);
  const Range rows = domain.points(0), columns = domain.points(1);
  const std::string head = formats::npy_header({points, points});
  frame::File file = frame::create_file(
      comm, name,
      static_cast<MPI_Offset>(head.size()) +
          static_cast<MPI_Offset>(points) * points * static_cast<MPI_Offset>(sizeof(double)),
      head);

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
  frame::close_file(file);
}

}  // namespace

void write_npy(MPI_Comm comm, const Solver& solver, const std::string& file) {
  frame::replace_file(comm, "--output", file,
                      [&](const std::string& name) { write(comm, solver, name); });
}

}  // namespace partdiff
