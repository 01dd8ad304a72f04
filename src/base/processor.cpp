#include <halocline/more/processor.hpp>

#include "cpuinfo.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <algorithm>
#include <fstream>
#include <iterator>

#ifdef HALOCLINE_HAVE_HWLOC
#include <hwloc.h>
#endif

namespace halocline {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  if (std::string name = base::processor_in({std::istreambuf_iterator<char>(info), {}});
      !name.empty())
    return name;
  utsname names{};
  return uname(&names) == 0 && *names.machine ? names.machine : "unknown processor";
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

#ifdef HALOCLINE_HAVE_HWLOC

namespace {

/// This machine's hardware. HWLOC_SYNTHETIC and HWLOC_XMLFILE describe another machine and are
/// ignored.
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
