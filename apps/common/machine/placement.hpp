#pragma once
// Which CPUs the threads of a node's ranks get: a decision on data alone. pinning.hpp carries it
// out.

#include <string>
#include <string_view>
#include <vector>

namespace machine {

using Cpus = std::vector<int>;  ///< numbers of hardware threads, ascending

/// What is known of a node and of the ranks on it.
struct Node {
  /// For each CPU the number of its core, so that cores with near numbers share caches; -1 or
  /// missing: unknown, which makes the CPU a core of its own.
  std::vector<int> core;
  Cpus usable;              ///< all that any rank could have if nobody had bound it
  std::vector<Cpus> ranks;  ///< what each rank of this node may use
};

/// What one rank gets.
struct Share {
  std::vector<Cpus> threads{};  ///< the CPUs of each thread, one core each; empty: not pinned
  std::string why_not{};        ///< the reason, if not
  bool cramped = false;         ///< not pinned, and bound more narrowly than the node's size forces
};

/// Shares the CPUs out: one core for each thread, a rank's threads on consecutive cores. Ranks
/// keep to the CPUs they have; those with the same CPUs divide them in order. Where threads
/// outnumber cores, none is pinned.
std::vector<Share> share_out(const Node& node, int threads);

/// Tells a user whose rank `on_node` (`rank` in all) is cramped what is wrong, and what to tell
/// the launcher of this MPI (`library` as in MPI_Get_library_version).
std::string cramped_warning(const Node& node, std::size_t on_node, int rank, int threads,
                            std::string_view library);

}  // namespace machine
