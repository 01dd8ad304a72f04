#include "fuzz.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>
#include <string>

namespace fuzz {

namespace {

const Target* newest = nullptr;

/// The most bytes that were asked for at once.
std::size_t largest = 0;

void* allocated(std::size_t bytes) noexcept {
  largest = std::max(largest, bytes);
  return std::malloc(std::max<std::size_t>(bytes, 1));
}

void must_be_few(std::size_t bytes, std::size_t of_text) {
  if (bytes <= (std::size_t{1} << 20) + 10 * of_text) return;
  std::fprintf(stderr, "%zu bytes at once for a text of %zu\n", bytes, of_text);
  std::abort();
}

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
  largest = 0;
  bool read = true;
  try {
    read_(text);
  } catch (const halocline::Error& problem) {
    const std::string_view what = problem.what();
    must(!what.empty() && what.find_first_of("\r\n") == what.npos);
    read = false;
  }
  must_be_few(largest, text.size());
  return read;
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

void* operator new(std::size_t bytes) {
  if (void* const there = fuzz::allocated(bytes)) return there;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return fuzz::allocated(bytes);
}
void operator delete(void* there) noexcept {
  std::free(there);
}
void operator delete(void* there, std::size_t) noexcept {
  std::free(there);
}
