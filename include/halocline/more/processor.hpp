#pragma once
// The processor of this process: its name, the cores it may run on, and its NUMA domains. No MPI.

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

/// The processor's name, or its architecture (`aarch64`) where Linux does not tell it.
std::string cpu_model();
/// The cores this process may run on; empty when unknown.
std::vector<int> bound_cores();
/// NUMA domains of this node, by hwloc; 1 when unknown.
int numa_domains();
/// The one to which this process is bound; 0 if it may run in several, or when unknown.
int numa_domain();
/// The one of a core; 0 when unknown.
int numa_domain(int core);

}  // namespace halocline

#pragma GCC visibility pop
