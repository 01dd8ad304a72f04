// Communicators that are made: by whom decides what their key is.

#include "hooks.hpp"

#include <cstdio>

namespace recorder {

void comm_made(Call& call, MPI_Comm comm, bool divided) {
  Communicators& all = call.run().communicators;
  all.made(comm, call.comm(), call.function(), all.child_key(call.comm()), divided);
}

// Only the group knows.
void comm_made_by_group(Call& call, MPI_Group group, int tag, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  Communicators& all = call.run().communicators;
  std::int32_t first = -1;
  std::int32_t size = 0;
  std::uint64_t identity = all.identity(group, &first, &size);
  char name[128];
  std::snprintf(name, sizeof(name), "%s/group %d.%d.%d.%08x",
                call.comm() < 0 ? "?" : call.communicator().key.words, tag, first, size,
                static_cast<unsigned>(identity));
  all.made(comm, call.comm(), call.function(), all.named_key(name), false);
}

void comm_made_later(Call& call, MPI_Comm* comm, MPI_Request handle) {
  Key key = call.run().communicators.child_key(call.comm());
  if (Request* request = call.run().requests.add(handle)) {
    request->kind = RequestKind::kNewComm;
    request->active = 1;
    request->link.comm = call.comm();
    request->comm = comm;
    request->key = key;
  }
}

// Two groups that have no communicator in common: by their first members.
void comm_made_between(Call& call, int tag, MPI_Comm comm) {
  Communicators& all = call.run().communicators;
  std::int32_t one = -1, other = -1;
  std::int32_t size = 0;
  MPI_Group group;
  PMPI(Comm_group)(comm, &group);
  all.identity(group, &one, &size);
  PMPI(Group_free)(&group);
  PMPI(Comm_remote_group)(comm, &group);
  all.identity(group, &other, &size);
  PMPI(Group_free)(&group);
  char name[64];
  std::snprintf(name, sizeof(name), "between %d.%d.%d", one < other ? one : other,
                one < other ? other : one, tag);
  all.made(comm, call.comm(), call.function(), all.named_key(name), false);
}

void comm_made_alone(Call& call, const char* name, MPI_Comm comm) {
  Communicators& all = call.run().communicators;
  all.made(comm, -1, call.function(), all.named_key(name), false);
}

}  // namespace recorder
