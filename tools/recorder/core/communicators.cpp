#include "communicators.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

namespace recorder {

namespace {

void short_key(char (&key)[48], const char* words) {
  std::size_t size = std::strlen(words);
  if (size < sizeof(key)) {
    std::memcpy(key, words, size + 1);
  } else {
    std::snprintf(key, sizeof(key), "~%016llx",
                  static_cast<unsigned long long>(hash_of(words, size)));
  }
}

}  // namespace

Communicators::Communicators()
    : communicators_(kMost), members_(1 << 20), handles_(8192), lists_(kMost), named_(4096) {}

void Communicators::begin(MPI_Comm world, bool of_session) {
  PMPI(Comm_group)(world, &world_group_);
  add(world, {"0", 0}, 0, Function::Init, false);
  if (of_session) return;
  Key key{};
  std::snprintf(key.words, sizeof(key.words), "self %d", communicators_[0].rank);
  add(MPI_COMM_SELF, key, 0, Function::Init, false);
  MPI_Comm parent = MPI_COMM_NULL;
  if (PMPI(Comm_get_parent)(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL) {
    add(parent, {"parent", 0}, 0, Function::Comm_get_parent, false);
  }
}

std::int64_t Communicators::add_numbers(const std::int32_t* numbers, std::uint32_t count) {
  if (count == 0) return 0;
  std::uint64_t hash = hash_of(numbers, count * sizeof(std::int32_t));
  std::int32_t known = lists_.find(hash);
  if (known >= 0) return known;
  std::int64_t place = members_.size();
  std::int32_t* room = members_.add_many(count);
  if (!room) return -1;
  std::copy(numbers, numbers + count, room);
  lists_.set(hash, static_cast<std::uint32_t>(place));
  return place;
}

std::int64_t Communicators::add_members(MPI_Group group, std::int32_t size) {
  std::vector<int> ranks(static_cast<std::size_t>(size)), world(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (size > 0) PMPI(Group_translate_ranks)(group, size, ranks.data(), world_group_, world.data());
  for (int& rank : world) {
    if (rank == MPI_UNDEFINED) rank = -1;
  }
  return add_numbers(world.data(), static_cast<std::uint32_t>(size));
}

std::uint64_t Communicators::identity(MPI_Group group, std::int32_t* first, std::int32_t* size) {
  PMPI(Group_size)(group, size);
  std::int64_t place = add_members(group, *size);
  if (place < 0 || *size == 0) return 0;
  *first = member(place);
  return hash_of(&members_[static_cast<std::uint32_t>(place)],
                 static_cast<std::size_t>(*size) * sizeof(std::int32_t));
}

// The line of one that is freed and was made alike, by the same members.
std::int32_t Communicators::use_again(const Communicator& made) {
  for (std::uint32_t at = 2; at < communicators_.size(); ++at) {
    Communicator& old = communicators_[at];
    if (old.alive != 0 || old.identity != made.identity || old.made_from != made.made_from ||
        old.maker != made.maker) {
      continue;
    }
    old.alive = 1;
    ++old.times;
    old.rank = made.rank;
    if (made.topology != MPI_CART) {  // each has neighbours of its own
      old.neighbors_known = made.neighbors_known;
      old.first_source = made.first_source;
      old.sources = made.sources;
      old.first_destination = made.first_destination;
      old.destinations = made.destinations;
    }
    return static_cast<std::int32_t>(at);
  }
  return -1;
}

std::int32_t Communicators::add(MPI_Comm comm, const Key& key, std::uint32_t parent, Function maker,
                                bool divided) {
  Communicator made{};
  int inter = 0;
  PMPI(Comm_rank)(comm, &made.rank);
  PMPI(Comm_size)(comm, &made.size);
  PMPI(Comm_test_inter)(comm, &inter);
  MPI_Group group;
  PMPI(Comm_group)(comm, &group);
  made.first_member = add_members(group, made.size);
  PMPI(Group_free)(&group);
  made.first_remote = -1;
  if (inter) {
    PMPI(Comm_remote_size)(comm, &made.remote_size);
    PMPI(Comm_remote_group)(comm, &group);
    made.first_remote = add_members(group, made.remote_size);
    PMPI(Group_free)(&group);
  }
  read_topology(comm, made);
  made.made_from = parent;
  made.maker = maker;
  made.times = made.alive = 1;
  made.identity = mixed(
      mixed(static_cast<std::uint64_t>(made.first_member), static_cast<std::uint64_t>(made.size)),
      mixed(static_cast<std::uint64_t>(made.first_remote),
            static_cast<std::uint64_t>(made.first_topology)));
  if (std::int32_t old = key.shares() ? use_again(made) : -1; old >= 0) {
    handles_.set(number_of(comm), static_cast<std::uint32_t>(old));
    return old;
  }
  made.key = key;
  if (divided && made.first_member >= 0) {
    char words[96];
    std::snprintf(words, sizeof(words), "%s.%d", key.words, member(made.first_member));
    short_key(made.key.words, words);
  }
  if (!communicators_.add(made)) {
    ++left_out_;
    return -1;
  }
  handles_.set(number_of(comm), communicators_.size() - 1);
  return static_cast<std::int32_t>(communicators_.size() - 1);
}

std::int32_t Communicators::made(MPI_Comm comm, std::int32_t parent, Function maker, const Key& key,
                                 bool divided) {
  if (comm == MPI_COMM_NULL) return -1;
  return add(comm, key, parent < 0 ? 0 : static_cast<std::uint32_t>(parent), maker, divided);
}

Key Communicators::child_key(std::int32_t parent) {
  if (parent < 0) return {"?", 0};
  Communicator& from = (*this)[parent];
  char words[64];
  Key key{};
  key.number = from.children++;
  std::snprintf(words, sizeof(words), "%s/%u", from.key.words, key.number);
  short_key(key.words, words);
  return key;
}

Key Communicators::named_key(const char* name) {
  std::uint64_t hash = hash_of(name, std::strlen(name));
  Key key{};
  auto known = std::find_if(named_.begin(), named_.end(),
                            [&](const Named& one) { return one.hash == hash; });
  if (known != named_.end()) {
    key.number = ++known->count;
  } else {
    named_.add({hash, 0});
  }
  char words[128];
  std::snprintf(words, sizeof(words), "%s/%u", name, key.number);
  short_key(key.words, words);
  return key;
}

void Communicators::freed(MPI_Comm comm) {
  std::int32_t known = handles_.find(number_of(comm));
  if (known >= 0) (*this)[known].alive = 0;
  handles_.erase(number_of(comm));
  last_ = -1;
}

void Communicators::read_topology(MPI_Comm comm, Communicator& into) {
  int kind = MPI_UNDEFINED;
  into.topology = MPI_UNDEFINED;
  if (into.remote_size > 0) return;
  PMPI(Topo_test)(comm, &kind);
  into.topology = kind;
  std::vector<int> told;
  if (kind == MPI_CART) {
    PMPI(Cartdim_get)(comm, &into.dimensions);
    auto dimensions = static_cast<std::size_t>(into.dimensions);
    std::vector<int> dims(dimensions + 1), periods(dimensions + 1), coordinates(dimensions + 1);
    PMPI(Cart_get)(comm, into.dimensions, dims.data(), periods.data(), coordinates.data());
    told.assign(dims.begin(), dims.end() - 1);
    for (std::size_t at = 0; at < dimensions; ++at) told.push_back(periods[at] ? 1 : 0);
  }
  into.first_topology = add_numbers(told.data(), static_cast<std::uint32_t>(told.size()));
  if (into.first_topology < 0) into.topology = MPI_UNDEFINED;
  if (kind == MPI_GRAPH || kind == MPI_DIST_GRAPH) find_neighbors(comm, into);
}

void Communicators::find_neighbors(MPI_Comm handle, Communicator& comm) {
  if (comm.neighbors_known) return;
  comm.neighbors_known = true;
  std::vector<int> sources, destinations;
  if (comm.topology == MPI_CART) {
    for (int dimension = 0; dimension < comm.dimensions; ++dimension) {
      int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
      PMPI(Cart_shift)(handle, dimension, 1, &below, &above);
      sources.insert(sources.end(), {below, above});
    }
    destinations = sources;
  } else if (comm.topology == MPI_GRAPH) {
    int count = 0;
    PMPI(Graph_neighbors_count)(handle, comm.rank, &count);
    sources.resize(static_cast<std::size_t>(count) + 1);
    PMPI(Graph_neighbors)(handle, comm.rank, count, sources.data());
    sources.pop_back();
    destinations = sources;
  } else if (comm.topology == MPI_DIST_GRAPH) {
    int in = 0, out = 0, weighted = 0;
    PMPI(Dist_graph_neighbors_count)(handle, &in, &out, &weighted);
    sources.resize(static_cast<std::size_t>(in) + 1);
    destinations.resize(static_cast<std::size_t>(out) + 1);
    std::vector<int> in_weights(sources.size()), out_weights(destinations.size());
    PMPI(Dist_graph_neighbors)
    (handle, in, sources.data(), in_weights.data(), out, destinations.data(), out_weights.data());
    sources.pop_back();
    destinations.pop_back();
  }
  comm.first_source = add_numbers(sources.data(), static_cast<std::uint32_t>(sources.size()));
  comm.first_destination =
      add_numbers(destinations.data(), static_cast<std::uint32_t>(destinations.size()));
  comm.sources = comm.first_source < 0 ? 0 : static_cast<std::int32_t>(sources.size());
  comm.destinations =
      comm.first_destination < 0 ? 0 : static_cast<std::int32_t>(destinations.size());
}

}  // namespace recorder
