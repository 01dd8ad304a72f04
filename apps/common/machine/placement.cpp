#include "placement.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace machine {
namespace {

/// The cores of some CPUs, in order, each with those of its CPUs that are among them.
std::vector<Cpus> cores_of(const Cpus& cpus, const std::vector<int>& core) {
  std::map<std::pair<int, int>, Cpus> found;
  for (const int cpu : cpus) {
    const auto i = static_cast<std::size_t>(cpu);
    const bool known = i < core.size() && core[i] >= 0;
    found[known ? std::pair(core[i], 0) : std::pair(std::numeric_limits<int>::max(), cpu)]
        .push_back(cpu);
  }
  std::vector<Cpus> cores;
  for (auto& [order, members] : found) cores.push_back(std::move(members));
  return cores;
}

/// Threads on the fullest core, at best.
std::size_t load(std::size_t threads, std::size_t cores) {
  return cores == 0 ? threads : (threads + cores - 1) / cores;
}

std::size_t cores_of_the_whole(const Node& node) {
  std::set<int> all(node.usable.begin(), node.usable.end());
  for (const Cpus& cpus : node.ranks) all.insert(cpus.begin(), cpus.end());
  return cores_of(Cpus(all.begin(), all.end()), node.core).size();
}

std::string count(std::size_t number, const char* what) {
  return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
}

/// "CPU 3", "CPUs 0-3,8"
std::string text(const Cpus& cpus) {
  std::string list;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!list.empty()) list += ',';
    list += std::to_string(cpus[i]);
    if (last > i) list += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + list;
}

/// What to tell the launcher: to give each rank `threads` cores if there are so many, else not to
/// bind.
std::string advice(std::string_view library, const std::string& threads, bool enough) {
  const auto is = [&](std::string_view name) { return library.find(name) != library.npos; };
  if (is("Intel(R) MPI"))
    return enough ? "`I_MPI_PIN_DOMAIN=omp OMP_NUM_THREADS=" + threads + " mpiexec`"
                  : "`I_MPI_PIN=off mpiexec`";
  if (is("Open MPI"))
    return enough ? "`mpiexec --map-by slot:PE=" + threads + " --bind-to core`"
                  : "`mpiexec --bind-to none`";
  if (library.starts_with("MPICH"))
    return enough ? "`mpiexec -bind-to core:" + threads + '`' : "`mpiexec -bind-to none`";
  return enough ? "cores for " + threads +
                      " threads per rank (Slurm: `srun --cpus-per-task=" + threads +
                      "`), or let it bind none"
                : "a launcher that binds no rank (Slurm: `srun --cpu-bind=none`)";
}

}  // namespace

std::vector<Share> share_out(const Node& node, int threads) {
  const auto each = static_cast<std::size_t>(threads);
  std::map<Cpus, std::vector<std::size_t>> groups;  // ranks that have the same CPUs
  for (std::size_t rank = 0; rank < node.ranks.size(); ++rank)
    groups[node.ranks[rank]].push_back(rank);
  std::map<int, std::size_t> claims;  // how many groups have this CPU
  for (const auto& [cpus, members] : groups)
    for (const int cpu : cpus) ++claims[cpu];

  // Some cores may have to serve several threads: that is nobody's mistake.
  const std::size_t forced = load(node.ranks.size() * each, cores_of_the_whole(node));
  std::vector<Share> shares(node.ranks.size());
  for (const auto& [cpus, members] : groups) {
    const std::vector<Cpus> cores = cores_of(cpus, node.core);
    const std::size_t needed = members.size() * each;
    const bool in_part =
        std::any_of(cpus.begin(), cpus.end(), [&](int cpu) { return claims[cpu] > 1; });
    Share all;
    if (cpus.empty())
      all.why_not = "its CPUs are unknown";
    else if (needed > cores.size())
      all = {{},
             count(needed, "thread") + " on " + count(cores.size(), "core"),
             load(needed, cores.size()) > forced};
    else if (in_part)
      all.why_not = "it shares some of its CPUs, but not all, with another rank";
    auto core = cores.begin();
    for (const std::size_t rank : members) {
      shares[rank] = all;
      if (!all.why_not.empty()) continue;
      shares[rank].threads.assign(core, core + threads);
      core += threads;
    }
  }
  return shares;
}

std::string cramped_warning(const Node& node, std::size_t on_node, int rank, int threads,
                            std::string_view library) {
  const Cpus& cpus = node.ranks[on_node];
  const auto each = static_cast<std::size_t>(threads);
  const auto sharers =
      static_cast<std::size_t>(std::count(node.ranks.begin(), node.ranks.end(), cpus));
  const std::size_t cores = cores_of(cpus, node.core).size();
  const bool enough = node.ranks.size() * each <= cores_of_the_whole(node);

  std::string words = "rank " + std::to_string(rank) + " has " + count(each, "thread") +
                      " but was bound to " + text(cpus) + " only";
  if (sharers > 1) words += ", with " + count(sharers - 1, "other rank");
  words += sharers * each > cpus.size()
               ? ": they will take turns"
               : ", " + count(cores, "core") + ": they will slow each other down";
  return words + "; start it with " + advice(library, std::to_string(threads), enough);
}

}  // namespace machine
