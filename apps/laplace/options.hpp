#pragma once
// The command line.

#include "run.hpp"

#include <pinning.hpp>

#include <optional>
#include <string>

namespace laplace {

struct Options {
  enum class Wish { solve, usage, list_schemes } wish = Wish::solve;
  bool all_schemes = false;

  Config config;
  int repetitions = 1;
  bool progress = false;
  pinning::Wish pin = pinning::Wish::automatic;
  std::string tuning, json, output, image;
};

/// For so many ranks. Throws Error naming what is wrong.
Options parse(int argc, char** argv, int ranks);

std::string usage();

}  // namespace laplace
