#pragma once
// The errors that Halocline throws; no MPI.

#include <stdexcept>

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

}  // namespace halocline
