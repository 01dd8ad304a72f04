#pragma once
// Windows: the memory that other ranks reach, and what is put into it or got out of it.
//
// In the words of the standard the *origin* calls MPI_Put or MPI_Get and the *target* owns the
// memory. With put a rank is origin of its sends and target of its receives; with get it is origin
// of its receives and target of its sends.
//
// With `pack=on` windows hold one message slot (or several, for steps in turn) for each link of the
// target; at the origin a contiguous block is put from, or got into, where it lies. With `pack=off`
// windows lie over the fields and MPI datatypes describe both sides: nothing is copied.
//
// Accumulating is putting with pack=off, but for the call: MPI_Accumulate with MPI_REPLACE, or,
// where the exchange combines (Setup::combine), with what combines.

#include "exchange/core/registry.hpp"

#include <deque>
#include <set>

namespace halocline::detail {

/// A window and, in ranks of its communicator, who reaches me through it and whom I reach.
struct RmaWindow {
  std::vector<std::byte> slots{};  ///< memory under the window, unless MPI allocated it
  mpi::Window own{};               ///< null if the window belongs to a field's memory
  MPI_Win handle = MPI_WIN_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> origins{}, targets{};

  std::byte* base = nullptr;  ///< displacements count from here
  Memory field{};             ///< whose window this is, if not my own

  bool is_own() const noexcept { return own.get() != MPI_WIN_NULL; }
};

/// Whether loads and stores of the owner and accesses of others see the same copy.
bool is_unified(MPI_Win window);

/// One MPI_Put, MPI_Get or MPI_Accumulate of bytes between `here` and a peer's window.
struct RmaTransfer {
  void* here = nullptr;
  std::size_t frame = 0;  ///< bytes, if it is one (Setup::framing)
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Win window = MPI_WIN_NULL;
  int target = MPI_PROC_NULL;
  MPI_Aint displacement = 0;
  MPI_Aint slot = 0;  ///< from one step's slot to the next's
  int target_count = 0;
  MPI_Datatype target_type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;  ///< of MPI_Accumulate
};

/// What one link needs as origin.
struct RmaAccess {
  int peer = MPI_PROC_NULL;      ///< in ranks of the exchange
  int target = MPI_PROC_NULL;    ///< the same, in ranks of its windows' communicator
  std::vector<MPI_Win> windows;  ///< those of `transfers`, each once
  std::vector<RmaTransfer> transfers;
  std::size_t bytes = 0;  ///< of a message
};

struct RmaDemands {
  int slots = 1;      ///< per link, used in turn (pack=on)
  bool locks = true;  ///< whether MPI_Win_lock or lock_all will be called
  /// Bytes before each message's cells, for the caller to fill; then messages are in buffers at the
  /// origin, too (pack=on).
  std::size_t header = 0;
};

class RmaWindows {
 public:
  /// Collective. Throws the same Error on all ranks if the memory asked for cannot be reached.
  RmaWindows(const Setup& setup, const Bases& bases, const char* what, RmaDemands demands = {});
  ~RmaWindows();
  RmaWindows(const RmaWindows&) = delete;
  RmaWindows& operator=(const RmaWindows&) = delete;

  bool puts() const noexcept { return puts_; }  ///< or accumulates
  bool accumulates() const noexcept { return accumulates_; }
  /// Whether my loads and stores and others' accesses see the same copy of every window.
  bool unified() const;
  bool in_place() const noexcept { return in_place_; }  ///< between fields
  int slots() const noexcept { return in_place_ ? 0 : demands_.slots; }

  const std::vector<RmaWindow>& windows() const noexcept { return windows_; }
  /// One for each link of which I am origin, in the pattern's order.
  const std::vector<RmaAccess>& accesses() const noexcept { return accesses_; }

  /// The fields are elsewhere now: so is what is put from them or got into them (pack=on).
  void rebind(const Bases& bases);
  /// Fills what is sent: the messages to put, or my slots for others to get.
  void pack();
  /// Starts the transfers of one access, or of all.
  void move(const RmaAccess& access) const { move(access, turn_); }
  void move_all() const {
    for (const RmaAccess& access : accesses_) move(access);
  }
  /// Empties what has arrived: my slots, or the messages got. The next step uses the next slots.
  void unpack();

  /// Message by message, for links that do not move in step (`header` > 0): one transfer to or from
  /// slot `turn`, the message's buffer at the origin, and its slot at the target.
  void move(const RmaAccess& access, int turn) const;
  std::byte* buffer(std::size_t access) { return staged_[access].buffer.data(); }
  std::byte* slot(std::size_t exposure, int turn) const;

 private:
  /// A link of which I am target: its slot in my windows.
  struct Exposure {
    Layout layout;
    std::byte* slot = nullptr;
  };
  /// A link of which I am origin, where it is not moved in place.
  struct Staged {
    Layout layout;
    std::vector<std::byte> buffer{};
  };
  /// Windows on one communicator: all ranks', or one rank's neighbourhood.
  struct Neighborhood {
    std::set<int> owners{};  ///< the only ranks with memory in it; empty: everyone has
    MPI_Comm comm = MPI_COMM_NULL;
    std::shared_ptr<mpi::Comm> own{};  ///< that of all exchanges with this neighborhood
    std::size_t first = 0;             ///< of its windows
    bool exposes(int rank) const { return owners.empty() || owners.contains(rank); }
  };

  /// A window that is to be made.
  struct Wanted {
    MPI_Comm comm;
    std::size_t bytes;
    bool same_size;                           ///< on all its ranks
    std::vector<std::span<std::byte>> given;  ///< memory, if it has none of its own
  };

  std::string refusal(const Setup& setup) const;
  void join_neighborhoods(const Setup& setup);
  const Neighborhood& neighborhood_of(int owner) const;
  std::vector<std::int64_t> open_slots(const Setup& setup);
  std::vector<std::int64_t> open_fields(const Setup& setup);
  std::vector<std::size_t> windows_of(std::span<const Field> fields);
  std::vector<RmaWindow> make(std::vector<Wanted> wanted) const;
  void make(const Wanted& wanted, RmaWindow& window, MPI_Win* raw) const;
  bool same_size(const Neighborhood& neighborhood, std::size_t bytes) const;
  std::size_t message_bytes(const Layout& cells) const { return demands_.header + cells.bytes(); }
  std::int64_t displacement(const RmaWindow& window, const std::byte* byte) const;
  void prepare_accesses(const Setup& setup, const std::vector<std::int64_t>& places);
  RmaTransfer to_or_from_slot(const Layout& local);
  std::vector<RmaTransfer> between_fields(std::byte* base, const Layout& local,
                                          const Layout& remote, Number number);
  RmaTransfer between_fields(std::byte* base, const Layout& local, const Layout& remote,
                             MPI_Datatype numbers);

  void pack(const Layout& layout, std::byte* message) const;
  void unpack(const Layout& layout, const std::byte* message) const;

  const Setup& setup_;
  const char* what_;
  Bases bases_;
  bool puts_, in_place_, neighbours_, per_link_;
  bool accumulates_;
  std::string alloc_;
  RmaDemands demands_;
  std::vector<int> origins_, targets_;  // peers that reach me, and that I reach
  int turn_ = 0;

  std::vector<Neighborhood> neighborhoods_;
  std::vector<RmaWindow> windows_;
  std::vector<Exposure> exposures_;
  std::vector<Staged> staged_;
  std::deque<mpi::Bytes> bytes_;
  std::vector<mpi::Datatype> types_;
  std::vector<RmaAccess> accesses_;
};

}  // namespace halocline::detail
