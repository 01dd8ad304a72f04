#include "base/processor.hpp"
#include "base/text.hpp"

#include <halocline/topology.hpp>

#include <sched.h>
#include <algorithm>

#ifdef HALOCLINE_HAVE_HWLOC
#include <hwloc.h>
#endif

namespace halocline {

IslandSpec::IslandSpec(std::string_view text) {
  if (text == "node") {
    by_ = By::node;
  } else if (text == "numa") {
    by_ = By::numa;
  } else {
    if (base::read(text, ranks_) != std::errc() || ranks_ < 1)
      throw Error("island '" + std::string(text) +
                  "': must be node, numa or a number of ranks >= 1");
    by_ = By::ranks;
  }
}

std::string IslandSpec::str() const {
  switch (by_) {
    case By::node: return "node";
    case By::numa: return "numa";
    case By::ranks: break;
  }
  return std::to_string(ranks_);
}

int IslandSpec::colour() const {
  switch (by_) {
    case By::node: return 0;
    case By::numa: return numa_domain();
    case By::ranks: break;
  }
  // The world's ranks, so that every communicator of this process sees the same islands.
  return mpi::rank(MPI_COMM_WORLD) / ranks_;
}

Islands::Islands(MPI_Comm comm, const IslandSpec& spec) {
  const int me = mpi::rank(comm);
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split_type, comm, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &raw);
  const mpi::Comm node(raw);
  island_ = mpi::Comm::split(node, spec.colour());
  heads_ = mpi::Comm::split(comm, mpi::rank(island_) == 0 ? 0 : MPI_UNDEFINED);

  std::array<int, 2> facts{0, 0};
  if (is_head()) facts = {mpi::size(heads_), mpi::rank(heads_)};
  HALOCLINE_MPI(MPI_Bcast, facts.data(), 2, MPI_INT, 0, island_);
  count_ = facts[0], index_ = facts[1];

  members_.resize(static_cast<std::size_t>(mpi::size(island_)));
  HALOCLINE_MPI(MPI_Allgather, &me, 1, MPI_INT, members_.data(), 1, MPI_INT, island_);
}

int Islands::local_rank(int rank) const {
  const auto found = std::lower_bound(members_.begin(), members_.end(), rank);
  return found != members_.end() && *found == rank ? static_cast<int>(found - members_.begin())
                                                   : MPI_UNDEFINED;
}

std::vector<int> bound_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

std::string cpu_model() {
  return base::processor();
}

#ifdef HALOCLINE_HAVE_HWLOC

namespace {

/// Of this machine: what HWLOC_SYNTHETIC or HWLOC_XMLFILE describe is another one, of which nothing
/// is asked.
class Hardware {
 public:
  Hardware() {
    hwloc_topology_init(&topology_);
    is_here_ = hwloc_topology_load(topology_) == 0 && hwloc_topology_is_thissystem(topology_) != 0;
  }
  ~Hardware() { hwloc_topology_destroy(topology_); }
  Hardware(const Hardware&) = delete;
  Hardware& operator=(const Hardware&) = delete;

  int domains() const {
    const int count = is_here_ ? hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_NUMANODE) : 1;
    return count > 0 ? count : 1;
  }
  int domain_of(int core) const {
    for (int i = 0; is_here_ && i < domains(); ++i) {
      const hwloc_obj_t node =
          hwloc_get_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, static_cast<unsigned>(i));
      if (node != nullptr && hwloc_bitmap_isset(node->cpuset, static_cast<unsigned>(core)))
        return i;
    }
    return 0;
  }

 private:
  hwloc_topology_t topology_{};
  bool is_here_ = false;
};

const Hardware& hardware() {
  static const Hardware known;
  return known;
}

}  // namespace

int numa_domains() {
  return hardware().domains();
}
int numa_domain(int core) {
  return hardware().domain_of(core);
}

#else

int numa_domains() {
  return 1;
}
int numa_domain(int) {
  return 0;
}

#endif

int numa_domain() {
  // Where the process is just now says little if it may go elsewhere.
  const std::vector<int> cores = bound_cores();
  if (cores.empty()) return 0;
  const int domain = numa_domain(cores.front());
  const bool stays = std::all_of(cores.begin(), cores.end(),
                                 [&](int core) { return numa_domain(core) == domain; });
  return stays ? domain : 0;
}

}  // namespace halocline
