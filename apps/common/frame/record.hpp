#pragma once
// Result files: what a program was asked, where it ran, every sample it took. The formats are
// described in docs/reference/results.md.

#include "json.hpp"

#include <machine/cores.hpp>
#include <machine/pinning.hpp>

#include <halocline/exchange.hpp>
#include <halocline/scheme.hpp>

#include <string>
#include <vector>

namespace frame {

/// Seconds that this rank spent in the parts of its work, in the last repetition.
struct Phases {
  double compute = 0, pack = 0, transfer = 0, wait = 0, reduce = 0;
  double copy = 0;  ///< between host and device
};

/// What one rank knows of its run.
struct Record {
  std::string program;
  std::vector<std::string> arguments;
  std::string scheme;   ///< empty where a file holds several
  std::string style{};  ///< in which threads have shared the work: what `auto` became; or empty
  int threads = 1;
  nlohmann::ordered_json parameters;
  nlohmann::ordered_json outcome;          ///< iterations, residuum, checksum, ...
  nlohmann::ordered_json running{};        ///< what laps have found (in_laps.hpp), or null
  std::vector<std::vector<double>> steps;  ///< seconds of every step, for each repetition
  std::vector<double> totals;              ///< seconds of each repetition
  Phases phases;
  machine::Pinning pinning{};
  machine::CoreDistances distances{};  ///< taken before and after measuring
};

/// What a file of any format begins with: the format, and all of `record` but what was measured.
/// Whole on rank 0. Collective.
nlohmann::ordered_json head(MPI_Comm comm, const char* format, const Record& record);

/// Throws Error unless `file` can be written, before anything is measured; empty: none is wanted.
/// Collective; rank 0 looks.
void check_save(MPI_Comm comm, const std::string& file);

/// Writes `content` on rank 0. Collective; throws Error on all ranks.
void save(MPI_Comm comm, const nlohmann::ordered_json& content, const std::string& file);

/// Writes the file on rank 0: of times, the maximum over the ranks. Collective; throws Error on all
/// ranks.
void write(MPI_Comm comm, const Record& record, const std::string& file);

}  // namespace frame
