#pragma once
// Patterns: all links of a rank. Pure data, no MPI calls.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

class Distribution;
struct HaloOptions;

/// A box of elements inside a local array, slowest axis first; the last axis is contiguous.
struct Block {
  std::ptrdiff_t offset = 0;                  ///< of the first element, in elements
  std::array<std::size_t, 3> count{1, 1, 1};  ///< planes, rows, elements of a row
  std::array<std::ptrdiff_t, 2> stride{
      0, 0};     ///< from plane to plane and from row to row, in elements
  int part = 0;  ///< of a pattern of several parts (Pattern::united): whose array it is in

  std::size_t size() const noexcept { return count[0] * count[1] * count[2]; }
  std::size_t end() const noexcept;  ///< one past its largest element
  bool operator==(const Block&) const = default;
};

/// Where rows and planes begin that lie farther apart than they are long, in elements.
struct Padding {
  std::ptrdiff_t lead = 0;   ///< of the first row
  std::ptrdiff_t plane = 0;  ///< from plane to plane
  std::ptrdiff_t row = 0;    ///< from row to row
};

/// Numbers that are added to what some blocks receive, one for each number of an element.
struct Shift {
  std::size_t first = 0, count = 0;  ///< blocks of the link, of one part
  std::vector<double> by{};          ///< field after field
};

/// One message of a pattern: the peer, and the elements that are sent or received, in message
/// order.
struct Link {
  int peer = 0;                       ///< its rank
  std::vector<Block> blocks{};        ///< in message order
  std::vector<Shift> shifts{};        ///< of received blocks, in the order of blocks
  std::size_t size() const noexcept;  ///< in elements
};

/// Integers in one piece of memory.
template <class List>
concept Integers = requires(const List& list) {
  requires std::integral<std::remove_cvref_t<decltype(*std::data(list))>>;
  std::size(list);
};

/// The links of one rank. Sender and receiver list a link's elements in the same order. There is at
/// most one message from one rank to another: adding to a known peer extends it. A negative rank
/// (MPI_PROC_NULL) sends and receives nothing. Throws Error on a block that begins before the array
/// or is larger than can be.
class Pattern {
 public:
  void send(int peer, Block block);     ///< sends this block to `peer`, after those added before
  void receive(int peer, Block block);  ///< receives from `peer` in this block, in the same order
  /// The same, and adds `shift` to each element that has arrived, as periodic positions need it: a
  /// number for each number of an element, field after field ({length, 0, 0} for positions that
  /// come over the edge of a box). Fields are of float32 or float64. Done in Exchange::finish, so
  /// Exchange::await does not wait for such links. Not for exchanges that combine, read in place or
  /// lie on a device, nor for asynchronous ones.
  void receive(int peer, Block block, std::vector<double> shift);
  /// A link that is empty for now, for exchanges whose pattern changes (ExchangeOptions::changes).
  void send_nothing(int peer);
  void receive_nothing(int peer);
  /// Elements that stay on this rank (a periodic axis with one subdomain): copied `from` -> `to`.
  void copy(Block from, Block to);
  void copy(Block from, Block to, std::vector<double> shift);  ///< and adds to what is copied

  /// The elements of an index list, in its order: anything in one piece of memory, of any integers.
  /// Consecutive indices become one block. A `shift` is added to all of them. Throws Error on a
  /// negative index, and if the lists of a copy differ in length.
  template <Integers Indices>
  void send(int peer, const Indices& indices) {
    stages_.clear();
    add_indices(sends_, peer, whole(indices));
  }
  template <Integers Indices>
  void receive(int peer, const Indices& indices, const std::vector<double>& shift = {}) {
    stages_.clear();
    const std::size_t before = blocks_from(peer);
    add_indices(receives_, peer, whole(indices));
    shift_from(peer, before, shift);
  }
  template <Integers From, Integers To>
  void copy(const From& from, const To& to, const std::vector<double>& shift = {}) {
    check_copies(std::size(from), std::size(to));
    const std::size_t before = to_.blocks.size(), all = std::size(from);
    const auto source = [&](std::size_t i) {
      return static_cast<std::ptrdiff_t>(std::data(from)[i]);
    };
    const auto target = [&](std::size_t i) {
      return static_cast<std::ptrdiff_t>(std::data(to)[i]);
    };
    for (std::size_t i = 0, length = 1; i < all; i += length, length = 1) {
      while (i + length < all && source(i + length) == source(i + length - 1) + 1 &&
             target(i + length) == target(i + length - 1) + 1)
        ++length;
      copy({.offset = source(i), .count = {1, 1, length}},
           {.offset = target(i), .count = {1, 1, length}});
    }
    shift_copies(before, shift);
  }

  const std::vector<Link>& sends() const noexcept { return sends_; }        ///< one for a peer
  const std::vector<Link>& receives() const noexcept { return receives_; }  ///< one for a peer
  const Link& copies_from() const noexcept { return from_; }
  const Link& copies_to() const noexcept { return to_; }
  bool empty() const noexcept {
    return sends_.empty() && receives_.empty() && from_.blocks.empty();
  }

  /// Whether anything is added to what is received or copied.
  bool shifts() const noexcept { return shifts_; }

  /// Says in what arrays it counts elements: the extents of those sent from and of those received
  /// in, slowest axis first; empty: not said. Exchanges refuse a field with axes that has
  /// others. Grids and distributions say it of the patterns that they make, and a padded one counts
  /// in others. Throws Error if it counts in others already.
  void count_in(const std::vector<std::int64_t>& sent, const std::vector<std::int64_t>& received,
                int part = 0);
  void count_as(const Pattern& other) { counted_ = other.counted_; }  ///< in the same arrays
  const std::vector<std::int64_t>& sent_in(int part = 0) const noexcept;
  const std::vector<std::int64_t>& received_in(int part = 0) const noexcept;

  /// The same halo in stages, one axis after the other. Each stage forwards what the earlier ones
  /// have received, so corners need no messages of their own. Empty if there are none; adding to
  /// the pattern drops them.
  const std::vector<Pattern>& stages() const noexcept { return stages_; }
  void set_stages(std::vector<Pattern> stages) { stages_ = std::move(stages); }

  /// The way back: sends what was received, to where it was sent from. Without shifts, since what
  /// goes back is usually of another kind (forces) and added up.
  Pattern reversed() const;
  /// The same elements in an array with padding: row j of plane k begins at element
  /// `lead` + k * `plane` + j * `row`, where this pattern is of a dense array of planes of `rows`
  /// rows of `elements` each, as Grid::halo() gives it.
  Pattern padded(Padding padding, std::ptrdiff_t rows, std::ptrdiff_t elements) const;

  /// Several patterns as one, with one link for a peer: the blocks of pattern i become those of
  /// part i. A link has them in this order.
  static Pattern united(std::span<const Pattern> parts);

  std::size_t elements_sent() const noexcept;  ///< to other ranks
  /// One past the largest element any block touches: the least size of a field, in elements.
  std::size_t extent() const noexcept;
  std::size_t send_extent() const noexcept;     ///< the same of what is sent and copied from here
  std::size_t receive_extent() const noexcept;  ///< and of what is received and copied to

  /// A shift, as along a row of ranks or around a ring, in one direction only: sends `sent` to
  /// rank `to`, and receives `received` from rank `from`. A negative rank (MPI_PROC_NULL) is the
  /// open end of a row: nothing is sent or received there. All blocks of a shift have one size;
  /// throws Error if these two differ. Two patterns in turn, each of which sends what the other has
  /// received, pass blocks on through two buffers.
  static Pattern shift(int to, Block sent, int from, Block received);

  /// What rank `rank` sends and receives when an array that is spread over ranks as `from` is to be
  /// spread as `to`, for an Exchange between two fields: sent elements are counted in its array of
  /// `from`, received ones in that of `to`. Both may be on the same ranks, with other cuts, another
  /// numbering or axes in another order (a transpose), or on different ranks of a communicator.
  /// Cells that are not in both stay where they are; cells that `to` has several times are received
  /// at all these places. Local: a rank looks only at parts that overlap its own. Throws Error if
  /// the two differ in cells or axes, or if a cell is at two places of `from`.
  static Pattern between(const Distribution& from, const Distribution& to, int rank);

  /// The halos of all parts that rank `rank` has, where ranks may have several blocks each, of any
  /// sizes: each halo cell comes from the part that owns it, wherever that is; what this rank owns
  /// itself is copied. Elements are counted in its array, in which the parts lie one after the
  /// other, each with the halo that the distribution says. Local. Throws Error if a cell has two
  /// owners, and on options that do not fit.
  static Pattern halo_of(const Distribution& parts, int rank, const HaloOptions& options);

  /// From index lists: `send[i]` are the local elements that go to `send_peers[i]`, in order.
  /// Consecutive indices become one block. Throws Error on a negative index, and unless there is a
  /// list for each peer.
  template <std::integral I>
  static Pattern from_indices(std::span<const int> send_peers,
                              const std::vector<std::vector<I>>& send,
                              std::span<const int> receive_peers,
                              const std::vector<std::vector<I>>& receive) {
    Pattern pattern;
    pattern.add_lists<I>(pattern.sends_, send_peers, send);
    pattern.add_lists<I>(pattern.receives_, receive_peers, receive);
    return pattern;
  }
  /// From flat lists, as compressed rows have them: the first `send_counts[0]` of the indices
  /// `send` go to `send_peers[0]`, the next `send_counts[1]` to `send_peers[1]`, and so on. Lists
  /// are anything in one piece of memory (std::vector, std::span, std::array) of any integers.
  /// Throws Error on a negative index or count, unless each peer has a count, and unless the counts
  /// add up to the number of indices.
  template <Integers Counts, Integers Indices, Integers Counts2, Integers Indices2>
  static Pattern from_indices(std::span<const int> send_peers, const Counts& send_counts,
                              const Indices& send, std::span<const int> receive_peers,
                              const Counts2& receive_counts, const Indices2& receive) {
    Pattern pattern;
    pattern.add_flat(pattern.sends_, send_peers, send_counts, send);
    pattern.add_flat(pattern.receives_, receive_peers, receive_counts, receive);
    return pattern;
  }

 private:
  const char* side(const std::vector<Link>& links) const {
    return &links == &sends_ ? "sent" : "received";
  }
  /// `count` elements from `first` on; negative: throws.
  static void add_run(std::vector<Link>& links, int peer, std::ptrdiff_t first, std::size_t count);
  /// Throw Error, if so.
  static void check_counts(const char* side, std::size_t peers, std::size_t counts,
                           std::uintmax_t counted, std::size_t indices);
  [[noreturn]] static void refuse_count(const char* side, int peer, std::intmax_t count);
  static void check_lists(const char* side, std::size_t peers, std::size_t lists);
  static void check_copies(std::size_t from, std::size_t to);

  std::size_t blocks_from(int peer) const noexcept;  ///< that are received from it
  /// A shift, if there is one, of the blocks from number `first` on.
  void shift_from(int peer, std::size_t first, const std::vector<double>& by);
  void shift_copies(std::size_t first, const std::vector<double>& by);

  template <Integers Indices>
  static auto whole(const Indices& indices) {
    using Index = std::remove_cvref_t<decltype(*std::data(indices))>;
    return std::span<const Index>(std::data(indices), std::size(indices));
  }
  /// Runs of consecutive indices are one block each.
  template <std::integral I>
  static void add_indices(std::vector<Link>& links, int peer, std::span<const I> indices) {
    for (std::size_t i = 0, length = 1; i < indices.size(); i += length, length = 1) {
      const auto first = static_cast<std::ptrdiff_t>(indices[i]);
      while (i + length < indices.size() && static_cast<std::ptrdiff_t>(indices[i + length]) ==
                                                first + static_cast<std::ptrdiff_t>(length))
        ++length;
      add_run(links, peer, first, length);
    }
  }
  template <std::integral I>
  void add_lists(std::vector<Link>& links, std::span<const int> peers,
                 const std::vector<std::vector<I>>& lists) {
    check_lists(side(links), peers.size(), lists.size());
    for (std::size_t i = 0; i < lists.size(); ++i)
      add_indices(links, peers[i], std::span<const I>(lists[i]));
  }
  template <Integers Counts, Integers Indices>
  void add_flat(std::vector<Link>& links, std::span<const int> peers, const Counts& counts,
                const Indices& indices) {
    std::uintmax_t counted = 0;
    for (std::size_t i = 0; i < std::size(counts); ++i) {
      const auto count = std::data(counts)[i];
      if (std::cmp_less(count, 0))
        refuse_count(side(links), i < peers.size() ? peers[i] : -1,
                     static_cast<std::intmax_t>(count));
      counted += static_cast<std::uintmax_t>(count);
    }
    check_counts(side(links), peers.size(), std::size(counts), counted, std::size(indices));
    auto rest = whole(indices);
    for (std::size_t i = 0; i < peers.size(); ++i) {
      const auto count = static_cast<std::size_t>(std::data(counts)[i]);
      add_indices(links, peers[i], rest.first(count));
      rest = rest.subspan(count);
    }
  }

  /// The extents of the arrays of a part.
  struct Counted {
    std::vector<std::int64_t> sent, received;
  };
  const Counted& counted(int part) const noexcept;

  std::vector<Link> sends_{}, receives_{};
  Link from_{-1, {}}, to_{-1, {}};
  std::vector<Pattern> stages_{};
  std::vector<Counted> counted_{};  // by part
  bool shifts_ = false;
};

std::ostream& operator<<(std::ostream&, const Pattern&);

}  // namespace halocline

#pragma GCC visibility pop
