#pragma once
// RAII handles over MPI: nothing above this layer frees an MPI object by hand.

#include <halocline/environment.hpp>
#include <halocline/error.hpp>
#include <halocline/more/events.hpp>

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

namespace mpi {

/// An MPI call failed; the message holds the call's name and the library's text.
class CallFailed : public Error {
 public:
  CallFailed(const char* call, int code);
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Throws CallFailed unless `code` is MPI_SUCCESS. `call` is the MPI function's name.
inline void check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw CallFailed(call, code);
}

namespace detail {
// clang-format off
/// Whether an MPI function may return only when other ranks have come to it, too. (Without those
/// for files: writing much takes long although no rank is late.)
constexpr bool meets(std::string_view function) noexcept {
  for (const std::string_view one :
       {"Allgather", "Allgatherv", "Allreduce", "Alltoall", "Alltoallv", "Alltoallw", "Barrier",
        "Bcast", "Cart_create", "Comm_create", "Comm_create_group", "Comm_dup",
        "Comm_dup_with_info", "Comm_free", "Comm_split", "Comm_split_type", "Dist_graph_create",
        "Dist_graph_create_adjacent", "Exscan", "Gather", "Gatherv", "Intercomm_create",
        "Intercomm_merge", "Mprobe", "Neighbor_allgather", "Neighbor_allgatherv",
        "Neighbor_alltoall", "Neighbor_alltoallv", "Neighbor_alltoallw", "Probe", "Recv", "Reduce",
        "Reduce_scatter", "Reduce_scatter_block", "Rsend", "Scan", "Scatter", "Scatterv", "Send",
        "Sendrecv", "Sendrecv_replace", "Ssend", "Wait", "Waitall", "Waitany", "Waitsome",
        "Win_allocate", "Win_allocate_shared", "Win_complete", "Win_create", "Win_create_dynamic",
        "Win_fence", "Win_flush", "Win_flush_all", "Win_free", "Win_lock", "Win_lock_all",
        "Win_start", "Win_unlock", "Win_unlock_all", "Win_wait"})
    if (function.starts_with("MPI_") && function.substr(4) == one) return true;
  return false;
}
// clang-format on
/// From here on the time limit (Patience) holds for a call into MPI that cannot be polled. False if
/// it holds already for an enclosing call.
bool watch(const char* what) noexcept;
void unwatch() noexcept;
/// Whether there is MPI_COMM_WORLD, and MPI_COMM_SELF: not before MPI_Init, nor in a program of
/// sessions alone.
bool world_is_there() noexcept;

/// A call that meets other ranks.
template <bool>
class Meeting {
 public:
  explicit Meeting(const char* what) noexcept : watched_(watch(what)) {}
  ~Meeting() {
    if (watched_) unwatch();
  }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

 private:
  bool watched_;
};
template <>
class Meeting<false> {
 public:
  explicit constexpr Meeting(const char*) noexcept {}
};

}  // namespace detail
// clang-format off
/// Calls an MPI function and throws if it fails: `HALOCLINE_MPI(MPI_Barrier, comm)`. The temporary
/// records the call in a trace if that shows it (activity_of). A call that waits for other ranks
/// waits no longer than the time limit (Blocking).
#define HALOCLINE_MPI(function, ...)                                                           \
  (static_cast<void>(::halocline::trace::detail::Call<::halocline::activity_of(#function)>()), \
   static_cast<void>(::halocline::mpi::detail::Meeting<::halocline::mpi::detail::meets(        \
                         #function)>(#function ", to which all ranks have to come")),          \
   ::halocline::mpi::check(function(__VA_ARGS__), #function))
// clang-format on
/// Whether MPI may be called: it has been initialised and not finalised, by this process and none
/// that it was forked off. In a program that has begun MPI by sessions alone: since an object of
/// this library has been made there, which must end before its session does.
bool running() noexcept;

/// Whether a destructor must leave alone what it shares with other ranks: during an exception that
/// not all of them throw, because peers may be gone and it must not wait for them; within an
/// Abandoning; and when MPI must not be called. Every destructor that would call MPI asks this.
bool abandoning() noexcept;

/// While one lives, `abandoning()` is true if `really`: objects end without their peers.
class Abandoning {
 public:
  explicit Abandoning(bool really) noexcept;
  ~Abandoning();
  Abandoning(const Abandoning&) = delete;
  Abandoning& operator=(const Abandoning&) = delete;

 private:
  bool really_;
};

/// Sole owner of an MPI object; `Traits` name its null value and its free function. Freeing windows
/// and communicators is collective: all ranks end such handles in the same order. (The library's
/// own objects hold theirs until all ranks have let go of them.)
template <class Traits>
class Handle {
 public:
  using Raw = typename Traits::Raw;

  Handle() noexcept = default;
  explicit Handle(Raw raw) noexcept : raw_(raw) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, Traits::null())) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() {
    // A collective free might wait for ranks that never come; after MPI_Finalize it is gone anyway.
    if (raw_ != Traits::null() && !abandoning()) Traits::free(&raw_);
  }

  Raw get() const noexcept { return raw_; }
  operator Raw() const noexcept { return raw_; }
  Raw* address() noexcept { return &raw_; }

 private:
  Raw raw_ = Traits::null();
};

struct CommTraits {
  using Raw = MPI_Comm;
  static Raw null() noexcept { return MPI_COMM_NULL; }
  static void free(Raw* raw) noexcept;
};
struct GroupTraits {
  using Raw = MPI_Group;
  static Raw null() noexcept { return MPI_GROUP_NULL; }
  static void free(Raw* raw) noexcept { MPI_Group_free(raw); }
};
struct WindowTraits {
  using Raw = MPI_Win;
  static Raw null() noexcept { return MPI_WIN_NULL; }
  static void free(Raw* raw) noexcept { MPI_Win_free(raw); }
};
struct DatatypeTraits {
  using Raw = MPI_Datatype;
  static Raw null() noexcept { return MPI_DATATYPE_NULL; }
  static void free(Raw* raw) noexcept { MPI_Type_free(raw); }
};
struct InfoTraits {
  using Raw = MPI_Info;
  static Raw null() noexcept { return MPI_INFO_NULL; }
  static void free(Raw* raw) noexcept { MPI_Info_free(raw); }
};
struct RequestTraits {
  using Raw = MPI_Request;
  static Raw null() noexcept { return MPI_REQUEST_NULL; }
  static void free(Raw* raw) noexcept { MPI_Request_free(raw); }
};

using Group = Handle<GroupTraits>;
using Window = Handle<WindowTraits>;
using Datatype = Handle<DatatypeTraits>;
using Request = Handle<RequestTraits>;

/// Hints for windows and communicators: `Info{{"no_locks", "true"}}`.
class Info : public Handle<InfoTraits> {
 public:
  Info() noexcept = default;
  Info(std::initializer_list<std::pair<const char*, const char*>> hints);
};

/// An owned communicator whose errors return (and are thrown by `check`).
class Comm : public Handle<CommTraits> {
 public:
  Comm() noexcept = default;
  /// Takes ownership and sets MPI_ERRORS_RETURN.
  explicit Comm(MPI_Comm raw);

  /// Collective.
  static Comm duplicate(MPI_Comm other);
  /// Ranks of one `color`, ordered by rank here; empty for `color` MPI_UNDEFINED. Collective.
  static Comm split(MPI_Comm other, int color);
  /// The ranks of `group`; only they call (MPI_Comm_create_group).
  static Comm of_group(MPI_Comm other, MPI_Group group, int tag);
};

/// Throws Error unless the communicator is one whose ranks can meet: MPI_COMM_NULL and
/// intercommunicators are not, nor is any before MPI begins or after it has ended. Every function
/// that takes a communicator from the caller calls this.
void expect_ranks(MPI_Comm comm);

Group group(MPI_Comm comm);                                 ///< of all ranks
Group subgroup(MPI_Comm comm, std::span<const int> ranks);  ///< of these ranks of `comm`, in order
/// Ranks of `from` as ranks of `to`; MPI_UNDEFINED where `to` lacks one.
std::vector<int> translate(MPI_Comm from, std::span<const int> ranks, MPI_Comm to);

/// A number of bytes as an MPI message of any size, also beyond 2^31: `count` elements of `type`.
class Bytes {
 public:
  explicit Bytes(std::size_t bytes) : Bytes(bytes, MPI_BYTE) {}
  /// The same for `number` elements of a predefined type.
  Bytes(std::size_t number, MPI_Datatype of);
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  Bytes(Bytes&&) noexcept = default;
  Bytes& operator=(Bytes&&) noexcept = default;
  ~Bytes() = default;
  int count() const noexcept { return count_; }
  MPI_Datatype type() const noexcept {
    return large_.get() == MPI_DATATYPE_NULL ? of_ : large_.get();
  }

 private:
  MPI_Datatype of_;
  int count_;
  Datatype large_;
};

/// Logical and over all ranks. Collective.
bool all_of(MPI_Comm comm, bool mine);
/// Throws the same Error on every rank if any rank brings a message; empty means fine. Collective.
/// The message names the lowest rank that complains.
void agree(MPI_Comm comm, const std::string& complaint);
/// The same; also returns the minimum over the ranks of each of `values`, in the same reduction.
/// All ranks give as many values.
std::vector<std::int64_t> agree(MPI_Comm comm, const std::string& complaint,
                                std::vector<std::int64_t> values);
/// While it lives, calls that wait for other ranks have no time limit: one rank does something that
/// may take long, such as reading a file for all.
class Unhurried {
 public:
  Unhurried() noexcept;
  ~Unhurried();
  Unhurried(const Unhurried&) = delete;
  Unhurried& operator=(const Unhurried&) = delete;
};

/// Runs `step` on every rank; if one rank throws, all ranks throw its error. Collective. A step may
/// take as long as it needs.
template <class Step>
void together(MPI_Comm comm, Step&& step) {
  std::string complaint;
  try {
    step();
  } catch (const std::exception& problem) {
    complaint = words_of(problem);
    if (complaint.empty()) complaint = "unknown error";
  }
  const Unhurried others;
  agree(comm, complaint);
}

/// Rank 0's text, on all ranks. Collective.
std::string from_root(MPI_Comm comm, std::string text);

/// "funneled" of MPI_THREAD_FUNNELED, and so on: the words of HALOCLINE_THREAD_LEVEL.
const char* thread_level_word(int level) noexcept;
/// "MPI_THREAD_FUNNELED" of MPI_THREAD_FUNNELED, and so on.
const char* thread_level_name(int level) noexcept;

std::string library_version();   ///< first line of MPI_Get_library_version
std::string standard_version();  ///< "4.0"

}  // namespace mpi

}  // namespace halocline

#pragma GCC visibility pop
