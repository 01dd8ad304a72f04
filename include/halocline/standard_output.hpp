#pragma once
// What a program says is said, or the program fails.

#include <string_view>

namespace halocline {

/// Watches over the standard output of a program, from the beginning of main to its end. No MPI.
///
/// Standard streams that whoever started the program has closed are taken by nothing else: without
/// that, the next file or connection that is opened would get what is printed. A pipe whose reader
/// has gone is an error like others and no signal, unless the program has a handler of its own.
class StandardOutput {
 public:
  explicit StandardOutput(std::string_view program) noexcept;

  /// When all is said. Returns `code`; or, if that is 0 and not all of it could be written, 1,
  /// after one line on standard error that names the program and the reason.
  int end(int code) noexcept;

 private:
  std::string_view program_;
};

}  // namespace halocline
