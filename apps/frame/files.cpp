#include "files.hpp"

#include <halocline/mpi.hpp>

#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <utility>

namespace frame {

WholeFile::WholeFile(std::string_view option, const std::string& file)
    : option_(option),
      file_(file),
      partial_(file + ".partial"),
      out_(std::fopen(partial_.c_str(), "wb")) {
  if (!out_) fail();
}

WholeFile::~WholeFile() {
  if (!out_) return;
  std::fclose(out_);
  std::remove(partial_.c_str());
}

void WholeFile::write(std::string_view content) {
  if (content.empty()) return;
  if (std::fwrite(content.data(), 1, content.size(), out_) != content.size()) fail();
}

void WholeFile::write_at(std::uint64_t place, std::string_view content) {
  if (fseeko(out_, static_cast<off_t>(place), SEEK_SET) != 0) fail();
  write(content);
  if (fseeko(out_, 0, SEEK_END) != 0) fail();
}

void WholeFile::finish() {
  // What the disk cannot hold may be noticed only here. Devices cannot be told to hold anything.
  if (std::fflush(out_) != 0 || (fsync(fileno(out_)) != 0 && errno != EINVAL)) fail();
  if (std::fclose(std::exchange(out_, nullptr)) != 0) fail();
  if (std::rename(partial_.c_str(), file_.c_str()) != 0) fail();
}

void WholeFile::fail() {
  const std::string reason = std::strerror(errno);
  if (out_) std::fclose(std::exchange(out_, nullptr));
  std::remove(partial_.c_str());
  throw halocline::Error(option_ + " " + file_ + ": " + reason);
}

void write_whole(std::string_view option, const std::string& file, std::string_view content) {
  WholeFile out(option, file);
  out.write(content);
  out.finish();
}

}  // namespace frame
