#pragma once
// Replicated data: what all ranks read and few write, one copy an island instead of one a rank.

#include <halocline/memory.hpp>
#include <halocline/scheme.hpp>
#include <halocline/topology.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace halocline {

struct ReplicatedOptions {
  IslandSpec island{};               ///< the ranks that share a copy
  Scheme scheme{"p2p:nonblocking"};  ///< how the heads of islands pass it on to each other
};

namespace detail {

/// Replicated without the element's type.
class ReplicatedBytes {
 public:
  ReplicatedBytes(MPI_Comm comm, std::size_t elements, std::size_t element_bytes,
                  const ReplicatedOptions& options);

  std::byte* data() const noexcept;
  std::size_t elements() const noexcept;
  bool shared() const noexcept;
  int islands() const noexcept;
  const std::string& note() const noexcept;
  Range part() const;

  /// Who writes a new version; nobody in particular: every rank its part.
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
/// shared memory. All ranks read it; it changes only in the collective calls `write` and
/// `write_parts`, each of which makes a new version. That keeps the rules of shared memory
/// (R. Rabenseifner, G. Hager, G. Jost: Hybrid MPI and OpenMP programming, 'shared memory
/// problems') without the caller's doing:
///
/// - write, then read: the call returns where the new version is complete in the caller's island.
/// - read, then write: nobody writes before all ranks of the island have made the call, and so have
///   read the old version. What `read` gave stays where it is, but is the new version then.
/// - write, then write: a version has one writer, or each of its writers a part of its own.
///
/// One call costs a rank one synchronisation with its island. Among the heads of islands a large
/// array travels in blocks, scattered along a binomial tree and gathered by dissemination, so that
/// each head receives at most one and a half times its size however many there are (R. van de
/// Geijn, JPDC 22, 1994; J. Bruck et al., IEEE TPDS 8, 1997); a small one along the tree alone.
///
/// The pages of a copy are spread over its island's ranks: each is the first to touch those of its
/// share of the array, so that on one island part i lies on the NUMA domain of rank i.
///
/// If /dev/shm is too small, every rank has a copy of its own; `note()` says so.
/// `T` must be copyable by bytes. Copies of the object share the array.
template <class T>
class Replicated {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// `elements` zeros. Collective; throws the same Error on all ranks if they differ in `elements`,
  /// or if there is no memory.
  Replicated(MPI_Comm comm, std::size_t elements, const ReplicatedOptions& options = {})
      : bytes_(comm, elements, sizeof(T), options) {}

  /// The newest version. Reading is local.
  std::span<const T> read() const noexcept { return all(); }
  const T& operator[](std::size_t i) const noexcept { return read()[i]; }
  std::size_t size() const noexcept { return bytes_.elements(); }

  /// A new version by one rank: on `owner` alone, `fill(std::span<T> all)` is called, and finds the
  /// version before. Collective, with the same owner on all ranks; throws Error if there is no
  /// such rank. If `fill` throws, the others wait in vain (Patience).
  template <class Fill>
  void write(int owner, Fill&& fill) {
    if (bytes_.begin(owner)) fill(all());
    bytes_.end(owner);
  }

  /// A new version by all ranks: on each, `fill(std::span<T> part, Range where)` is called for its
  /// part, and finds the version before. Collective.
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
