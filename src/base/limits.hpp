#pragma once
// What the surroundings leave to a program: memory and processors of the machine, of the control
// groups that this process is in (a container, a job of a batch system), and of `ulimit`. No MPI.

#include <limits>
#include <string>

namespace halocline::base {

/// Bytes that may still be taken; infinite where nothing is known.
struct MemoryLeft {
  static constexpr double unknown = std::numeric_limits<double>::infinity();
  double node = unknown;        ///< by all processes together: of the machine or the control groups
  double process = unknown;     ///< by this one alone
  std::string node_limit{};     ///< what is short: "" (the machine) or "the control group's limit"
  std::string process_limit{};  ///< "ulimit -v" or "ulimit -d"
};

/// `root` is where /proc and the control groups' folders are.
MemoryLeft memory_left(const std::string& root = "");

/// Processors' time that the control groups allow this process, in processors: 1.5 means 150 ms in
/// 100 ms. Infinite without a quota.
double processor_quota(const std::string& root = "");

/// "out of memory: WHAT needs 12.5 GiB on node N, where 3.1 GiB are available", or "" where this
/// process can take `mine` bytes, and all on its node together `together`.
std::string shortage(double mine, double together, const std::string& what,
                     const MemoryLeft& left = memory_left());

/// Throws Error with those words. For a program of one process.
void check_memory(double bytes, const std::string& what);

}  // namespace halocline::base
