#pragma once
// Any bytes whatever, given to a reader: it reads them or throws Error, and what it has read keeps
// its promises. A reader is a target in a file of its own, with examples in corpus/NAME. Two mains
// drive it: driver.cpp, by any compiler, with the examples, whole and damaged; and libFuzzer's,
// for which libfuzzer.cpp is (HALOCLINE_FUZZ).

#include <halocline/error.hpp>

#include <cstdlib>
#include <string>
#include <string_view>

namespace fuzz {

inline void must(bool holds) {
  if (!holds) std::abort();
}

/// A reader of this program, by the name of its folder of examples.
class Target {
 public:
  Target(const char* name, void (*read)(std::string_view)) noexcept;
  std::string_view name() const noexcept { return name_; }
  const Target* next() const noexcept { return next_; }
  static const Target* first() noexcept;

  /// Whether it can read the text. What it says if not is one line, and it asks for no more memory
  /// at once than ten times what the text has, and 1 MiB.
  bool reads(std::string_view text) const;

 private:
  const char* name_;
  void (*read_)(std::string_view);
  const Target* next_;
};

/// Writes the text into a file of this process, and returns its name, which ends so.
std::string file_of(std::string_view text, const std::string& ending = {});

}  // namespace fuzz
