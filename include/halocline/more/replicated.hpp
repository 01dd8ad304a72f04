#pragma once
// Replicated data: what all ranks read and few write, one copy an island instead of one a rank.

#include <halocline/island.hpp>
#include <halocline/memory.hpp>
#include <halocline/pattern.hpp>
#include <halocline/range.hpp>
#include <halocline/scheme.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

struct ReplicatedOptions {
  IslandSpec island{};               ///< the ranks that share a copy
  Scheme scheme{"p2p:nonblocking"};  ///< how the heads of islands pass it on to each other
};

/// What head `me` of `heads` islands sends and receives when a rank of island `writer` has written
/// a new version of so many elements: round by round, of elements of the array, as many rounds on
/// all heads. No MPI.
std::vector<Pattern> rounds_of_write(int heads, int me, int writer, std::int64_t elements,
                                     std::size_t element_bytes);

namespace detail {

/// Replicated without the element's type.
class ReplicatedBytes {
 public:
  ReplicatedBytes(MPI_Comm comm, std::size_t elements, std::size_t element_bytes,
                  const ReplicatedOptions& options);
  // To move is to copy: the one moved from still has the array.
  ReplicatedBytes(const ReplicatedBytes&) = default;
  ReplicatedBytes& operator=(const ReplicatedBytes&) = default;

  std::byte* data() const noexcept;
  std::size_t elements() const noexcept;
  bool shared() const noexcept;
  int islands() const noexcept;
  const std::string& note() const noexcept;
  Range part() const;

  /// The rank that writes a new version; none: every rank writes its part.
  using Owner = std::optional<int>;
  /// The two halves of a new version. `begin` tells whether this rank is to write in between.
  bool begin(Owner owner);
  void end(Owner owner);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace detail

/// An array of which every island (a node, a NUMA domain or N ranks: IslandSpec) has one copy in
/// shared memory. All ranks read it. Only the collective calls `write` and `write_parts` change it;
/// each makes a new version. So the caller need not obey the rules of shared memory (R.
/// Rabenseifner, G. Hager, G. Jost: Hybrid MPI and OpenMP programming, 'shared memory problems')
/// itself:
///
/// - write, then read: the call returns where the new version is complete in the caller's island.
/// - read, then write: no rank writes before all ranks of the island have made the call, and so
///   have read the old version. The memory that `read` gave stays valid, but holds the new version
///   then.
/// - write, then write: a version has one writer, or each of its writers a part of its own.
///
/// One call costs a rank one synchronisation with its island. The heads of islands send a large
/// array in blocks, scattered along a binomial tree and gathered by dissemination, so each head
/// receives at most one and a half times its size for any number of heads (R. van de Geijn, JPDC
/// 22, 1994; J. Bruck et al., IEEE TPDS 8, 1997); they send a small one along the tree alone.
///
/// Each rank of an island first touches the pages of its share of the array, so on one island part
/// i lies on the NUMA domain of rank i.
///
/// If /dev/shm is too small, every rank has a copy of its own; `note()` says so. `T` must be
/// copyable by bytes. Copies of the object share the array.
template <class T>
class Replicated {
  static_assert(detail::elements_are_bytes<T>());

 public:
  /// `elements` zeros. Collective; throws the same Error on all ranks if they differ in `elements`,
  /// or if there is no memory.
  Replicated(MPI_Comm comm, std::size_t elements, const ReplicatedOptions& options = {})
      : bytes_(comm, elements, sizeof(T), options) {}

  /// The newest version. Reading is local.
  std::span<const T> read() const noexcept { return all(); }
  const T& operator[](std::size_t i) const noexcept { return read()[i]; }
  std::size_t size() const noexcept { return bytes_.elements(); }

  /// One rank writes a new version: on `owner` alone the call runs `fill(std::span<T> all)`, which
  /// finds the version before. Collective, with the same owner on all ranks; throws Error if there
  /// is no such rank. If `fill` throws, the others wait in vain (Patience).
  template <class Fill>
  void write(int owner, Fill&& fill) {
    if (bytes_.begin(owner)) fill(all());
    bytes_.end(owner);
  }

  /// All ranks write a new version: on each the call runs `fill(std::span<T> part, Range where)`
  /// for its part, which finds the version before. Collective.
  template <class Fill>
  void write_parts(Fill&& fill) {
    bytes_.begin(std::nullopt);
    const Range where = part();
    fill(all().subspan(static_cast<std::size_t>(where.begin),
                       static_cast<std::size_t>(where.size())),
         where);
    bytes_.end(std::nullopt);
  }
  /// What this rank writes in that. Parts differ by one element at most.
  Range part() const { return bytes_.part(); }

  bool shared() const noexcept { return bytes_.shared(); }            ///< by the island's ranks
  int islands() const noexcept { return bytes_.islands(); }           ///< copies that there are
  const std::string& note() const noexcept { return bytes_.note(); }  ///< why it is not shared

 private:
  std::span<T> all() const noexcept {
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.elements()};
  }

  detail::ReplicatedBytes bytes_;
};

}  // namespace halocline

#pragma GCC visibility pop
