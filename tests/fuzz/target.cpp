#include "fuzz.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <filesystem>
#include <string>

namespace fuzz {

namespace {

const Target* newest = nullptr;

/// A folder that goes with the process.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "halocline-fuzz-XXXXXX").string();
    must(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

Target::Target(const char* name, void (*read)(std::string_view)) noexcept
    : name_(name), read_(read), next_(newest) {
  newest = this;
}

const Target* Target::first() noexcept {
  return newest;
}

bool Target::reads(std::string_view text) const {
  try {
    read_(text);
    return true;
  } catch (const halocline::Error& problem) {
    const std::string_view what = problem.what();
    must(!what.empty() && what.find_first_of("\r\n") == what.npos);
    return false;
  }
}

std::string file_of(std::string_view text, const std::string& ending) {
  static const Folder folder;
  const std::string name = (folder.path() / ("file" + ending)).string();
  const int file = open(name.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  must(file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  close(file);
  return name;
}

}  // namespace fuzz
