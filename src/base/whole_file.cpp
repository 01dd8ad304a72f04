#include "whole_file.hpp"

#include "text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

namespace halocline::base {

namespace fs = std::filesystem;

namespace {

constexpr mode_t permissions = 0777, readable_by_all = 0666, private_mode = 0600;
constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

[[noreturn]] void refuse(const Planned& file, const std::string& reason) {
  throw Error(file.option + (file.option.empty() ? "" : " ") +
              (file.file.empty() ? "''" : file.file) + ": " + reason);
}

[[noreturn]] void refuse(const Planned& file, int error) {
  refuse(file, std::strerror(error));
}

/// The descriptor of this process that `path` stands for, such as /dev/fd/3 or what /dev/stdout
/// links to; -1: it is an ordinary name.
int descriptor_of(const fs::path& path) {
  std::error_code unknown;
  const fs::path own = fs::canonical("/proc/self/fd", unknown);
  if (unknown || fs::canonical(path.parent_path(), unknown) != own || unknown) return -1;
  return number<int>(path.filename().string()).value_or(-1);
}

/// Whether this user may write to it. Root may write to what nobody should.
bool may_write(const fs::path& place, mode_t mode) {
  if ((mode & 0222) == 0) return errno = EACCES, false;
  return faccessat(AT_FDCWD, place.c_str(), W_OK, AT_EACCESS) == 0;
}

/// All of it, or false with the reason in errno. A negative place: wherever the descriptor stands.
bool put_all(int file, std::string_view content, std::int64_t place) {
  while (!content.empty()) {
    const ssize_t done = place < 0 ? ::write(file, content.data(), content.size())
                                   : ::pwrite(file, content.data(), content.size(), place);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {  // a pipe that others set so
      pollfd wait{.fd = file, .events = POLLOUT, .revents = 0};
      poll(&wait, 1, -1);
      continue;
    }
    if (done == 0) errno = ENOSPC;
    if (done <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(done));
    if (place >= 0) place += done;
  }
  return true;
}

/// What cannot be told to be on a disk need not be.
bool on_disk(int file) {
  return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

}  // namespace

// ---- looking ---------------------------------------------------------------------------------

Destination::Destination(const Planned& file) {
  if (file.file.empty()) refuse(file, "a file must have a name");
  if (file.file.ends_with('/')) refuse(file, "names a folder, where a file is needed");
  std::error_code problem;
  place = fs::absolute(file.file, problem);
  if (problem) refuse(file, problem.value());

  struct stat there {};
  for (int links = 0; lstat(place.c_str(), &there) == 0 && S_ISLNK(there.st_mode); ++links) {
    if ((descriptor = descriptor_of(place)) >= 0) break;
    if (links == 40) refuse(file, ELOOP);
    const fs::path behind = fs::read_symlink(place, problem);
    if (problem) refuse(file, problem.value());
    place = place.parent_path() / behind;
  }
  if (const fs::path folder = fs::canonical(place.parent_path(), problem); !problem)
    place = folder / place.filename();

  const auto needs_regular = [&](const char* what) {
    if (file.how != Writing::in_sequence)
      refuse(file,
             std::string("is ") + what + ", where a regular file is needed" +
                 (file.how == Writing::anywhere ? ": the format is not written in order"
                                                : ": several processes or a library write it"));
  };
  if (descriptor >= 0) {
    if (fstat(descriptor, &there) != 0) refuse(file, errno);
    if ((fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY) refuse(file, "is open for reading");
    needs_regular("a stream");
    exists = stream = true;
    return;
  }
  if (stat(place.c_str(), &there) != 0) {
    if (errno != ENOENT) refuse(file, errno);
    const fs::path folder = place.parent_path();
    if (stat(folder.c_str(), &there) != 0) refuse(file, errno);
    if (!S_ISDIR(there.st_mode)) refuse(file, ENOTDIR);
    if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
      refuse(file, "its folder may not be written to: " + std::string(std::strerror(errno)));
    return;
  }
  exists = true;
  if (S_ISDIR(there.st_mode)) refuse(file, "is a folder");
  if (S_ISSOCK(there.st_mode)) refuse(file, "is a socket");
  if (!may_write(place, there.st_mode))
    refuse(file, "may not be written to: " + std::string(std::strerror(errno)));
  if (S_ISREG(there.st_mode)) return;
  needs_regular(S_ISFIFO(there.st_mode) ? "a pipe" : "a device");
  stream = true;
}

void check_file(const Planned& file) {
  Destination{file};
}

void check_files(std::span<const Planned> files) {
  std::vector<Destination> places;
  for (const Planned& file : files) {
    const Destination here(file);
    for (std::size_t i = 0; i < places.size() && !here.stream; ++i) {
      std::error_code unknown;
      // What one option writes, it keeps apart itself.
      if (!places[i].stream && files[i].option != file.option &&
          (places[i].place == here.place || fs::equivalent(places[i].place, here.place, unknown)))
        refuse(file, "is the file of " + files[i].option + ", too");
    }
    places.push_back(here);
  }
}

// ---- writing ---------------------------------------------------------------------------------

WholeFile::WholeFile(std::string option, std::string file, Writing how)
    : planned_{std::move(option), std::move(file), how}, to_(planned_) {
  if (to_.descriptor >= 0) {
    std::fflush(nullptr);  // what has been printed comes first
    file_ = fcntl(to_.descriptor, F_DUPFD_CLOEXEC, 3);
  } else if (to_.stream) {
    do file_ = ::open(to_.place.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    while (file_ < 0 && errno == EINTR);  // a pipe waits for its reader
  } else {
    open_partial();
  }
  if (file_ < 0) fail();
}

WholeFile::~WholeFile() {
  discard();
}

/// A new file, beside the old one if its folder lets anybody make one there.
void WholeFile::open_partial() {
  constexpr std::size_t longest = 255, added = sizeof ".XXXXXXXX.partial" - 1;
  std::random_device dice;
  fs::path folder = to_.place.parent_path();
  std::string stem = to_.place.filename().string();
  stem.resize(std::min(stem.size(), longest - added));
  std::error_code unknown;
  for (int tries = 0; tries < 100; ++tries) {
    char ending[added + 1];
    std::snprintf(ending, sizeof ending, ".%08x.partial", static_cast<unsigned>(dice()));
    partial_ = (folder / (stem + ending)).string();
    file_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                   to_.exists ? private_mode : readable_by_all);
    if (file_ >= 0) break;
    if (errno == EEXIST) continue;
    if (errno == ENAMETOOLONG && stem != "new") {  // some systems want shorter ones
      stem = "new";
      continue;
    }
    const int why = errno;
    const bool closed = why == EACCES || why == EPERM || why == EROFS;
    const fs::path elsewhere = closed && to_.exists ? fs::temp_directory_path(unknown) : fs::path();
    errno = why;
    if (elsewhere.empty() || elsewhere == folder) break;
    folder = elsewhere;
  }
  if (file_ < 0) {
    partial_.clear();
    return;
  }
  replaces_ = !to_.exists || keep_mode_and_owner();
}

/// Gives the new file those of the old one. False if that cannot be: then the content alone is to
/// be replaced, as where the old file has more names.
bool WholeFile::keep_mode_and_owner() {
  struct stat old {};
  if (stat(to_.place.c_str(), &old) != 0) return errno == ENOENT;  // gone meanwhile
  const bool owned = fchown(file_, old.st_uid, old.st_gid) == 0;
  return fchmod(file_, old.st_mode & permissions) == 0 && owned && old.st_nlink == 1;
}

void WholeFile::write(std::string_view content) {
  buffer_ += content;
  if (buffer_.size() >= buffer_bytes) flush();
}

void WholeFile::write_at(std::uint64_t place, std::string_view content) {
  flush();
  put(content, place);
  end_ = std::max(end_, place + content.size());
}

void WholeFile::flush() {
  put(buffer_, end_);
  end_ += buffer_.size();
  buffer_.clear();
}

void WholeFile::put(std::string_view content, std::uint64_t place) {
  if (!put_all(file_, content, to_.stream ? -1 : static_cast<std::int64_t>(place))) fail();
}

void WholeFile::sync() {
  flush();
  // What the disk cannot hold may be noticed only here.
  if (!on_disk(file_)) fail();
}

void WholeFile::finish() {
  sync();
  if (!to_.stream) take_place();
  if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) fail();
}

void WholeFile::take_place() {
  if (!replaces_ || std::rename(partial_.c_str(), to_.place.c_str()) != 0) {
    // A mount of its own, another file system, a folder that may not be written to.
    const bool may_copy = to_.exists && (!replaces_ || errno == EBUSY || errno == EXDEV ||
                                         errno == EACCES || errno == EPERM || errno == EROFS);
    if (!may_copy) fail();
    copy_into_place();
    std::remove(partial_.c_str());
  }
  partial_.clear();
}

void WholeFile::copy_into_place() {
  const int old = ::open(to_.place.c_str(), O_WRONLY | O_CLOEXEC);
  if (old < 0) fail();
  const auto attempt = [&](bool done) {
    if (done) return;
    const int why = errno;
    ::close(old);
    errno = why;
    fail();
  };
  // One after the other, so that one whole file remains. Some file systems have no locks.
  while (flock(old, LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat now {
  }, fresh{};
  attempt(fstat(old, &now) == 0 && fstat(file_, &fresh) == 0);
  // All the room there has to be, before the old content goes.
  if (const int no_room = posix_fallocate(old, 0, std::max<off_t>(1, fresh.st_size));
      no_room == ENOSPC || no_room == EDQUOT || no_room == EFBIG) {
    [[maybe_unused]] const int as_before = ftruncate(old, now.st_size);
    errno = no_room;
    attempt(false);
  }
  std::string piece(buffer_bytes, '\0');
  for (off_t at = 0; at < fresh.st_size;) {
    const ssize_t got = pread(file_, piece.data(), piece.size(), at);
    if (got < 0 && errno == EINTR) continue;
    attempt(got > 0 && put_all(old, {piece.data(), static_cast<std::size_t>(got)}, at));
    at += got;
  }
  attempt(ftruncate(old, fresh.st_size) == 0 && on_disk(old));
  if (::close(old) != 0 && errno != EINTR) fail();
}

void WholeFile::discard() noexcept {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (!partial_.empty()) std::remove(partial_.c_str());
  partial_.clear();
}

void WholeFile::fail() {
  const int why = errno;
  discard();
  refuse(planned_, why);
}

void write_whole(std::string option, std::string file, std::string_view content) {
  WholeFile out(std::move(option), std::move(file));
  out.write(content);
  out.finish();
}

}  // namespace halocline::base
