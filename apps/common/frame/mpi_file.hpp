#pragma once
// A file that all ranks write.

#include <halocline/more/mpi.hpp>

#include <functional>
#include <string>

namespace frame {

struct FileTraits {
  using Raw = MPI_File;
  static Raw null() noexcept { return MPI_FILE_NULL; }
  static void free(Raw* raw) noexcept { MPI_File_close(raw); }
};
using File = halocline::mpi::Handle<FileTraits>;

/// What MPI says of an error in several lines.
std::string one_line(std::string text);

/// Collective; throws Error.
File open_file(MPI_Comm comm, const std::string& name, int mode);

/// Makes the file, or cuts the one that is there, to so many bytes, of which the first rank writes
/// the `head`. Collective; throws Error.
File create_file(MPI_Comm comm, const std::string& name, MPI_Offset bytes, const std::string& head);

/// Throws Error where the end of the handle would not say that something has not been written.
void close_file(File& file);

/// Has `write` write another file, which then takes this one's name: it is complete or as it was
/// before. Collective; throws Error, which begins with `option` and the file's name and says how
/// much room there is: of a full disk, MPI often knows only that there was an error.
void replace_file(MPI_Comm comm, const std::string& option, const std::string& file,
                  const std::function<void(const std::string& name)>& write);

}  // namespace frame
