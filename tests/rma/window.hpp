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
// What others have changed is marked, byte by byte, with who has.

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

/// What a rank shows the others of its part of a window.
struct Face {
  std::atomic<bool> taken;  ///< by who reads or writes public copies

  // Synchronisation: how often each call has been made, and with which assertions.
  std::atomic<std::uint64_t> fences;
  std::atomic<int> fence_assertions[8];           ///< of the last ones, in turn
  std::atomic<std::uint64_t> posts[most_ranks];   ///< by me, to each origin
  std::atomic<int> post_assertions[most_ranks];   ///< of the last of these
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
  std::set<int> locked;
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
  /// Marks bytes as changed by me. Ends the job where another rank has put there, too.
  void mark(int target, std::size_t place, std::size_t bytes, bool accumulated, const char* call);

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
  std::uint8_t* marks(int target, std::size_t place);

  Kind kind_;
  Shared shared_;
  MPI_Group group_ = MPI_GROUP_NULL;
  int rank_ = 0, ranks_ = 0;
  std::vector<Exposed> exposed_;
  std::size_t taken_ = 0;  ///< bytes of my public copies
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

}  // namespace emulated
