#pragma once
// A program whose output cannot be written fails.

#include <string_view>

#pragma GCC visibility push(default)

namespace halocline {

/// Watches over the standard output of a program, from the beginning of main to its end. No MPI.
///
/// If the parent process has closed a standard stream, nothing else takes its number: otherwise the
/// next opened file or connection would get the program's output. A pipe without a reader is an
/// error like others and no signal, unless the program has a handler of its own.
class StandardOutput {
 public:
  explicit StandardOutput(std::string_view program) noexcept;

  /// To be called at the end. Returns `code`; or, if that is 0 and not all of it could be written,
  /// 1, after one line on standard error that names the program and the reason.
  int end(int code) noexcept;

 private:
  std::string_view program_;
};

}  // namespace halocline

#pragma GCC visibility pop
