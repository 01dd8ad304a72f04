#include "files.hpp"

#include <halocline/mpi.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace frame {

void write_whole(std::string_view option, const std::string& file, std::string_view content) {
  const std::string partial = file + ".partial";
  const auto fail = [&] {
    const std::string reason = std::strerror(errno);
    std::remove(partial.c_str());
    throw halocline::Error(std::string(option) + " " + file + ": " + reason);
  };
  std::FILE* const out = std::fopen(partial.c_str(), "wb");
  if (!out) fail();
  const bool written = std::fwrite(content.data(), 1, content.size(), out) == content.size();
  const int reason = errno;
  // What the disk cannot hold may be noticed only on closing.
  if (std::fclose(out) != 0 || !written) {
    if (!written) errno = reason;
    fail();
  }
  if (std::rename(partial.c_str(), file.c_str()) != 0) fail();
}

}  // namespace frame
