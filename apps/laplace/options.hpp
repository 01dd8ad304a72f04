#pragma once
// The command line.

#include "run.hpp"

#include <arguments.hpp>

#include <optional>
#include <string>

namespace laplace {

struct Options : arguments::Options {
  Config config;
  int repetitions = 1;
};

/// For so many ranks. Throws Error naming what is wrong.
Options parse(int argc, char** argv, int ranks);

std::string usage();

}  // namespace laplace
