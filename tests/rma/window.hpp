#pragma once
// A window with two copies of everything.
//
// The private copy is the program's own memory, which its loads and stores work on. The public copy
// lies in memory that all ranks share: puts, gets and accumulates work on it, whoever carries them
// out, and whenever. What the owner has stored comes to the public copy when it publishes, and what
// others have changed comes to the private one when the owner adopts; that is where the standard
// demands it, and by chance earlier.
//
// What the owner has stored is told by a third copy, of what memory and window had in common last.
// Each byte is marked with who has changed it, who has read it, and when. Two ranks' accesses are
// ordered if one was complete before that rank spoke, and the other has listened since. More is
// ordered so than the program has ordered, and never less.

#include "shared.hpp"
#include "typemap.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace emulated {

constexpr int most_ranks = 32;
constexpr int most_regions = 64;

/// What is done with bytes of a window.
struct Access {
  bool writes;
  std::uint8_t number = 0;  ///< what kind of number accumulates are made of; 0 for others
  std::uint8_t number_bytes = 1;

  /// Whether both may be under way at once, `apart` bytes from each other.
  bool together(const Access& other, std::ptrdiff_t apart) const {
    return (!writes && !other.writes) ||
           (number != 0 && number == other.number && apart % number_bytes == 0);
  }
};

/// Who has had access to a byte last.
struct Mark {
  std::uint32_t time;  ///< of that rank, when the access was complete
  std::uint8_t rank;   ///< one more than it is; 0: nobody
  std::uint8_t number;
  std::uint8_t digit;  ///< which byte of the number
  bool news;           ///< to the owner, whose memory does not have it
};
struct Marks {
  Mark changed, read;
};

/// What a rank shows the others of its part of a window.
struct Face {
  std::atomic<bool> taken;            ///< by who reads or writes public copies
  std::atomic<std::uint32_t> spoken;  ///< how often this rank has told others anything

  // Locks of this rank's part.
  std::atomic<int> holders;                            ///< of shared locks; -1: of an exclusive one
  std::atomic<std::uint32_t> released[2][most_ranks];  ///< when, of each kind, by each rank

  // Synchronisation: how often each call has been made, and with which assertions.
  std::atomic<std::uint64_t> fences;
  std::atomic<int> fence_assertions[8];  ///< of the last ones, in turn
  std::atomic<std::uint32_t> fence_times[8];
  std::atomic<std::uint64_t> posts[most_ranks];  ///< by me, to each origin
  std::atomic<int> post_assertions[most_ranks];  ///< of the last of these
  std::atomic<std::uint32_t> post_times[most_ranks];
  std::atomic<std::uint64_t> closed[most_ranks];  ///< by each origin: all of its epoch is here
  std::atomic<bool> freed;

  // Memory.
  struct Region {
    std::uintptr_t address;
    std::size_t bytes, place;
  };
  std::size_t
      capacity;  ///< bytes of public copies, which follow this, and of marks, which follow those
  int unit;      ///< of displacements, unless they are addresses
  bool dynamic;
  std::atomic<int> regions;
  Region region[most_regions];
  std::size_t low, high;  ///< between these places others have changed bytes
};

/// The epochs that a rank is in.
struct Epochs {
  bool all_locked = false;
  std::set<int> locked, exclusive;
  bool fenced = false;
  std::uint64_t fences = 0;
  bool exposed = false, accessing = false;
  std::vector<int> posted_to, started_to;
  std::map<int, std::uint64_t> posts, starts;  ///< of each rank, ever

  bool passive(int target) const { return all_locked || locked.contains(target); }
  bool any_lock() const { return all_locked || !locked.empty(); }
};

class Window {
 public:
  struct Kind {
    std::size_t capacity;  ///< bytes that may be exposed
    int unit = 1;
    bool dynamic = false;
    bool ordered = true;  ///< whether accumulates are
    bool locks = true;    ///< whether there may be any
  };
  /// Collective. `window` is MPI's own, by which the program names this one.
  Window(MPI_Win window, MPI_Comm comm, const Kind& kind);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void attach(void* memory, std::size_t bytes);
  void detach(const void* memory);

  // The owner's.
  void publish(const char* call) { merge(true, false, call); }
  void adopt(const char* call) { merge(false, true, call); }
  void synchronise(const char* call) { merge(true, true, call); }
  /// Whether the owner has stored anything that it has not published.
  bool stored() const;

  // An origin's.
  /// The place of displacement 0 among the target's public copies. Ends the job if the runs, which
  /// count from `displacement`, are not within memory that is exposed.
  std::size_t place(int target, MPI_Aint displacement, const std::vector<Run>& runs,
                    const char* call);
  std::byte* public_copy(int target, std::size_t place);
  /// Marks bytes. Ends the job where another rank's access is in conflict with mine.
  void mark(int target, std::size_t place, std::size_t bytes, const Access& access,
            const char* call);
  /// My access to these bytes is complete.
  void completed(int target, const std::vector<Run>& runs, const Access& access);

  /// What this rank has done is told to others from now on.
  void speak() { ++mine().spoken; }
  /// What others had done when they last spoke is known to this rank.
  void listen();
  void listen(int rank, std::uint32_t time);
  /// By way of a rank, which may have told what others have told it.
  void listen_through(int rank, std::uint32_t time);
  std::uint32_t time() { return mine().spoken; }

  /// Waits until nobody has a lock that excludes mine.
  void acquire(int target, bool exclusive);
  void release(int target, bool exclusive);

  Face& face(int rank) { return *reinterpret_cast<Face*>(shared_.of(rank)); }
  Face& mine() { return face(rank_); }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  std::vector<int> ranks_of(MPI_Group group) const;
  const Kind& kind() const { return kind_; }
  /// What its calls are about (EMULATED_FORGET).
  const char* about() const { return kind_.unit == 8 ? "words" : "data"; }

  Epochs epochs;

 private:
  struct Exposed {
    std::byte* memory;
    std::vector<std::byte> common;  ///< what memory and window had in common last
    std::size_t place;
  };
  void merge(bool publishes, bool adopts, const char* call);
  Marks* marks(int target, std::size_t place);
  bool ordered(const Mark& before) const;
  void must_be_ordered(const Mark& before, const char* did, int target, std::size_t place,
                       const char* call);

  Kind kind_;
  Shared shared_;
  MPI_Group group_ = MPI_GROUP_NULL;
  int rank_ = 0, ranks_ = 0;
  std::uint8_t mine_ = 0;  ///< in marks
  std::vector<Exposed> exposed_;
  std::size_t taken_ = 0;             ///< bytes of my public copies
  std::vector<std::uint32_t> heard_;  ///< when each rank had spoken what I know of
};

/// As long as this lives, nobody else reads or writes the public copies of a rank.
class Alone {
 public:
  explicit Alone(Face& face);
  ~Alone() { face_.taken = false; }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  Face& face_;
};

/// All windows of this rank, by MPI's handles; those of shared memory are not among them.
std::map<MPI_Win, std::unique_ptr<Window>>& windows();
/// In all of them.
void speak();
void listen();

}  // namespace emulated
