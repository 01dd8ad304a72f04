#pragma once
// Neighbourhood collectives of one communicator.
//
// Whom a rank waits for, and why that ends
// ----------------------------------------
// All ranks of the communicator make these calls in the same order, so each knows the number of a
// call without asking. A blocking collective may synchronise all of its ranks, and correct programs
// allow for it. So within a call all ranks may meet; what is below relies on nothing else. Nothing
// is asked of a rank outside of such a call.
//
//   watching   The program's calls, untouched. After calls number 4, 8, 16, ... all ranks meet and
//              compare which periods they have seen: cycles of calls whose messages have the same
//              lengths. If one is common to all, they make an exchange for each call of the cycle.
//              If that fails, it fails on all (halocline::Error), and they leave it for good.
//   comparing  Before each call the ranks meet: does everybody make the call that is expected? If
//              not, all hand back for good. Else MPI carries into the program's buffers, the scheme
//              carries into memory of ours, and the ranks meet again: are the bytes the same?
//   carrying   The scheme carries alone, and nobody meets. Each message begins with a word that
//   says
//              whether the sender has packed what was agreed on. A rank whose call has a message of
//              another length sends that one by itself (MPI_Isend on our communicator), sends what
//              is agreed on, with the word set and anything in it, and receives as always. Whoever
//              finds the word set receives the other message instead, in the program's buffer. So
//              every rank carries out every step in full, whatever its arguments: a peer that waits
//              for a message of the exchange gets one, and a message sent apart was started before
//              the step in which its receiver learns of it. There is no way that a rank could stay
//              out. Other addresses, and other datatypes of the same lengths, are no matter at all,
//              for messages are packed and unpacked by the arguments of each call.
//              After 16, 32, ... 256, 512, ... such steps, all ranks meet; if anything has
//              surprised anybody, all hand back for good.
//   native     The program's calls for good.
//
// A rank that ends early, or aborts, leaves its peers in a call where MPI would have left them. No
// communicator is freed before MPI_Finalize but the program's own, which ours do not need.

#include "carrier.hpp"
#include "data.hpp"
#include "report.hpp"
#include "talk.hpp"
#include "watched.hpp"

#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace substitute {

/// What a call sends and receives, neighbour by neighbour.
struct NeighborData {
  std::vector<Data> out, in;
};

/// Neighbours of this rank, in the order of the topology.
struct Neighbors {
  std::vector<int> out, in;
  const char* topology = "";
  bool is_grid = false;

  static std::optional<Neighbors> of(MPI_Comm comm);
  /// The order of messages, those to or from the same rank in the same order at both ends: as the
  /// standard has it, or as MPI libraries have it that pair neighbours of a small periodic grid
  /// number by number.
  std::vector<std::size_t> out_order() const;
  std::vector<std::size_t> in_order(bool by_number) const;
};

class Neighborhood {
 public:
  /// That of a communicator of the program's; null if it has none that can be looked after.
  static Neighborhood* of(MPI_Comm comm);
  /// The program frees it.
  static void forget(MPI_Comm comm);

  /// One call: `fill` says what it sends and receives, `native` makes it. `name` is the function's.
  template <class Native, class Fill>
  int call(const char* name, Native&& native, Fill&& fill) {
    ++entry_->steps;
    if (phase_ == Phase::native) return native();
    fill(neighbors_, data_);
    switch (phase_) {
      case Phase::watching: {
        note(name);
        const int result = native();
        if (meets_after(entry_->steps)) meet();
        return result;
      }
      case Phase::comparing: {
        if (!expected_by_all()) return native();
        const int result = native();
        compare(result == MPI_SUCCESS);
        return result;
      }
      default: return carry();
    }
  }

  explicit Neighborhood(MPI_Comm comm, Neighbors neighbors);

 private:
  enum class Phase { watching, comparing, carrying, native };
  struct Step {
    std::vector<std::size_t> out, in;  // bytes
    bool operator==(const Step&) const = default;
  };
  struct Plan {
    Step step;
    std::shared_ptr<Carrier> carrier;
  };

  void note(const char* name);
  void meet();
  void report();
  bool make(bool by_number);
  bool expected_by_all();
  void compare(bool done);
  int carry();
  int send_apart(std::size_t message, const Data& data);
  int receive(Plan& plan, std::size_t message);
  void hand_back(Why why);
  void surprise(Why why) { surprised_ = surprised_ > why ? surprised_ : why; }
  Why seen_now() const;
  Plan& plan() { return plans_[(entry_->steps - first_) % plans_.size()]; }

  MPI_Comm comm_;  // the program's
  Neighbors neighbors_;
  NeighborData data_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::shared_ptr<Entry> entry_;
  bool reported_ = false;
  Phase phase_ = Phase::watching;
  Watched<Step> watched_;
  bool possible_ = true;  // as far as this rank can tell

  std::shared_ptr<Talk> talk_;
  std::vector<std::size_t> out_order_, in_order_;  // the neighbour of each message
  std::vector<int> out_tags_, in_tags_;            // of messages sent apart
  std::vector<Plan> plans_;                        // of the calls of a cycle
  std::uint64_t first_ = 0;                        // number of the call that the first plan is of
  std::uint64_t compared_ = 0;
  bool by_number_ = false;
  Why surprised_ = Why::none;
  std::vector<MPI_Request> requests_;
};

}  // namespace substitute
