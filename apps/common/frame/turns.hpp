#pragma once
// One problem through several schemes in one launch, in turns: what the machine does meanwhile, and
// where the cores are, concerns all of them alike.

#include "program.hpp"

#include <memory>

namespace frame {

/// A program that has been told its scheme.
struct Entrant {
  std::string asked;
  std::unique_ptr<Program> program;
};

/// Sets all up, solves so many times through each, in another random order every time, and writes a
/// file of halocline-turns. Under a trace, which is paused, each solves as many times more with it
/// going on: what it costs is in the file, too. `record` says what all have in common. Collective;
/// throws Error, the same on all ranks.
void solve_in_turns(const std::vector<Entrant>& entrants, const Options& options, Record record);

}  // namespace frame
