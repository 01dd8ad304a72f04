#pragma once
// The command line: six words as in the teaching code, then options.

#include "solver.hpp"

#include <arguments.hpp>

#include <string>

namespace partdiff {

struct Options : arguments::Options {
  Method method = Method::jacobi;
  std::int64_t interlines = 0;
  Function function = Function::zero;
  double value = 0;  ///< accuracy or number of iterations
  Settings settings;

  int repetitions = 1;
  double timeout = 60;
};

/// Throws Error naming what is wrong.
Options parse(int argc, char** argv);

std::string usage();

}  // namespace partdiff
