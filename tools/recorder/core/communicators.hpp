// Communicators, with keys that are the same on all their members though nobody asks anybody: the
// key of the parent, and the number of what was made from it.
#pragma once

#include "bounded.hpp"
#include "clock.hpp"
#include "functions.hpp"
#include "mpi.hpp"

namespace recorder {

struct Key {
  char words[48];
  std::uint32_t number;  // of those made from the same, or by the same name
  // So many have lines of their own; the next ones take the line of one like them that is freed.
  // All members count the same, so that all do it at the same time.
  bool shares() const { return number >= 16; }
};

struct Communicator {
  Key key;
  std::uint32_t made_from;  // the parent's number
  std::uint64_t identity;   // of its members
  Function maker;
  std::int32_t rank;
  std::int32_t size;
  std::int32_t remote_size;   // 0: no intercommunicator
  std::int64_t first_member;  // places among the members; -1: there was no room
  std::int64_t first_remote;
  std::uint32_t children;  // communicators and windows made from it
  std::uint32_t times;     // it was made, and freed before it was made again
  std::uint32_t alive;
  // The topology, asked for when it is needed first.
  std::int32_t topology;        // MPI_UNDEFINED, or MPI_CART...
  std::int64_t first_topology;  // places among the members: what MPI tells, see below
  std::int32_t dimensions;
  bool neighbors_known;
  std::int64_t first_source;
  std::int32_t sources;
  std::int64_t first_destination;
  std::int32_t destinations;
};

class Communicators {
 public:
  Communicators();

  // The world, itself, and who this process's parent is: first of all. Sessions have the first
  // alone.
  void begin(MPI_Comm world, bool of_session);

  // The number of a communicator, or -1.
  std::int32_t number(MPI_Comm comm) {
    if (comm == last_comm_ && last_ >= 0) return last_;
    std::int32_t found = handles_.find(number_of(comm));
    if (found >= 0) {
      last_comm_ = comm;
      last_ = found;
    }
    return found;
  }
  Communicator& operator[](std::int32_t number) {
    return communicators_[static_cast<std::uint32_t>(number)];
  }
  std::uint32_t size() const { return communicators_.size(); }
  std::uint64_t left_out() const { return left_out_; }

  // `comm` was made by a call that all members of `parent` made. `divided`: each member belongs to
  // one of several, told apart by their first members.
  std::int32_t made(MPI_Comm comm, std::int32_t parent, Function maker, const Key& key,
                    bool divided);
  // The key of the next child.
  Key child_key(std::int32_t parent);
  // The same of what only some members of the parent make, or members of several: their number is
  // counted for each `name`.
  Key named_key(const char* name);
  void freed(MPI_Comm comm);

  // The rank in the world of a rank that messages through `comm` go to, or -1.
  std::int32_t world_rank(const Communicator& comm, std::int32_t rank) const {
    std::int64_t first = comm.remote_size > 0 ? comm.first_remote : comm.first_member;
    std::int32_t size = comm.remote_size > 0 ? comm.remote_size : comm.size;
    if (first < 0 || rank < 0 || rank >= size) return -1;
    return members_[static_cast<std::uint32_t>(first + rank)];
  }
  std::int32_t member(std::int64_t place) const {
    return members_[static_cast<std::uint32_t>(place)];
  }
  // Who a neighbourhood collective receives from and sends to: ranks of `comm`, MPI_PROC_NULL among
  // them.
  void find_neighbors(MPI_Comm handle, Communicator& comm);
  // A number that is the same for the same members, on all of them.
  std::uint64_t identity(MPI_Group group, std::int32_t* first, std::int32_t* size);
  // Ranks of the world of a group's members; -1: there is no room.
  std::int64_t add_members(MPI_Group group, std::int32_t size);

 private:
  static constexpr std::uint32_t kMost = 4096;

  std::int64_t add_numbers(const std::int32_t* numbers, std::uint32_t count);
  std::int32_t add(MPI_Comm comm, const Key& key, std::uint32_t parent, Function maker,
                   bool divided);
  std::int32_t use_again(const Communicator& made);
  void read_topology(MPI_Comm comm, Communicator& into);

  Bounded<Communicator> communicators_;
  Bounded<std::int32_t> members_;
  HandleMap handles_;
  HandleMap lists_;  // hashes of lists of members to their places
  struct Named {
    std::uint64_t hash;
    std::uint32_t count;
  };
  Bounded<Named> named_;
  MPI_Comm last_comm_{};
  std::int32_t last_ = -1;
  MPI_Group world_group_{};
  std::uint64_t left_out_ = 0;
};

}  // namespace recorder
