#pragma once
// The command line: six words as in the teaching code, then options.

#include "solver.hpp"

#include <frame/program.hpp>
#include <frame/progress.hpp>

#include <optional>
#include <string>
#include <vector>

namespace partdiff {

struct Options {
  Method method = Method::jacobi;
  std::int64_t interlines = 0;
  Function function = Function::zero;
  double value = 0;  ///< accuracy or number of iterations
  Settings settings;

  void declare(frame::CommandLine& line);
  /// Takes the words, once the options are known. Throws Error naming what is wrong.
  void settle(const frame::Options& common);
  /// What a checkpoint is of.
  nlohmann::ordered_json problem() const;

 private:
  void take_words();

  std::vector<std::string> words_;
  std::optional<halocline::ReductionKind> reduction_;  ///< if not the method's own
};

std::string usage();

}  // namespace partdiff
