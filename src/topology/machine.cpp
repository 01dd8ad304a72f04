// Machines: which ranks share what, as MPI and hwloc see it or as words describe it.

#include "base/text.hpp"
#include "mpi/collectives.hpp"

#include <halocline/island.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/processor.hpp>

#include <algorithm>
#include <numeric>

namespace halocline {

namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw Error(std::string("machine '").append(text).append("': ").append(why));
}

int number(std::string_view text, std::string_view word) {
  const auto value = base::number<int>(word);
  if (!value || *value < 1)
    refuse(text, std::string("'").append(word).append("' must be a number >= 1"));
  return *value;
}

/// How many every group has; 0 if they differ.
int everywhere(const std::vector<int>& sizes) {
  const bool alike =
      std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) == sizes.end();
  return alike ? sizes.front() : 0;
}

}  // namespace

Machine::Machine(std::vector<Place> places, std::vector<std::string> hosts)
    : places_(std::move(places)), order_(places_.size()), hosts_(std::move(hosts)) {
  if (places_.empty()) throw Error("a machine needs at least 1 rank");
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return place(a) < place(b); });

  std::vector<int> sockets, cores;
  const Place* before = nullptr;
  for (int rank : order_) {
    const Place& here = place(rank);
    if (before == nullptr || here.node != before->node) sockets.push_back(0);
    if (before == nullptr || here != *before) {
      ++sockets.back();
      cores.push_back(0);
    }
    ++cores.back();
    before = &here;
  }
  counts_ = {static_cast<int>(sockets.size()), everywhere(sockets), everywhere(cores)};
  if (counts_[1] == 0 || counts_[2] == 0) counts_.clear();
}

std::string Machine::node_name(int node) const {
  return hosts_.empty() ? std::to_string(node) : hosts_[static_cast<std::size_t>(node)];
}

namespace {

/// What words say, before it is known whether it fits.
struct Description {
  int nodes = 0, sockets = 1, cores = 0;
  std::vector<int> of_nodes;  // ranks
  std::vector<std::string> hosts;
};

void add_host(std::string_view text, std::string_view host, Description& all) {
  const std::size_t colon = host.rfind(':');
  if (colon == host.npos || colon == 0)
    refuse(text, std::string("'").append(host).append("' must be a host and its ranks, as in a:4"));
  const std::string name(host.substr(0, colon));
  if (std::ranges::find(all.hosts, name) != all.hosts.end())
    refuse(text, "host " + name + " is named twice");
  all.of_nodes.push_back(number(text, host.substr(colon + 1)));
  all.hosts.push_back(name);
}

Description parsed(std::string_view text) {
  Description all;
  bool hosts = false;  // those that follow belong to the list
  for (std::string_view word : base::split(text, ',')) {
    const std::size_t sign = word.find('=');
    if (sign == word.npos && hosts) {
      add_host(text, word, all);
      continue;
    }
    const std::string_view name = word.substr(0, sign);
    if (sign == word.npos || (name != "nodes" && name != "sockets" && name != "cores" &&
                              name != "ranks" && name != "hosts"))
      refuse(text,
             std::string("'").append(word).append(
                 "' must be nodes=N, sockets=N, cores=N, ranks=N+N+... or hosts=A:N,B:N,..."));
    const std::string_view value = word.substr(sign + 1);
    hosts = name == "hosts";
    if (hosts)
      add_host(text, value, all);
    else if (name == "ranks")
      for (std::string_view one : base::split(value, '+'))
        all.of_nodes.push_back(number(text, one));
    else
      (name == "nodes"     ? all.nodes
       : name == "sockets" ? all.sockets
                           : all.cores) = number(text, value);
  }
  if (!all.hosts.empty() && all.hosts.size() != all.of_nodes.size())
    refuse(text, "hosts=... already says how many ranks there are");
  return all;
}

}  // namespace

Machine Machine::described(std::string_view text, int ranks) {
  auto [nodes, sockets, cores, of_nodes, hosts] = parsed(text);
  if (of_nodes.empty()) {
    if (cores == 0)
      refuse(text,
             "needs cores=N, or the ranks of each node as ranks=N+N+... or hosts=A:N,B:N,...");
    const std::int64_t all = std::int64_t{std::max(nodes, 1)} * sockets * cores;
    if (all != ranks)
      refuse(text, "is one of " + std::to_string(all) + " ranks, not " + std::to_string(ranks));
    of_nodes.assign(static_cast<std::size_t>(std::max(nodes, 1)), sockets * cores);
  } else if (nodes != 0 || cores != 0) {
    refuse(text, std::string(hosts.empty() ? "ranks=N+N+..." : "hosts=A:N,B:N,...") +
                     " already says how many nodes and cores there are");
  }

  std::vector<Place> places;
  for (std::size_t node = 0; node < of_nodes.size(); ++node)
    for (int socket = 0; socket < sockets; ++socket)
      places.insert(places.end(),
                    static_cast<std::size_t>(part_of(of_nodes[node], sockets, socket).size()),
                    Place{static_cast<int>(node), socket});
  if (places.size() != static_cast<std::size_t>(ranks))
    refuse(text,
           "is one of " + std::to_string(places.size()) + " ranks, not " + std::to_string(ranks));
  return Machine(std::move(places), std::move(hosts));
}

Machine machine_of(MPI_Comm comm, const IslandSpec& nodes) {
  const Islands islands(comm, nodes);
  const std::vector<int> all = mpi::of_all(comm, std::vector<int>{islands.index(), numa_domain()});
  std::vector<Machine::Place> places;
  for (std::size_t i = 0; i < all.size(); i += 2) places.push_back({all[i], all[i + 1]});
  return Machine(std::move(places));
}

}  // namespace halocline
