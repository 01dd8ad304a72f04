#pragma once
// Patterns: all links of a rank. Pure data, no MPI calls.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

/// One message of a pattern: the peer, and the elements that are sent or received, in message
/// order.
struct Link {
  int peer;                           ///< its rank
  std::vector<Block> blocks;          ///< in message order
  std::size_t size() const noexcept;  ///< in elements
};

/// The links of one rank. Sender and receiver list a link's elements in the same order. There is at
/// most one message from one rank to another: adding to a known peer extends it. A negative rank
/// (MPI_PROC_NULL) sends and receives nothing. Throws Error on a block that begins before the array
/// or is larger than can be.
class Pattern {
 public:
  void send(int peer, Block block);     ///< sends this block to `peer`, after those added before
  void receive(int peer, Block block);  ///< receives from `peer` in this block, in the same order
  /// A link that is empty for now, for exchanges whose pattern changes (ExchangeOptions::changes).
  void send_nothing(int peer);
  void receive_nothing(int peer);
  /// Elements that stay on this rank (a periodic axis with one subdomain): copied `from` -> `to`.
  void copy(Block from, Block to);

  const std::vector<Link>& sends() const noexcept { return sends_; }        ///< one for a peer
  const std::vector<Link>& receives() const noexcept { return receives_; }  ///< one for a peer
  const Link& copies_from() const noexcept { return from_; }
  const Link& copies_to() const noexcept { return to_; }
  bool empty() const noexcept {
    return sends_.empty() && receives_.empty() && from_.blocks.empty();
  }

  /// The same halo in stages, one axis after the other. Each stage forwards what the earlier ones
  /// have received, so corners need no messages of their own. Empty if there are none; adding to
  /// the pattern drops them.
  const std::vector<Pattern>& stages() const noexcept { return stages_; }
  void set_stages(std::vector<Pattern> stages) { stages_ = std::move(stages); }

  /// The way back: sends what was received, to where it was sent from.
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
  /// Consecutive indices become one block. Throws Error on a negative index.
  static Pattern from_indices(std::span<const int> send_peers,
                              std::span<const std::vector<std::ptrdiff_t>> send,
                              std::span<const int> receive_peers,
                              std::span<const std::vector<std::ptrdiff_t>> receive);
  /// The same for indices of another type.
  template <std::integral I>  // clang-format off
    requires(!std::same_as<I, std::ptrdiff_t>)
  static Pattern from_indices(std::span<const int> send_peers,
                              const std::vector<std::vector<I>>& send,
                              std::span<const int> receive_peers,
                              const std::vector<std::vector<I>>& receive) {  // clang-format on
    const auto converted = [](const std::vector<std::vector<I>>& lists) {
      std::vector<std::vector<std::ptrdiff_t>> all;
      for (const std::vector<I>& list : lists) all.emplace_back(list.begin(), list.end());
      return all;
    };
    const auto sent = converted(send), received = converted(receive);
    return from_indices(send_peers, std::span(sent), receive_peers, std::span(received));
  }

 private:
  std::vector<Link> sends_, receives_;
  Link from_{-1, {}}, to_{-1, {}};
  std::vector<Pattern> stages_;
};

std::ostream& operator<<(std::ostream&, const Pattern&);

}  // namespace halocline
