#include "limits.hpp"

#include "lock_file.hpp"
#include "text.hpp"

#include <halocline/error.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>
#include <vector>

namespace halocline::base {

namespace {

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The number that a text begins with, behind blanks; nothing if there is none.
std::optional<double> first_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return number<double>(text.substr(0, text.find_first_of(" \t")));
}

/// The number in the first line of a file at which `at` words come before it; infinite for "max",
/// and where there is none.
double number_in(const std::string& file, int at = 0) {
  std::ifstream in(file);
  std::string word;
  for (int i = 0; i <= at; ++i) in >> word;
  return in ? number<double>(word).value_or(MemoryLeft::unknown) : MemoryLeft::unknown;
}

/// The number behind a name, as in /proc/meminfo and memory.stat; 0 if the name is not there.
double named(const std::vector<std::string>& lines, std::string_view name) {
  for (const std::string& line : lines)
    if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ' ')
      return first_number(std::string_view(line).substr(name.size())).value_or(0);
  return 0;
}

/// A control group's folder, and its parents' as far as they can be seen, under version 2 or under
/// that controller of version 1.
struct Group {
  std::string folder;
  bool unified;
};

std::vector<Group> groups(const std::string& root, std::string_view controller) {
  std::vector<Group> found;
  const auto has = [](std::string_view list, std::string_view word) {
    std::istringstream words{std::string(list)};
    for (std::string one; std::getline(words, one, ',');)
      if (one == word) return true;
    return false;
  };
  for (const std::string& line : lines_of(root + "/proc/self/cgroup")) {
    // "4:memory:/path", and of version 2 "0::/path".
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && !has(controllers, controller)) continue;
    const std::string path = line.substr(second + 1);
    for (const std::string& mount : lines_of(root + "/proc/self/mountinfo")) {
      // "36 25 0:30 ROOT FOLDER options - TYPE SOURCE OPTIONS"
      std::istringstream words(mount);
      std::string skipped, top, folder, type, options;
      words >> skipped >> skipped >> skipped >> top >> folder;
      while (words >> skipped && skipped != "-") {
      }
      words >> type >> skipped >> options;
      if (unified ? type != "cgroup2" : type != "cgroup" || !has(options, controller)) continue;
      // What is above the mount's root, as seen from within a container, cannot be seen.
      std::string below = path;
      if (top != "/" && (path == top || path.starts_with(top + '/'))) below.erase(0, top.size());
      for (;;) {
        if (below == "/") below.clear();
        found.push_back({root + folder + below, unified});
        if (below.empty()) break;
        below.erase(below.rfind('/') == below.npos ? 0 : below.rfind('/'));
      }
    }
  }
  return found;
}

/// What one group has left. Pages of files count as left: the kernel gives them up first.
double memory_left_of(const Group& group) {
  const auto in = [&](const char* name) { return group.folder + "/memory." + name; };
  const double most = group.unified ? std::min(number_in(in("max")), number_in(in("high")))
                                    : number_in(in("limit_in_bytes"));
  const double used = number_in(in(group.unified ? "current" : "usage_in_bytes"));
  if (most == MemoryLeft::unknown || used == MemoryLeft::unknown) return MemoryLeft::unknown;
  const std::vector<std::string> facts = lines_of(in("stat"));
  const std::string total = group.unified ? "" : "total_";
  const double files = named(facts, total + "inactive_file") + named(facts, total + "active_file");
  return std::max(0.0, most - std::max(0.0, used - files));
}

double quota_of(const Group& group) {
  const auto in = [&](const char* name) { return group.folder + "/cpu." + name; };
  const double time = group.unified ? number_in(in("max")) : number_in(in("cfs_quota_us"));
  const double period = group.unified ? number_in(in("max"), 1) : number_in(in("cfs_period_us"));
  return time > 0 && period > 0 && period < MemoryLeft::unknown ? time / period
                                                                : MemoryLeft::unknown;
}

/// "12.5 GiB", "37.2 MiB"
std::string in_words(double bytes) {
  const bool large = bytes >= 0x1p30 / 10;
  return formatted("%.1f %s", bytes / (large ? 0x1p30 : 0x1p20), large ? "GiB" : "MiB");
}

}  // namespace

MemoryLeft memory_left(const std::string& root) {
  MemoryLeft left;
  const auto lower = [](double bytes, const char* why, double& least, std::string& limit) {
    if (bytes >= least) return;
    least = bytes;
    limit = why;
  };
  // What new processes can get without swapping.
  if (const double kib = named(lines_of(root + "/proc/meminfo"), "MemAvailable:"); kib > 0)
    left.node = 1024 * kib;
  for (const Group& group : groups(root, "memory"))
    lower(memory_left_of(group), "the control group's limit", left.node, left.node_limit);
  const std::vector<std::string> facts = lines_of(root + "/proc/self/status");
  const auto limit = [&](auto resource, const std::string& used, const char* why) {
    rlimit most{};
    if (getrlimit(resource, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return;
    double kib = 0;
    for (const std::string& line : facts)
      if (line.starts_with(used)) kib = first_number(line.substr(used.size())).value_or(0);
    lower(std::max(0.0, static_cast<double>(most.rlim_cur) - 1024 * kib), why, left.process,
          left.process_limit);
  };
  limit(RLIMIT_AS, "VmSize:", "ulimit -v");
  limit(RLIMIT_DATA, "VmData:", "ulimit -d");
  return left;
}

double processor_quota(const std::string& root) {
  double least = MemoryLeft::unknown;
  for (const Group& group : groups(root, "cpu")) least = std::min(least, quota_of(group));
  return least;
}

std::string shortage(double mine, double together, const std::string& what,
                     const MemoryLeft& left) {
  const auto words = [&](double needed, double available, const std::string& limit) {
    return "out of memory: " + what + " needs " + in_words(needed) + " on node " + own_host() +
           ", where " + in_words(available) + " are available" +
           (limit.empty() ? "" : " (" + limit + ")");
  };
  if (!(together <= left.node)) return words(together, left.node, left.node_limit);
  if (!(mine <= left.process))
    return words(mine, left.process, left.process_limit + " of a process");
  return {};
}

void check_memory(double bytes, const std::string& what) {
  if (const std::string short_of = shortage(bytes, bytes, what); !short_of.empty())
    throw Error(short_of);
}

}  // namespace halocline::base
