// Communicators that are made: by whom decides what their key is.

#include "hooks.hpp"

#include <cstdio>

namespace recorder {

void comm_made(Call& call, MPI_Comm comm, bool divided) {
  char key[48];
  call.run().communicators.child_key(call.comm(), key);
  call.run().communicators.made(comm, call.comm(), call.function(), key, divided);
}

// Only the group knows.
void comm_made_by_group(Call& call, MPI_Group group, int tag, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  Communicators& all = call.run().communicators;
  std::int32_t first = -1;
  std::int32_t size = 0;
  std::uint64_t identity = all.identity(group, &first, &size);
  char name[128], key[48];
  std::snprintf(name, sizeof(name), "%s/group %d.%d.%d.%08x",
                call.comm() < 0 ? "?" : call.communicator().key, tag, first, size,
                static_cast<unsigned>(identity));
  all.named_key(name, key);
  all.made(comm, call.comm(), call.function(), key, false);
}

void comm_made_later(Call& call, MPI_Comm* comm, MPI_Request handle) {
  char key[48];
  call.run().communicators.child_key(call.comm(), key);
  if (Request* request = call.run().requests.add(handle)) {
    request->kind = RequestKind::kNewComm;
    request->active = 1;
    request->link.comm = call.comm();
    request->comm = comm;
    __builtin_memcpy(request->key, key, sizeof(key));
  }
}

// Two groups that have no communicator in common: by their first members.
void comm_made_between(Call& call, int tag, MPI_Comm comm) {
  Communicators& all = call.run().communicators;
  std::int32_t number = all.made(comm, call.comm(), call.function(), "between", false);
  if (number < 0) return;
  Communicator& made = all[number];
  if (made.times > 1) return;
  std::int32_t one = made.first_member < 0 ? -1 : all.member(made.first_member);
  std::int32_t other =
      made.first_remote < 0 || made.remote_size == 0 ? -1 : all.member(made.first_remote);
  char name[64];
  std::snprintf(name, sizeof(name), "between %d.%d.%d", one < other ? one : other,
                one < other ? other : one, tag);
  all.named_key(name, made.key);
}

void comm_made_alone(Call& call, const char* name, MPI_Comm comm) {
  char key[48];
  call.run().communicators.named_key(name, key);
  call.run().communicators.made(comm, -1, call.function(), key, false);
}

}  // namespace recorder
