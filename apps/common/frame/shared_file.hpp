#pragma once
// Files that all ranks read or write at once, by the system's own calls. No lock is needed,
// whatever the file system has, and what fails says why, and on which rank.

#include <halocline/more/mpi.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace frame {

/// What MPI and others say of an error in several lines.
std::string one_line(std::string text);

/// The complaint with the rank and the host that have it, unless all ranks of `comm` complain.
/// Collective.
std::string placed(MPI_Comm comm, std::string complaint);

/// `step` with a file, which each rank does on its own: as mpi::together, but where it fails on
/// some ranks alone, the error says on which, and on which host. Collective.
template <class Step>
void each(MPI_Comm comm, Step&& step) {
  std::string complaint;
  try {
    step();
  } catch (const std::exception& problem) {
    complaint = halocline::words_of(problem);
  }
  const halocline::mpi::Unhurried others;
  halocline::mpi::agree(comm, placed(comm, std::move(complaint)));
}

/// An open file. What it throws is the reason alone.
class Descriptor {
 public:
  Descriptor(const std::string& file, int flags);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  std::int64_t bytes() const;
  void read(std::int64_t place, void* data, std::int64_t bytes) const;
  void write(std::int64_t place, const void* data, std::int64_t bytes) const;
  /// All that has been written is on the disk.
  void finish();

 private:
  int file_;
};

/// A file that is there and that all ranks of `comm` write: each byte once, by any of them.
///
/// Each block of 1 MiB has one rank that writes it. So nothing is locked, no two nodes have a page
/// of the file in their caches, and the pieces may be small. Functions throw Error, the same on all
/// ranks.
class SharedFile {
 public:
  /// Collective.
  SharedFile(MPI_Comm comm, const std::string& name);

  /// Local. Blocks that are wholly mine are written at once; the rest waits for `deal`.
  void put(std::int64_t place, const void* data, std::int64_t bytes);
  /// What waits is written. Collective.
  void deal();
  /// All of it is written, and on the disk. Collective.
  void finish();

 private:
  std::size_t owner_of(std::int64_t place) const;
  void wait(std::int64_t place, const char* data, std::int64_t bytes);
  void write_received(const std::vector<std::uint64_t>& words);

  MPI_Comm comm_;
  std::unique_ptr<Descriptor> file_;
  std::string problem_;  ///< that `put` has met
  /// Place, bytes and content of pieces, by the ranks that write them.
  std::vector<std::vector<std::uint64_t>> waiting_;
};

/// Has `write` write another file, which then takes this one's name: it is complete or as it was
/// before. Collective; throws Error, which begins with `option` and the file's name.
void replace_file(MPI_Comm comm, const std::string& option, const std::string& file,
                  const std::function<void(SharedFile&)>& write);

/// Throws Error, as replace_file does, where all ranks could not write such a file. Collective.
void check_shared(MPI_Comm comm, const std::string& option, const std::string& file);

}  // namespace frame
