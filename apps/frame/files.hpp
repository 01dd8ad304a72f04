#pragma once
// Files that are complete or not there.

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace frame {

/// Written beside `file` and renamed: what was there before stays valid until the new one is whole.
/// All throw halocline::Error that begins with `option` and the file's name; then, or if it is
/// never finished, the new one vanishes.
class WholeFile {
 public:
  WholeFile(std::string_view option, const std::string& file);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view content);
  /// So many bytes from the beginning. The next `write` goes on at the end of the file.
  void write_at(std::uint64_t place, std::string_view content);
  /// The new file is whole, and on the disk.
  void finish();

 private:
  [[noreturn]] void fail();

  std::string option_, file_, partial_;
  std::FILE* out_;
};

/// A file of this content.
void write_whole(std::string_view option, const std::string& file, std::string_view content);

}  // namespace frame
