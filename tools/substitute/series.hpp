#pragma once
// Neighbourhood collectives that are started and completed apart: all nonblocking ones of a
// communicator, or those of one persistent request.
//
// Whom a rank waits for, and why that ends
// ----------------------------------------
// A start is local: it waits for nobody. A completion may wait until others have made the matching
// start, and for nothing else: who has started may be anywhere, and may never come into MPI again
// before its peers have completed. So no Exchange serves here. A sender packs its messages into
// memory of its own that its receivers read (mailbox.hpp), and is through with them. A receiver
// takes them when it completes, from senders that have started. A sender completes once its
// receivers have started, too (each rank counts its starts where others see it): so nobody runs
// ahead by more than the program's own open steps, and memory stays bounded by them.
//
// All ranks start in the same order (those of one request: each has completed before it starts
// again), so each knows the number of a step without asking:
//
//   1 to 4     The program's calls, untouched. In step 4 (with persistent ones: when they are made)
//              each rank tells the others where its memory and its queues begin, by nonblocking
//              collectives on the same communicator. So the queues join what MPI itself takes for
//              the two ends of an edge.
//   comparing  MPI carries into the program's buffers, the queues carry, too, and receivers compare
//              the bytes before the step completes. Who finds a difference says so where all
//              others see it. In the last of these steps nobody compares, and a completion waits
//              for the starts of all ranks.
//   then       If any rank has said so, MPI carries for good; else the queues.
//
// No message can tell a rank in time to go over, since it may start as many steps as it likes
// before it completes any, and must not wait there. So what decides is the number of the step, and
// what others have said until then. A rank that has completed the step before, as all real programs
// do, knows what every other knows, for all have started that step after they have completed those
// before. A rank that has not goes by what it sees. If then two ranks go different ways (bytes
// differed and steps were open, both of which no correct program is known to have), each of them
// sees it when it completes, and ends the job rather than to hang.
//
// From there on nothing can surprise: every step is carried in full with its own arguments, of
// whatever lengths and datatypes, from whatever thread. What is packed or unpacked in a program
// that may have a device's memory goes through MPI_Pack and MPI_Unpack.
//
// The request that the program holds is MPI's own: a receive of nothing from the rank itself, which
// is sent when the step is complete (requests.hpp). So it goes with others in any array.

#include "mailbox.hpp"
#include "neighborhood.hpp"
#include "report.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace substitute {

class Series;

/// A step that has been started.
struct OpenStep {
  std::shared_ptr<Series> series;
  std::uint64_t number = 0;
  NeighborData data;
  MPI_Request native = MPI_REQUEST_NULL;  ///< what MPI carries of it
  bool by_native = false, by_queues = false;
  std::vector<char> received;  ///< by neighbour
  std::size_t missing = 0;
  int error = MPI_SUCCESS;
  MPI_Request request = MPI_REQUEST_NULL;  ///< what the program holds; null: it has let go of it
  int tag = 0;                             ///< of the message that completes it
};

class Series : public std::enable_shared_from_this<Series> {
 public:
  /// That of a communicator's nonblocking calls. Null if it has no neighbours.
  static std::shared_ptr<Series> of(MPI_Comm comm);
  /// One more, of a persistent request; null if MPI shall have it.
  static std::shared_ptr<Series> of_persistent(MPI_Comm comm, const char* name);
  /// The program frees the communicator, which had this one, or null.
  static std::shared_ptr<Series> forgotten(MPI_Comm comm);

  Series(MPI_Comm comm, Neighbors neighbors, bool persistent);

  const Neighbors& neighbors() const { return neighbors_; }
  /// Null when the program has freed it.
  MPI_Comm comm() const { return comm_; }
  bool is_persistent() const { return persistent_; }

  /// A step begins; its number, and who is to carry it.
  std::uint64_t count(const char* name);
  bool goes_by_native(std::uint64_t number) const;
  bool goes_by_queues(std::uint64_t number) const;
  /// Whether MPI's own request is to be watched.
  bool is_watched(std::uint64_t number) const {
    return goes_by_queues(number) || (possible_ && number == turn_);
  }
  /// After MPI has started its part.
  void after_native_start(std::uint64_t number);
  /// Packs what is sent.
  void send(OpenStep& step);
  /// Whether it is over; takes what has come.
  bool advance(OpenStep& step);
  /// Whether it has no open steps, and its memory has been given back.
  bool clear();
  /// Whether nothing is under way on the communicator but the program's own.
  bool leaves_comm();
  static bool all_leave_comms();

  std::uint64_t open = 0;  ///< steps

 private:
  /// In shared memory: what a rank says of itself.
  struct alignas(64) Said {
    std::atomic<std::uint64_t> started, differs_at, way;
  };
  enum : std::uint64_t { undecided, queues, native };

  void report();
  void set_up();
  bool is_set_up();
  void decide();
  bool all_have_started(std::uint64_t number) const;
  bool receivers_have_started(std::uint64_t number) const;
  void check_ways() const;
  void receive(OpenStep& step, std::size_t neighbor);
  void differs(std::uint64_t number);

  MPI_Comm comm_;
  Neighbors neighbors_;
  bool persistent_, possible_ = false, speaks_ = false;
  std::string where_;  // "a grid of 4 ranks"
  std::shared_ptr<Entry> entry_;
  std::uint64_t turn_ = 0;  // the first step that queues alone carry
  std::uint64_t way_ = undecided;

  std::vector<int> world_ranks_;
  Said* mine_ = nullptr;
  std::vector<Outbox> out_;  // by neighbour
  std::vector<Inbox> in_;
  struct Edge {
    std::uint64_t queue, number;  // place of its queue, and number among those of the same ranks
  };
  std::vector<Edge> told_, heard_;
  std::uint64_t place_ = 0;  // of what ranks say of themselves
  std::vector<std::uint64_t> places_;
  std::vector<MPI_Request> setup_;
  std::vector<Said*> all_;
  bool is_set_up_ = false;
};

}  // namespace substitute
