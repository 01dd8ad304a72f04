#include "pinning.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <tuple>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef HALOCLINE_HAVE_HWLOC
#include <hwloc.h>
#endif

namespace mpi = halocline::mpi;

namespace machine {
namespace {

/// The variable by which the user has placed the threads, or "".
std::string users_choice() {
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    if (std::getenv(name) != nullptr) return name;
  return "";
}

/// Binds the calling thread.
bool bind_to(const Cpus& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

/// What this process could have, were it not bound: the kernel cuts "all" down to what the
/// machine and the container hold.
Cpus usable(const Cpus& allowed) {
  Cpus all(CPU_SETSIZE);
  for (std::size_t cpu = 0; cpu < all.size(); ++cpu) all[cpu] = static_cast<int>(cpu);
  if (allowed.empty() || !bind_to(all)) return allowed;
  all = halocline::bound_cores();
  bind_to(allowed);
  return all;
}

/// The first number in a file of /sys, or `otherwise`.
int first_number(const std::string& file, int otherwise) {
  int number = 0;
  return std::ifstream(file) >> number ? number : otherwise;
}

/// Cores as in Node, from /sys.
std::vector<int> cores_in_sys() {
  std::map<std::tuple<int, int, int>, Cpus> cores;  // by socket, last cache, first CPU
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
    const int first = first_number(folder + "/topology/thread_siblings_list", -1);
    if (first < 0) continue;
    cores[{first_number(folder + "/topology/physical_package_id", 0),
           first_number(folder + "/cache/index3/shared_cpu_list", 0), first}]
        .push_back(cpu);
  }
  std::vector<int> core(CPU_SETSIZE, -1);
  int next = 0;
  for (const auto& [order, cpus] : cores) {
    for (const int cpu : cpus) core[static_cast<std::size_t>(cpu)] = next;
    ++next;
  }
  return core;
}

#ifdef HALOCLINE_HAVE_HWLOC

/// Cores in hwloc's logical order; none if it does not describe this machine.
std::vector<int> cores_in_hwloc() {
  std::vector<int> core(CPU_SETSIZE, -1);
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return core;
  if (hwloc_topology_load(topology) == 0 && hwloc_topology_is_thissystem(topology)) {
    const int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    for (int i = 0; i < count; ++i) {
      const hwloc_obj_t object =
          hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, static_cast<unsigned>(i));
      for (int cpu = hwloc_bitmap_first(object->cpuset); cpu >= 0 && cpu < CPU_SETSIZE;
           cpu = hwloc_bitmap_next(object->cpuset, cpu))
        core[static_cast<std::size_t>(cpu)] = i;
    }
  }
  hwloc_topology_destroy(topology);
  return core;
}

#endif

std::vector<int> cores() {
#ifdef HALOCLINE_HAVE_HWLOC
  std::vector<int> core = cores_in_hwloc();
  if (std::any_of(core.begin(), core.end(), [](int number) { return number >= 0; })) return core;
#endif
  return cores_in_sys();
}

/// What all ranks of a node know together.
Node describe(MPI_Comm comm, const Cpus& allowed, const Cpus& usable) {
  constexpr std::size_t most = CPU_SETSIZE;
  using Mask = std::vector<unsigned char>;
  const auto mask = [](const Cpus& cpus) {
    Mask bits(most, 0);
    for (const int cpu : cpus) bits[static_cast<std::size_t>(cpu)] = 1;
    return bits;
  };
  const auto list = [](auto begin) {
    Cpus cpus;
    for (std::size_t cpu = 0; cpu < most; ++cpu)
      if (begin[static_cast<std::ptrdiff_t>(cpu)]) cpus.push_back(static_cast<int>(cpu));
    return cpus;
  };

  Node node;
  node.core = mpi::rank(comm) == 0 ? cores() : std::vector<int>(most);
  HALOCLINE_MPI(MPI_Bcast, node.core.data(), static_cast<int>(most), MPI_INT, 0, comm);

  Mask whole = mask(usable);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, whole.data(), static_cast<int>(most),
                MPI_UNSIGNED_CHAR, MPI_MAX, comm);
  node.usable = list(whole.begin());

  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  const Mask mine = mask(allowed);
  Mask all(ranks * most);
  HALOCLINE_MPI(MPI_Allgather, mine.data(), static_cast<int>(most), MPI_UNSIGNED_CHAR, all.data(),
                static_cast<int>(most), MPI_UNSIGNED_CHAR, comm);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    node.ranks.push_back(list(all.begin() + static_cast<std::ptrdiff_t>(rank * most)));
  return node;
}

/// Calls `act(thread)` on every thread of a team; how many said true.
template <class Act>
int on_threads([[maybe_unused]] int threads, const Act& act) {
  int done = 0;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) reduction(+ : done)
  done += act(omp_get_thread_num()) ? 1 : 0;
#else
  done += act(0) ? 1 : 0;
#endif
  return done;
}

/// All threads or none. OpenMP keeps its threads from one region to the next, and so their CPUs.
bool bind_all(const std::vector<Cpus>& places, const Cpus& allowed) {
  const int threads = static_cast<int>(places.size());
  const auto own = [&](int thread) { return bind_to(places[static_cast<std::size_t>(thread)]); };
  if (on_threads(threads, own) == threads) return true;
  on_threads(threads, [&](int) { return bind_to(allowed); });
  return false;
}

}  // namespace

Pinning place_threads(MPI_Comm comm, int threads, Pin wish, std::string_view program) {
  Pinning result;
  if (wish == Pin::off) {
    result.why_not = "--pin off";
    return result;
  }
  const int rank = mpi::rank(comm);
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split_type, comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &raw);
  const mpi::Comm together(raw);
  const auto me = static_cast<std::size_t>(mpi::rank(together));

  // Variables need not be the same on all ranks, so all go on to the end.
  const std::string variable = users_choice();
  const Node node = describe(together, result.allowed,
                             variable.empty() ? usable(result.allowed) : result.allowed);
  Share share = std::move(share_out(node, threads)[me]);
  if (!variable.empty()) share = {{}, variable + " is set"};

  constexpr int none = std::numeric_limits<int>::max();
  int lowest = share.cramped ? rank : none;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, comm);
  if (lowest == rank)
    std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(program.size()), program.data(),
                 cramped_warning(node, me, rank, threads, mpi::library_version()).c_str());

  if (!share.threads.empty() && !bind_all(share.threads, result.allowed))
    share = {{}, "the system refused"};
  result.threads = std::move(share.threads);
  result.why_not = std::move(share.why_not);
  return result;
}

}  // namespace machine
