#pragma once
// The tuner: the scheme `auto` measures the others when an exchange is made, and takes the fastest.
//
// Exchange(comm, pattern, fields, "auto") measures the sound candidates on the given pattern and
// memory, drops losers early, and takes one winner on all ranks. If the library was built with
// nlohmann/json, it remembers the winner in a file that people can read and edit
// (docs/explanation/auto.md). It restores the contents of the fields. Meanwhile no other exchange
// of these fields may be between `start` and `finish`.
//
// Options: `access=any` also considers schemes that leave halos in the neighbour's memory, for
// callers that read them through `Exchange::view`; `island=` is passed to the shm schemes.

#include <map>
#include <string>

#pragma GCC visibility push(default)

namespace halocline {

/// The tuner's settings. One per process; rank 0 of an exchange's communicator reads and writes the
/// file, so only its settings matter.
struct Tuning {
  /// The file of choices. Empty: the environment's HALOCLINE_TUNING, or tuning.json in the folder
  /// HALOCLINE_CACHE, or ~/.cache/halocline/tuning.json; `~` and `~USER` are read in all of these.
  std::string file{};
  /// Seconds that one choice may take; measuring then stops at the next chance, or half a second
  /// later if there is not enough to decide. All choices of a process together take little more
  /// than one and a half times as long. HALOCLINE_TUNING_BUDGET sets it.
  double budget = 1;
  /// Measure even what the file knows. HALOCLINE_TUNING_FRESH=1 sets it.
  bool fresh = false;
  /// Each choice appends one line of JSON to this file. HALOCLINE_TUNING_LOG sets it.
  std::string log{};
  /// Called on rank 0 with one line that a user should know of the choices: an entry of the file
  /// that is passed over, a scheme that gives wrong data here, a choice that cannot be kept. Null:
  /// nobody is told, for a library prints nothing. Programs take `print_remark`.
  void (*remark)(const char* text) noexcept = nullptr;

  static Tuning& current();
  /// Calls `remark`.
  static void tell(const std::string& text) noexcept;
  /// The path of the file in use; empty if no folder can be found.
  std::string path() const;
};

/// To standard error: "halocline: TEXT".
void print_remark(const char* text) noexcept;

/// Whether a glob of schemes such as `rma:*`, as the file of choices has them under `pin` and
/// `forbid`, matches any: here or under another MPI, with any options.
bool matches_any_scheme(const std::string& glob);

/// What a verdict of the doctor holds for. It says nothing of a process with others.
struct Surroundings {
  std::string host{};                                ///< processor, and how many CPUs it has
  std::string mpi{};                                 ///< the library's version
  std::map<std::string, std::string> environment{};  ///< `mpi_environment()`
  std::string build{};                               ///< of this library: a fingerprint
  bool operator==(const Surroundings&) const = default;
};
/// Those of this process.
Surroundings surroundings();

/// The variables by which users change how an MPI library communicates, such as UCX_TLS, as this
/// process sees them: without what launchers set for each job.
std::map<std::string, std::string> mpi_environment();

}  // namespace halocline

#pragma GCC visibility pop
