// What the recorder makes of a call, beyond its place in the sums.
#pragma once

#include "call.hpp"

namespace recorder {

// Messages.
void sent(Call& call);
void received(Call& call, const MPI_Status& status);
void exchanged(Call& call, const MPI_Status& status);
void started(Call& call, LinkKind kind, MPI_Request request);
void started_both(Call& call, MPI_Request request);
void defined(Call& call, LinkKind kind, MPI_Request request, bool partitioned = false);
void begun(Call& call, std::int64_t count, const MPI_Request* requests);
void readied(Call& call, MPI_Request request);  // a partition of a message
void arrived(Call& call, MPI_Request request);

// A request of several links that is under way from now on, and the end of every call that starts.
void exchange_under_way(Call& call, Request& request, std::uint32_t way);
void end_start(Call& call);

// How much came; -1: it cannot be told.
std::int64_t bytes_in(const MPI_Status& status);

// A status that is there although the program does not want it.
class Forced {
 public:
  explicit Forced(MPI_Status* wanted) : status_(wanted == MPI_STATUS_IGNORE ? &own_ : wanted) {}
  MPI_Status* get() { return status_; }
  const MPI_Status& operator*() const { return *status_; }

 private:
  MPI_Status own_;
  MPI_Status* status_;
};

// The requests of a call that completes some of them.
class Completion {
 public:
  Completion(Call& call, std::int64_t count, const MPI_Request* requests, MPI_Status* statuses,
             std::uint32_t finish, bool several);
  // To be handed to MPI.
  MPI_Status* statuses() const { return statuses_; }

  void all();
  void one(std::int64_t index);                       // its status is the first
  void some(std::int64_t count, const int* indices);  // their statuses are the first ones
  void none();                                        // it only asked

 private:
  void complete(std::int64_t index, const MPI_Status* status);
  void end();

  Call& call_;
  std::int64_t count_;
  Bounded<MPI_Request>& requests_;
  MPI_Status* statuses_;
  std::uint32_t finish_;
  Episode* touched_[4] = {};
  std::uint32_t touched_count_ = 0;
};
void dropped(Call& call, MPI_Request request);    // MPI_Request_free
void cancelled(Call& call, MPI_Request request);  // it may be too late for that

// Collectives.
void met(Call& call);
void met_later(Call& call, MPI_Request request);
void met_often(Call& call, MPI_Request request);  // when it is started
// What all ranks of a collective are sent, or send: several counts of one datatype or of many.
void all_data(Call& call, Counts counts, MPI_Datatype type);
void all_data(Call& call, Counts counts, const MPI_Datatype* types);

// What a neighbourhood collective sends each neighbour, or receives of each.
struct Side {
  Side(std::int64_t each_count, MPI_Datatype each_type)
      : count(each_count), type(&each_type_), each_type_(each_type) {}
  Side(Counts counts_, MPI_Datatype each_type)
      : counts(counts_), type(&each_type_), each_type_(each_type) {}
  Side(Counts counts_, const MPI_Datatype* types_) : counts(counts_), type(types_), several(true) {}
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  Counts counts = Counts(static_cast<const int*>(nullptr));
  std::int64_t count = 0;
  const MPI_Datatype* type;
  bool several = false;

 private:
  MPI_Datatype each_type_{};
};
void neighbors(Call& call, MPI_Comm comm, const Side& out, const Side& in);
void neighbors_later(Call& call, MPI_Comm comm, const Side& out, const Side& in,
                     MPI_Request request);
void neighbors_often(Call& call, MPI_Comm comm, const Side& out, const Side& in,
                     MPI_Request request);

// Communicators that come and go.
void comm_made(Call& call, MPI_Comm comm, bool divided);
void comm_made_by_group(Call& call, MPI_Group group, int tag, MPI_Comm comm);
void comm_made_later(Call& call, MPI_Comm* comm, MPI_Request request);
void comm_made_between(Call& call, int tag, MPI_Comm comm);
void comm_made_alone(Call& call, const char* name, MPI_Comm comm);

// Windows.
void window_made(Call& call, MPI_Win window, const char* flavour, std::int64_t bytes);
void accessed(Call& call, LinkKind kind, int target, const MPI_Request* request);
void fenced(Call& call, int assertion);
void access_begins(Call& call);
void access_ends(Call& call);
void exposure_begins(Call& call);
void exposure_ends(Call& call, bool ended);
void locked(Call& call);
void unlocked(Call& call);
void flushed(Call& call, int target, bool all);

}  // namespace recorder
