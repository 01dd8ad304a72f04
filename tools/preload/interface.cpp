#include "interface.hpp"

#include "executable.hpp"
#include "names.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace preload {

namespace {

// Judges by what is in it: whoever packs libraries into wheels changes their names.
std::string interface_of_library(const std::string& path) {
  if (base_of(path).starts_with("libmpi_abi")) return "mpi_abi";
  return file_contains(path, "ompi_mpi_comm_world") ? "openmpi" : "mpich";
}

// Programs that run others, or open their MPI by themselves.
bool runs_others(const std::string& path) {
  const std::string_view name = base_of(path);
  for (const char* start :
       {"python", "pypy",   "julia",    "R",   "Rscript", "java",   "perl",    "ruby",    "octave",
        "bash",   "dash",   "zsh",      "ksh", "sh",      "env",    "numactl", "taskset", "nice",
        "time",   "stdbuf", "valgrind", "gdb", "strace",  "ltrace", "perf"}) {
    if (name == start) return true;
  }
  return name.starts_with("python") || name.starts_with("pypy");
}

// What the launcher has left in the environment; empty: nothing that tells.
std::string interface_of_launcher() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE")) return "openmpi";
  if (std::getenv("PMI_RANK") || std::getenv("MPI_LOCALNRANKS")) return "mpich";
  if (std::getenv("PMIX_RANK")) return "openmpi";
  return {};
}

std::string interface_of_program(const std::string& path, const Executable& what) {
  std::vector<std::string> libraries = libraries_of(path, what).mpi;
  if (libraries.empty()) return {};
  std::string first = interface_of_library(libraries.front());
  for (const std::string& other : libraries) {
    std::string its = interface_of_library(other);
    if (its != first) {
      throw Refusal{path + " loads two MPIs at once, " + std::string(base_of(libraries.front())) +
                    " and " + std::string(base_of(other))};
    }
  }
  return first;
}

// What may start the program in a place where nothing is put in front of it, such as a container.
Refusal starts_others(const std::vector<std::string>& command, const std::string& why) {
  const std::string_view name = base_of(command.front());
  std::string line(name);
  for (std::size_t at = 1;
       at < command.size() && !command[at].starts_with('/') && !command[at].starts_with("./"); ++at)
    line += " " + command[at];
  return Refusal{std::string(command.front()) + " " + why +
                 "; if it starts the program, halocline-preload goes behind it: " + line +
                 " halocline-preload --output FOLDER PROGRAM (halocline advise: --program "
                 "PROGRAM)"};
}

}  // namespace

std::vector<std::string> tools_of(const std::vector<std::string>& command) {
  for (std::size_t at = 0; at < command.size(); ++at) {
    try {
      const std::string path = at == 0 ? find_program(command[at]) : command[at];
      const Executable what = look_at(path);
      if (what.kind != Kind::kDynamic) continue;
      Libraries found = libraries_of(path, what);
      if (!found.mpi.empty()) return found.tools;
    } catch (const Refusal&) {
      return {};
    }
  }
  return {};
}

std::string interface_of(const std::vector<std::string>& command) {
  std::string path = find_program(command.front());
  Executable what = look_at(path);
  if (what.kind == Kind::kStatic) {
    if (!file_contains(path, "MPI_Init"))
      throw starts_others(command, "is linked statically and has no MPI in it");
    throw Refusal{
        path +
        " is linked statically: nothing can be put in front of its MPI; link it dynamically"};
  }
  if (what.kind == Kind::kOther)
    throw Refusal{path + " is neither a 64-bit program nor a script", 126};
  if (what.kind == Kind::kDynamic) {
    if (std::string known = interface_of_program(path, what); !known.empty()) return known;
    if (file_contains(path, "PMPI_Init")) {
      throw Refusal{
          path +
          " has its MPI linked statically: nothing can be put in front of it; link libmpi.so"};
    }
    if (!runs_others(path)) {
      throw starts_others(command,
                          "loads no MPI; if it opens one by itself, say which: --interface mpich, "
                          "openmpi or mpi_abi");
    }
    // `numactl -l ./app`: one of the words may be the program.
    for (std::size_t at = 1; at < command.size(); ++at) {
      Executable other = look_at(command[at]);
      if (other.kind != Kind::kDynamic) continue;
      if (std::string known = interface_of_program(command[at], other); !known.empty())
        return known;
    }
  }
  std::string known = interface_of_launcher();
  if (known.empty()) {
    throw Refusal{"cannot tell which MPI " + path +
                  " will open, as no launcher of an MPI has started it: say --interface mpich, "
                  "openmpi or mpi_abi"};
  }
  return known;
}

std::string library_for(const Front& front, const std::string& interface) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path own = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const char* name = front.library;
  std::vector<fs::path> places{own / ".." / name,
                               own / ".." / "lib" / name,
                               own / ".." / ".." / ("_" + interface) / name,
                               own / ".." / "lib64" / name,
                               own / ".." / "lib" / "x86_64-linux-gnu" / name,
                               own / ".." / "lib" / "aarch64-linux-gnu" / name};
  // Builds with other MPIs beside this one.
  for (const fs::directory_entry& beside : fs::directory_iterator(own / ".." / "..", ignored)) {
    places.push_back(beside.path() / "lib" / name);
  }
  std::string seen;
  for (const fs::path& place : places) {
    if (!fs::is_regular_file(place, ignored)) continue;
    if (file_contains(place, PRELOAD_MARK + interface)) return fs::canonical(place, ignored);
    for (std::string_view other : kInterfaces) {
      if (file_contains(place, PRELOAD_MARK + std::string(other)) &&
          seen.find(other) == std::string::npos) {
        seen += (seen.empty() ? "" : ", ") + std::string(other);
      }
    }
  }
  throw Refusal{"this installation has no " + std::string(front.called) + " for the interface " +
                interface + " (it has: " + (seen.empty() ? "none" : seen) +
                "); build Halocline with that MPI"};
}

}  // namespace preload
