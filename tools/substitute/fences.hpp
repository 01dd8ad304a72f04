#pragma once
// Windows that are used alike at every fence.
//
// Whom a rank waits for, and why that ends
// ----------------------------------------
// MPI_Win_fence is collective over the window's ranks and may synchronise them all; correct
// programs allow for it. So each knows the number of a fence without asking, and within a fence all
// may meet, on a communicator of ours. Nothing is asked of a rank outside of its fences: MPI_Put
// and its like are local, and stay so.
//
//   watching   The program's calls, untouched. After fences number 4, 8, 16, ... all ranks meet and
//              compare which periods they have seen: cycles of epochs with the same puts (target,
//              displacement, counts, types; from any address). If one is common to all, the ranks
//              tell each other where puts of each epoch go, byte by byte, and make an exchange for
//              each epoch. Targets refuse what leaves their window or overlaps; if anybody refuses,
//              all leave it for good.
//   comparing  Puts go to MPI at once. At each fence the ranks meet: has everybody put what is
//              expected, and nothing else? If not, all go through MPI's fence and hand back for
//              good. Else all go through MPI's fence, then the scheme carries into memory of ours,
//              targets compare it with their window, and the ranks meet again before anybody leaves
//              the fence (who left could change a window that is still being compared).
//   carrying   What is put is kept as a note until the fence; MPI allows for that, since a put
//              is over, at either end, when the fence is. At the fence all ranks meet: has
//              everybody put what is expected? By this, every rank is in its fence, so windows may
//              be written. If so, the scheme carries from the origins' buffers to the targets'
//              windows, and MPI hears nothing of it. If not (anything else was put, got or
//              accumulated, or anything below has happened), all ranks give their notes to MPI now,
//              in their order, go through MPI's fence, and hand back for good. Notes must wait,
//              also those of a surprised rank: a target may still be inside of the fence before and
//              write its window, so a put of the next epoch must not come yet. A rank whose fence
//              has returned finds its own window written; others' it can only reach by the next
//              fence (whose meeting comes after they have left this one), or by another
//              synchronisation that they take part in.
//   native     The program's calls for good.
//
// MPI's own idea of the window stays right all the time: the last fence that it has seen was one
// without MPI_MODE_NOSUCCEED (assertions may always be left out), so that notes may be given to it,
// and from there on any other synchronisation is allowed as well. In the fence that hands back,
// MPI_MODE_NOSTORE is left out, for the scheme has stored into windows.
//
// Surprises are only remembered where they happen, and told at the next fence: locks, start and
// post on the window (which go to MPI at once, after notes, if there are any; a correct program has
// none then), other threads, a datatype of the pattern that is freed (its handle may come back as
// another; notes hold a duplicate of it). If no next fence ever comes, nothing needs to be handed
// back: every fence has left all windows as MPI would have.
//
// A rank that ends early, or aborts, leaves its peers in a fence where MPI would have left them.

#include "carrier.hpp"
#include "data.hpp"
#include "report.hpp"
#include "talk.hpp"
#include "watched.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace substitute {

/// A call that communicates between two fences.
struct Operation {
  enum class Call { put, get, accumulate, get_accumulate, fetch_and_op, compare_and_swap };
  Call call = Call::put;
  const void* origin = nullptr;
  MPI_Count origin_count = 0;
  MPI_Datatype origin_type = MPI_DATATYPE_NULL;
  int target = MPI_PROC_NULL;
  MPI_Aint displacement = 0;
  MPI_Count target_count = 0;
  MPI_Datatype target_type = MPI_DATATYPE_NULL;
  void* result = nullptr;
  MPI_Count result_count = 0;
  MPI_Datatype result_type = MPI_DATATYPE_NULL;
  const void* compared = nullptr;
  MPI_Op op = MPI_OP_NULL;
  /// How often handles like those of its types have been freed before it.
  std::uint64_t freed = 0;

  /// Whether the same bytes go to the same places; from any address.
  bool operator==(const Operation& other) const;
  /// Makes the call.
  int issue(MPI_Win window) const;
};

class FencedWindow {
 public:
  static FencedWindow* of(MPI_Win window);
  /// Before the program frees it.
  static void forget(MPI_Win window);
  /// Before the program frees a datatype.
  static void forget_type(MPI_Datatype type);

  int fence(int assertion);
  /// Whether it has been noted, and MPI is to hear of it later.
  bool notes(const Operation& operation);
  /// The window is synchronised otherwise. `begins`: from now on until `ends` calls are not for a
  /// fence.
  void synchronised_otherwise(bool begins, bool ends);

  FencedWindow(MPI_Win window, bool possible, std::shared_ptr<Entry> entry)
      : window_(window), possible_(possible), entry_(std::move(entry)) {}

 private:
  enum class Phase { watching, comparing, carrying, native };
  using Epoch = std::vector<Operation>;
  /// What a rank puts into one other in an epoch: these operations, one after another.
  struct Outgoing {
    int target;
    std::vector<std::size_t> operations;
    std::size_t bytes;
  };
  struct Incoming {
    int origin;
    std::vector<Run> runs;  // from the window's beginning
    std::size_t bytes;
  };
  struct Plan {
    Epoch epoch;
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    std::shared_ptr<Carrier> carrier;  // null if nobody puts anything
  };

  static constexpr std::size_t most_operations = 4096;

  int fence_of_mpi(int assertion);
  int fence_watching(int assertion);
  int fence_comparing(int assertion);
  int fence_carrying(int assertion);
  void meet();
  bool make(std::size_t period);
  std::string place_puts(std::size_t period);
  Why why_not_expected() const;
  bool pack(Plan& plan);
  void unpack(const Plan& plan);
  bool compare(const Plan& plan) const;
  void give_notes_to_mpi();
  void duplicate_types(MPI_Datatype type);
  /// From this step on.
  void hand_back(Why why, std::uint64_t step);
  void surprise(Why why) { surprised_ = surprised_ > why ? surprised_ : why; }
  Plan& plan() { return plans_[(entry_->steps - first_) % plans_.size()]; }
  const Plan& plan() const { return plans_[(entry_->steps - first_) % plans_.size()]; }

  MPI_Win window_;
  bool possible_;  // as far as this rank can tell
  std::shared_ptr<Entry> entry_;
  Phase phase_ = Phase::watching;
  std::thread::id thread_ = std::this_thread::get_id();
  std::mutex mutex_;  // several threads may put
  Epoch epoch_;       // since the last fence; while carrying, notes
  bool too_many_ = false;
  Watched<Epoch> watched_;
  int otherwise_ = 0;  // epochs of other kinds that are open
  Why surprised_ = Why::none;
  std::vector<MPI_Datatype> duplicates_;

  std::shared_ptr<Talk> talk_;
  std::byte* base_ = nullptr;
  std::vector<Plan> plans_;
  std::uint64_t first_ = 0, compared_ = 0;
};

}  // namespace substitute
