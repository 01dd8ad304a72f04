#pragma once
// Islands: which ranks can share memory.

#include <mpi.h>

#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace halocline {

/// Ranks that can share memory: a node, a NUMA domain of it, or groups of N ranks of it.
/// "node"; "numa" (ranks that are bound to no domain count as those of the first); or a number N
/// (consecutive ranks of MPI_COMM_WORLD, so that several islands exist on one machine, the same for
/// every communicator; in a program of sessions, which has no world, those of the communicator).
class IslandSpec {
 public:
  IslandSpec(std::string_view text = "node");  // throws Error on anything else
  IslandSpec(const char* text) : IslandSpec(std::string_view(text)) {}
  std::string str() const;
  /// This rank's colour within its node, of the ranks of `comm`. Local.
  int colour(MPI_Comm comm) const;

 private:
  enum class By { node, numa, ranks } by_ = By::node;
  int ranks_ = 0;
};

}  // namespace halocline

#pragma GCC visibility pop
