#pragma once
// The errors that Halocline throws; no MPI.

#include <exception>
#include <stdexcept>

#pragma GCC visibility push(default)

namespace halocline {

/// What went wrong and what would be right, in one line for the user.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wait that saw no progress within the time limit (see Patience).
class Timeout : public Error {
 public:
  using Error::Error;
};

/// The message for the user about an exception. (The standard library's words for lack of memory
/// are "std::bad_alloc" and "vector::reserve".)
const char* words_of(const std::exception& problem) noexcept;

}  // namespace halocline

#pragma GCC visibility pop
