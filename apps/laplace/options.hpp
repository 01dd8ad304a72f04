#pragma once
// The command line.

#include "run.hpp"

#include <frame/program.hpp>

#include <string>

namespace laplace {

struct Options {
  Config config;

  void declare(frame::CommandLine& line);
  /// What there is to be listed: in step every scheme, else those that can be as --mode says.
  std::vector<halocline::SchemeFacts> schemes() const;
  /// For so many ranks. Throws Error naming what is wrong.
  void settle(const frame::Options& common, int ranks);
  /// What a checkpoint is of.
  nlohmann::ordered_json problem() const;

 private:
  void take_grid(int ranks);
  void take_check();
  void take_slow(int workers);
  void take_asynchronous();
  void take_scheme(const frame::Options& common);

  // Values that only other options give a meaning.
  std::string grid_, per_rank_, mode_ = "sync", buffers_, period_, check_, confirm_, depth_, slow_;
};

std::string usage();

}  // namespace laplace
