#include "mpi_file.hpp"

#include <base/whole_file.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace frame {

using namespace halocline;

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

File open_file(MPI_Comm comm, const std::string& name, int mode) {
  File file;
  // Open MPI 4.1 takes a name of one letter for the root folder's.
  const std::string path = name.size() == 1 ? "./" + name : name;
  HALOCLINE_MPI(MPI_File_open, comm, path.c_str(), mode, MPI_INFO_NULL, file.address());
  return file;
}

File create_file(MPI_Comm comm, const std::string& name, MPI_Offset bytes,
                 const std::string& head) {
  File file = open_file(comm, name, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  HALOCLINE_MPI(MPI_File_set_size, file, bytes);  // also of a longer one left behind
  if (mpi::rank(comm) == 0)
    HALOCLINE_MPI(MPI_File_write_at, file, 0, head.data(), static_cast<int>(head.size()), MPI_CHAR,
                  MPI_STATUS_IGNORE);
  return file;
}

void close_file(File& file) {
  MPI_File raw = file.get();
  *file.address() = MPI_FILE_NULL;
  HALOCLINE_MPI(MPI_File_close, &raw);
}

void replace_file(MPI_Comm comm, const std::string& option, const std::string& file,
                  const std::function<void(const std::string& name)>& write) {
  std::optional<base::WholeFile> whole;  // on rank 0
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) whole.emplace(option, file, base::Writing::shared);
  });
  const std::string name = mpi::from_root(comm, whole ? whole->name() : "");
  try {
    write(name);
  } catch (const std::exception& problem) {
    std::string text = one_line(problem.what());
    std::error_code unknown;
    const auto space = std::filesystem::space(std::filesystem::path(name).parent_path(), unknown);
    if (!unknown) text += " (" + std::to_string(space.available >> 20) + " MiB free)";
    throw Error(option + " " + file + ": " + text);
  }
  mpi::together(comm, [&] {
    if (whole) whole->finish();
  });
}

}  // namespace frame
