#pragma once
// Layouts: where the bytes of a link lie in memory, relative to the fields' first bytes. Methods
// pack and unpack messages by them.

#include <halocline/field.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/pattern.hpp>

#include <span>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline::methods {

/// A box of bytes in one field. Plain integers, so that ranks can send each other layouts.
struct Piece {
  std::int64_t field;
  std::int64_t offset;  ///< of the first byte
  std::int64_t planes, rows, row_bytes;
  std::int64_t plane_stride, row_stride;  ///< bytes
  std::int64_t
      words;  ///< 1 if elements are whole 8-byte words: then MPI sees MPI_DOUBLE, else MPI_BYTE

  std::size_t bytes() const noexcept { return static_cast<std::size_t>(planes * rows * row_bytes); }
  bool contiguous() const noexcept { return planes == 1 && rows == 1; }
};

/// Pieces of one field that are an index list: elements of so many bytes, alone or in short runs.
/// To copy them it takes only where each begins, a sixteenth of what it takes to read the pieces.
struct ElementList {
  std::size_t begin, end;  ///< pieces
  std::int64_t field, bytes;
  std::int64_t unit;         ///< bytes that indices count: elements begin at index * unit
  std::size_t first, count;  ///< of its indices
  bool wide;                 ///< those are of 64 bits, since 32 do not reach so far
  bool consecutive;          ///< element follows element, also in memory
};

/// What is exchanged of a field: from its first byte to one past its last, from where element 0
/// begins.
struct Reach {
  std::ptrdiff_t begin = 0, end = 0;
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(end - begin); }
  /// With those of these blocks that are of the field's part.
  Reach& add(const std::vector<Block>& blocks, const Field& field);
};

/// Where each field begins.
using Bases = std::vector<std::byte*>;
Bases bases_of(const std::vector<Field>& fields);

/// The pieces of a message in its order: field after field, each in the order of blocks (of several
/// parts: the first field of each block's part, then the second ones). One piece for each block in
/// a field whose elements follow each other, and none merged, so that blocks stay distinct;
/// elsewhere as many as it takes. `first`: the number by which pieces name the first of these
/// fields.
std::vector<Piece> boxes_of(const std::vector<Block>& blocks, std::span<const Field> fields,
                            std::size_t first = 0);

/// The bytes of one message, field after field, each in the order of the link's blocks.
class Layout {
 public:
  Layout() = default;
  explicit Layout(std::vector<Piece> pieces);
  Layout(const std::vector<Block>& blocks, std::span<const Field> fields, std::size_t first = 0);

  const std::vector<Piece>& pieces() const noexcept { return pieces_; }
  const std::vector<ElementList>& lists() const noexcept { return lists_; }
  /// Calls use(where the elements of a list begin): a span of 32 or 64 bits each.
  template <class Use>
  decltype(auto) with_indices(const ElementList& list, Use&& use) const {
    return list.wide ? use(std::span(wide_).subspan(list.first, list.count))
                     : use(std::span(narrow_).subspan(list.first, list.count));
  }
  /// Calls on_list(list) and, for pieces in none, on_piece(piece), in message order.
  template <class OnList, class OnPiece>
  void each(OnList&& on_list, OnPiece&& on_piece) const {
    std::size_t next = 0;
    const auto pieces_until = [&](std::size_t end) {
      for (; next < end; ++next) on_piece(pieces_[next]);
    };
    for (const ElementList& list : lists_) {
      pieces_until(list.begin);
      on_list(list);
      next = list.end;
    }
    pieces_until(pieces_.size());
  }
  std::size_t bytes() const noexcept { return bytes_; }
  /// True if the message lies in memory as it travels.
  bool contiguous() const noexcept { return pieces_.size() == 1 && pieces_.front().contiguous(); }
  /// The part that lies in field `index`, as a layout of that field alone.
  Layout of_field(std::size_t index) const;
  /// The same bytes in the same order, in layouts of `bytes` each (the last one may have fewer).
  std::vector<Layout> cut(std::size_t bytes) const;

  void pack(const Bases& bases, std::byte* message) const;
  /// The same past the caches, for a message that another core has read before: an ordinary store
  /// would wait for its line to come back. The message begins a cache line and has room for whole
  /// ones. Stores are done before any that follow.
  void stream(const Bases& bases, std::byte* message) const;
  void unpack(const Bases& bases, const std::byte* message) const;
  /// Relative to the address `origin` (null: absolute addresses, for MPI_BOTTOM). Committed. Of
  /// nothing but `numbers`, if they are given.
  mpi::Datatype datatype(const Bases& bases, const std::byte* origin,
                         MPI_Datatype numbers = MPI_DATATYPE_NULL) const;
  /// Where a contiguous message begins.
  std::byte* address(const Bases& bases) const {
    return bases[static_cast<std::size_t>(pieces_.front().field)] + pieces_.front().offset;
  }

 private:
  void find_lists();
  void add_list(std::size_t begin, std::size_t end, std::int64_t bytes);

  std::vector<Piece> pieces_{};
  std::vector<ElementList> lists_{};
  std::vector<std::int32_t> narrow_{};  // where the elements of all lists begin
  std::vector<std::int64_t> wide_{};
  std::size_t bytes_ = 0;
};

}  // namespace halocline::methods

#pragma GCC visibility pop
