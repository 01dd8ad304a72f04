#pragma once
// What the user has said of the substitute, in the environment.

#include <cstddef>
#include <cstdint>
#include <string>

namespace substitute {

/// Patterns that a program promises to repeat.
enum class Kind { neighbor, fence, persistent };
const char* name_of(Kind kind);

struct Settings {
  /// HALOCLINE_APPLY_NEIGHBOR, _FENCE and _PERSISTENT, or else HALOCLINE_APPLY_SCHEME, or `auto`.
  std::string scheme(Kind kind) const { return schemes[static_cast<std::size_t>(kind)]; }
  std::string schemes[3];
  /// HALOCLINE_APPLY_COMPARE: steps in which both ways carry and the bytes are compared.
  unsigned compared = 8;
  /// HALOCLINE_APPLY_REPORT: the file that rank 0 writes at the end; without it lines on the
  /// standard error, or nothing if it is empty.
  std::string report;
  bool report_given = false;
  /// HALOCLINE_APPLY=loops: plain loops of MPI_Isend and MPI_Irecv, too (which are left to MPI).
  bool loops = false;

  /// The same on ranks that mean the same.
  std::uint64_t hash() const;
  /// Ends the job, with a line, on what nobody can mean; so MPI has begun when it is first read.
  static const Settings& get();
};

}  // namespace substitute
