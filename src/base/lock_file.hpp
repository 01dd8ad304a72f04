#pragma once
// Finds who else uses a file: by locks or, where these see nothing, by the makers that names tell.

#include <sys/types.h>
#include <string>

namespace halocline::base {

/// Keeps others from changing a file between reading and writing it: an exclusive lock on a file
/// beside it, with `.lock` behind its name. It ends with the process, whatever its end is. The
/// command takes it, too (python/halocline/records.py).
///
/// Where a file system has no locks, or locks that see nothing of each other, it is a file that
/// only one can make, `.lock.held`; it goes with this object, or is taken from a process that has
/// died half a minute ago. Where even that does not work, or somebody holds it for longer than a
/// change takes, nobody is stopped; `problem` then says why there is none.
class LockFile {
 public:
  /// The folder must be there. `waits`: for as long as a change of others takes.
  explicit LockFile(const std::string& path, bool waits = true);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// Empty if the lock is held.
  const std::string& problem() const noexcept { return problem_; }

 private:
  int file_ = -1;
  std::string problem_;
  std::string held_;  // the file that is the lock where there are no locks
};

/// The name of this node.
std::string own_host();

/// What has become of who writes a file, and holds flock's lock on it for as long as it does.
enum class Writer { lives, gone, unknown };

/// By the lock; where locks see nothing of each other, by process `process` of node `host`.
Writer writer_of(const std::string& file, const std::string& host, pid_t process);

}  // namespace halocline::base
