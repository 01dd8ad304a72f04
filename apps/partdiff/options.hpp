#pragma once
// The command line: six words as in the teaching code, then options.

#include "solver.hpp"

#include <pinning.hpp>

#include <string>

namespace partdiff {

struct Options {
  enum class Wish { solve, usage, list_schemes } wish = Wish::solve;
  bool all_schemes = false;

  Method method = Method::jacobi;
  std::int64_t interlines = 0;
  Function function = Function::zero;
  double value = 0;  ///< accuracy or number of iterations
  Settings settings;

  int repetitions = 1;
  double timeout = 60;
  bool progress = false;
  pinning::Wish pin = pinning::Wish::automatic;
  std::string tuning, json, output, image;
};

/// Throws Error naming what is wrong.
Options parse(int argc, char** argv);

std::string usage();

}  // namespace partdiff
