#pragma once
// Files that are whole or as they were, whatever stands at their name. No MPI: where several
// processes write a file, one of them holds the WholeFile and tells the others its `name`.

#include <halocline/error.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace halocline::base {

/// How a file is written. It decides whether the name may be that of a pipe or a device.
enum class Writing {
  in_sequence,  ///< one process, from the beginning to the end: pipes and devices will do
  anywhere,     ///< one process, which comes back to what it has written: a regular file
  by_name,      ///< a library, by the file's name: a regular file
  shared,       ///< several processes, by the file's name: a regular file
};

/// A file that an option names. Without an option, messages begin with the file's name.
struct Planned {
  std::string option, file;
  Writing how = Writing::in_sequence;
};

/// Throws Error, which begins with option and name, about the first of these files that could not
/// be written: a folder or a socket, a read-only file, one whose folder is missing or may not be
/// written to, a pipe or a device where a regular file is needed, a file that another option names,
/// too. To be called before anything is computed; writes nothing.
void check_files(std::span<const Planned> files);
void check_file(const Planned& file);

/// What stands at a name.
struct Destination {
  /// Throws Error as check_file does.
  explicit Destination(const Planned& file);

  std::filesystem::path place;  ///< absolute, with links followed: no link, even a dangling one
  bool exists = false;
  bool stream = false;  ///< a pipe, a device, or a descriptor of this process (/dev/stdout)
  int descriptor = -1;  ///< of this process, which the name stands for
};

/// A new file's content, which takes the place of the old one when it is whole.
///
/// It is written to `NAME.XXXXXXXX.partial` in the same folder and renamed. Symbolic links stay:
/// the file behind them is written. Mode, owner and other names (hard links) of a file stay. A file
/// that cannot be replaced (a mount of its own, in a folder that may not be written to) gets the
/// new content in place once that is whole. What is no regular file is written in place as it
/// comes. When several processes write one name, one whole file remains.
///
/// All functions throw Error, which begins with option and name and says why. Then, or if it is
/// never finished, the new content vanishes and the old file stays as it was.
class WholeFile {
 public:
  WholeFile(std::string option, std::string file, Writing how = Writing::in_sequence);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// The file that is written to meanwhile, for libraries and for other processes. Not of a stream.
  const std::string& name() const noexcept { return partial_; }

  /// At the end of the file.
  void write(std::string_view content);
  /// So many bytes from the beginning; not `in_sequence`.
  void write_at(std::uint64_t place, std::string_view content);
  /// What has been written is on the disk, under `name`, where it stays if the process is killed.
  void sync();
  /// The new file is on the disk and has taken its place. Others must have closed it.
  void finish();

 private:
  void open_partial();
  bool keep_mode_and_owner();
  void flush();
  void put(std::string_view content, std::uint64_t place);
  void take_place();
  void copy_into_place();
  void discard() noexcept;
  [[noreturn]] void fail();

  Planned planned_;
  Destination to_;
  std::string partial_;
  bool replaces_ = true;  ///< renaming loses nothing but the old content
  int file_ = -1;
  std::string buffer_;
  std::uint64_t end_ = 0;  ///< of what has been handed to the system
};

/// A file of this content.
void write_whole(std::string option, std::string file, std::string_view content);

}  // namespace halocline::base
