// How messages are packed and unpacked, and layouts copied.

#include "layout.hpp"

#include "memory/cache_line.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace halocline {

namespace detail {

namespace {

enum class Ask { load = 0, store = 1 };
/// Asks for the cache lines of a row.
template <Ask What>
void ask_for(const std::byte* row, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += cache_line)
    __builtin_prefetch(row + i, static_cast<int>(What));
}

/// How many rows' lines are prefetched before they are stored to, `ahead` rows ahead. A sweep
/// drives the halo out of the near caches, and stores, unlike loads, wait for their lines one after
/// the other. Where rows follow each other, as in a message, the hardware prefetches them.
std::int64_t stores_to_ask_for(std::int64_t rows, std::int64_t ahead, std::ptrdiff_t stride,
                               std::size_t bytes) {
  return stride > static_cast<std::ptrdiff_t>(bytes) ? rows - ahead : 0;
}

/// Thin halos have rows of a few words: for them a call to memcpy costs more than the copy.
template <std::size_t Words>
void copy_rows(std::byte* to, std::ptrdiff_t to_stride, const std::byte* from,
               std::ptrdiff_t from_stride, std::int64_t rows) {
  constexpr std::size_t bytes = Words * 8;
  constexpr std::int64_t ahead = 8;
  const std::int64_t stores = stores_to_ask_for(rows, ahead, to_stride, bytes);
  for (std::int64_t row = 0; row < rows; ++row, to += to_stride, from += from_stride) {
    if (row < stores) ask_for<Ask::store>(to + ahead * to_stride, bytes);
    std::memcpy(to, from, bytes);
  }
}

constexpr std::size_t word = 8;

/// A short row by inlined moves: a call to memcpy costs as much as some dozen cells.
void copy_row(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t chunk = 64;
  for (; bytes >= chunk; bytes -= chunk, to += chunk, from += chunk) std::memcpy(to, from, chunk);
  for (; bytes >= word; bytes -= word, to += word, from += word) std::memcpy(to, from, word);
  for (; bytes > 0; --bytes) *to++ = *from++;
}

void copy_rows(std::byte* to, std::ptrdiff_t to_stride, const std::byte* from,
               std::ptrdiff_t from_stride, std::int64_t rows, std::size_t bytes,
               CellsOf owner = CellsOf::me) {
  switch (bytes) {
    case 8: return copy_rows<1>(to, to_stride, from, from_stride, rows);
    case 16: return copy_rows<2>(to, to_stride, from, from_stride, rows);
    case 24: return copy_rows<3>(to, to_stride, from, from_stride, rows);
    case 32: return copy_rows<4>(to, to_stride, from, from_stride, rows);
    default: break;
  }
  constexpr std::size_t under_way = 4096, at_once = 8192;
  const bool short_row = bytes < 1024;
  // From another core's cache lines take long, and hardware prefetchers begin anew with every row:
  // so those of some short rows ahead are asked for.
  const auto ahead = static_cast<std::int64_t>(under_way / std::max(bytes, cache_line));
  const std::int64_t loads = short_row && owner == CellsOf::peer ? rows - ahead : 0;
  const std::int64_t stores = stores_to_ask_for(rows, 1, to_stride, bytes);
  for (std::int64_t row = 0; row < rows; ++row, to += to_stride, from += from_stride) {
    if (row < loads) ask_for<Ask::load>(from + ahead * from_stride, bytes);
    if (row < stores) ask_for<Ask::store>(to + to_stride, std::min(bytes, at_once));
    if (short_row)
      copy_row(to, from, bytes);
    else
      std::memcpy(to, from, bytes);
  }
}

/// The same, but that single words, of which index lists are made, need no call.
inline void copy_box(std::byte* to, std::ptrdiff_t to_stride, const std::byte* from,
                     std::ptrdiff_t from_stride, std::int64_t rows, std::size_t bytes,
                     CellsOf owner = CellsOf::me) {
  if (rows == 1 && bytes == word)
    std::memcpy(to, from, word);
  else
    copy_rows(to, to_stride, from, from_stride, rows, bytes, owner);
}

/// Calls act(bytes, unit) with those of a list's elements, as constants if they are usual ones.
template <class Act>
void with_constants(const ElementList& list, Act&& act) {
  const auto with_bytes = [&](auto bytes) {
    constexpr std::int64_t usual = natural_unit(bytes());
    if (list.unit == usual)
      act(bytes, std::integral_constant<std::ptrdiff_t, usual>());
    else
      act(bytes, static_cast<std::ptrdiff_t>(list.unit));
  };
  switch (list.bytes) {
    case 4: return with_bytes(std::integral_constant<std::ptrdiff_t, 4>());
    case 8: return with_bytes(std::integral_constant<std::ptrdiff_t, 8>());
    case 12: return with_bytes(std::integral_constant<std::ptrdiff_t, 12>());
    case 16: return with_bytes(std::integral_constant<std::ptrdiff_t, 16>());
    case 24: return with_bytes(std::integral_constant<std::ptrdiff_t, 24>());
    case 32: return with_bytes(std::integral_constant<std::ptrdiff_t, 32>());
    default:
      return act(static_cast<std::ptrdiff_t>(list.bytes), static_cast<std::ptrdiff_t>(list.unit));
  }
}

template <std::ptrdiff_t Bytes>
void copy_element(std::byte* to, const std::byte* from,
                  std::integral_constant<std::ptrdiff_t, Bytes>) {
  std::memcpy(to, from, Bytes);
}
void copy_element(std::byte* to, const std::byte* from, std::ptrdiff_t bytes) {
  copy_row(to, from, static_cast<std::size_t>(bytes));
}

std::size_t bytes_of(const ElementList& list) {
  return list.count * static_cast<std::size_t>(list.bytes);
}

/// These end at the rate at which a core loads an index and an element, or waits for the lines that
/// it touches. `indices` may be some of the list's.
template <class Index>
void pack_list(const ElementList& list, std::span<const Index> indices, const std::byte* base,
               std::byte* __restrict message) {
  with_constants(list, [&](auto bytes, auto unit) {
    const std::byte* const from = base;
    std::byte* __restrict to = message;
    for (const Index index : indices) {
      copy_element(to, from + static_cast<std::ptrdiff_t>(index) * unit, bytes);
      to += bytes;
    }
  });
}

template <class Index>
void unpack_list(const ElementList& list, std::span<const Index> indices, std::byte* base,
                 const std::byte* __restrict message) {
  with_constants(list, [&](auto bytes, auto unit) {
    std::byte* const to = base;
    const std::byte* __restrict from = message;
    for (const Index index : indices) {
      copy_element(to + static_cast<std::ptrdiff_t>(index) * unit, from, bytes);
      from += bytes;
    }
  });
}

/// Between lists of elements of the same bytes.
template <class FromIndex, class ToIndex>
void copy_list(const ElementList& from_list, std::span<const FromIndex> from_indices,
               const std::byte* from, const ElementList& to_list,
               std::span<const ToIndex> to_indices, std::byte* to) {
  with_constants(from_list, [&](auto bytes, auto from_unit) {
    const auto with_unit = [&](auto to_unit) {
      for (std::size_t i = 0; i < from_indices.size(); ++i)
        copy_element(to + static_cast<std::ptrdiff_t>(to_indices[i]) * to_unit,
                     from + static_cast<std::ptrdiff_t>(from_indices[i]) * from_unit, bytes);
    };
    if (to_list.unit == from_unit)
      with_unit(from_unit);
    else
      with_unit(static_cast<std::ptrdiff_t>(to_list.unit));
  });
}

/// Where a list's first element is.
template <class Byte>
Byte* first_of(const Layout& layout, const ElementList& list, Byte* base) {
  return base + layout.pieces()[list.begin].offset;
}

/// Both return the next byte of the message.
std::byte* pack_list(const Layout& layout, const ElementList& list, const Bases& bases,
                     std::byte* message) {
  const std::byte* const base = bases[static_cast<std::size_t>(list.field)];
  if (list.consecutive)
    std::memcpy(message, first_of(layout, list, base), bytes_of(list));
  else
    layout.with_indices(list, [&](auto indices) { pack_list(list, indices, base, message); });
  return message + bytes_of(list);
}

const std::byte* unpack_list(const Layout& layout, const ElementList& list, const Bases& bases,
                             const std::byte* message) {
  std::byte* const base = bases[static_cast<std::size_t>(list.field)];
  if (list.consecutive)
    std::memcpy(first_of(layout, list, base), message, bytes_of(list));
  else
    layout.with_indices(list, [&](auto indices) { unpack_list(list, indices, base, message); });
  return message + bytes_of(list);
}

/// Whole cache lines to memory, past the caches of all cores (x86; elsewhere as any others).
void stream_lines(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__AVX512F__)
  for (std::size_t i = 0; i < bytes; i += sizeof(__m512i))
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
#elif defined(__SSE2__)
  for (std::size_t i = 0; i < bytes; i += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
#else
  std::memcpy(to, from, bytes);
#endif
}

/// A release store does not wait for such stores; what follows this does.
void after_streaming() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

/// A message that is streamed, gathered in the first-level cache some lines at a time.
class Streamed {
 public:
  explicit Streamed(std::byte* message) : to_(message) {}
  /// The rest of the last line has any bytes.
  ~Streamed() {
    stream_lines(to_, lines_, whole_lines(filled_));
    after_streaming();
  }
  Streamed(const Streamed&) = delete;
  Streamed& operator=(const Streamed&) = delete;

  void add_rows(const std::byte* from, std::ptrdiff_t stride, std::int64_t rows,
                std::size_t bytes) {
    while (rows > 0 && bytes > 0) {
      const auto fit = std::min(rows, static_cast<std::int64_t>((size - filled_) / bytes));
      copy_rows(lines_ + filled_, static_cast<std::ptrdiff_t>(bytes), from, stride, fit, bytes);
      filled_ += static_cast<std::size_t>(fit) * bytes;
      from += fit * stride, rows -= fit;
      if (rows == 0) return;
      add_row(from, bytes);
      from += stride, --rows;
    }
  }

  void add_list(const Layout& layout, const ElementList& list, const std::byte* base) {
    const auto each = static_cast<std::size_t>(list.bytes);
    if (list.consecutive) return add_rows(first_of(layout, list, base), 0, 1, bytes_of(list));
    layout.with_indices(list, [&](auto indices) {
      while (!indices.empty()) {
        const std::size_t fit = std::min(indices.size(), (size - filled_) / each);
        pack_list(list, indices.first(fit), base, lines_ + filled_);
        filled_ += fit * each;
        indices = indices.subspan(fit);
        if (indices.empty()) return;
        add_row(base + static_cast<std::ptrdiff_t>(indices.front()) * list.unit, each);
        indices = indices.subspan(1);
      }
    });
  }

 private:
  static constexpr std::size_t size = 4096;

  /// One that does not fit.
  void add_row(const std::byte* from, std::size_t bytes) {
    while (bytes > 0) {
      const std::size_t part = std::min(bytes, size - filled_);
      std::memcpy(lines_ + filled_, from, part);
      filled_ += part, from += part, bytes -= part;
      if (filled_ < size) return;
      stream_lines(to_, lines_, size);
      to_ += size, filled_ = 0;
    }
  }

  alignas(cache_line) std::byte lines_[size];
  std::size_t filled_ = 0;
  std::byte* to_;
};

/// Both return the next byte of the message.
std::byte* pack_piece(const Piece& piece, const Bases& bases, std::byte* message) {
  const std::byte* from = bases[static_cast<std::size_t>(piece.field)] + piece.offset;
  const auto row_bytes = static_cast<std::size_t>(piece.row_bytes);
  for (std::int64_t plane = 0; plane < piece.planes; ++plane, from += piece.plane_stride) {
    copy_box(message, piece.row_bytes, from, piece.row_stride, piece.rows, row_bytes);
    message += piece.rows * piece.row_bytes;
  }
  return message;
}

const std::byte* unpack_piece(const Piece& piece, const Bases& bases, const std::byte* message) {
  std::byte* to = bases[static_cast<std::size_t>(piece.field)] + piece.offset;
  const auto row_bytes = static_cast<std::size_t>(piece.row_bytes);
  for (std::int64_t plane = 0; plane < piece.planes; ++plane, to += piece.plane_stride) {
    copy_box(to, piece.row_stride, message, piece.row_bytes, piece.rows, row_bytes);
    message += piece.rows * piece.row_bytes;
  }
  return message;
}

}  // namespace

}  // namespace detail

namespace methods {

void Layout::pack(const Bases& bases, std::byte* message) const {
  each([&](const ElementList& list) { message = detail::pack_list(*this, list, bases, message); },
       [&](const Piece& piece) { message = detail::pack_piece(piece, bases, message); });
}

void Layout::stream(const Bases& bases, std::byte* message) const {
  detail::Streamed lines(message);
  each(
      [&](const ElementList& list) {
        lines.add_list(*this, list, bases[static_cast<std::size_t>(list.field)]);
      },
      [&](const Piece& piece) {
        const std::byte* from = bases[static_cast<std::size_t>(piece.field)] + piece.offset;
        const auto row_bytes = static_cast<std::size_t>(piece.row_bytes);
        for (std::int64_t plane = 0; plane < piece.planes; ++plane, from += piece.plane_stride)
          lines.add_rows(from, piece.row_stride, piece.rows, row_bytes);
      });
}

void Layout::unpack(const Bases& bases, const std::byte* message) const {
  each([&](const ElementList& list) { message = detail::unpack_list(*this, list, bases, message); },
       [&](const Piece& piece) { message = detail::unpack_piece(piece, bases, message); });
}

}  // namespace methods

namespace detail {

void stream(const std::byte* from, std::size_t bytes, std::byte* message) {
  Streamed(message).add_rows(from, 0, 1, bytes);
}

void pack(const Link& link, std::span<const Field> fields, std::byte* message) {
  each_rows(link, fields, message,
            [](const std::byte* cells, std::ptrdiff_t stride, std::int64_t rows,
               std::ptrdiff_t bytes, std::byte* to) {
              copy_box(to, bytes, cells, stride, rows, static_cast<std::size_t>(bytes));
            });
}

void unpack(const Link& link, std::span<const Field> fields, const std::byte* message) {
  each_rows(link, fields, message,
            [](std::byte* cells, std::ptrdiff_t stride, std::int64_t rows, std::ptrdiff_t bytes,
               const std::byte* from) {
              copy_box(cells, stride, from, bytes, rows, static_cast<std::size_t>(bytes));
            });
}

namespace {

bool same_bytes(const Piece& a, const Piece& b) {
  return a.bytes() == b.bytes();
}

bool same_shapes(const std::vector<Piece>& a, const std::vector<Piece>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Piece& one, const Piece& two) {
    return one.planes == two.planes && one.rows == two.rows && one.row_bytes == two.row_bytes;
  });
}

bool all_rows(const Layout& layout) {
  return std::all_of(layout.pieces().begin(), layout.pieces().end(),
                     [](const Piece& piece) { return piece.contiguous(); });
}

/// Rows of both, where index lists have other runs at one end than at the other, in parts that end
/// at the same bytes of the message.
void cut_alike(Layout& one, Layout& other) {
  std::vector<Piece> parts, others;
  auto a = one.pieces().begin(), b = other.pieces().begin();
  std::int64_t done_a = 0, done_b = 0;
  const auto take = [](std::vector<Piece>& to, auto& from, std::int64_t& done, std::int64_t bytes) {
    Piece part = *from;
    part.offset += done;
    part.row_bytes = part.row_stride = part.plane_stride = bytes;
    to.push_back(part);
    done += bytes;
    if (done == from->row_bytes) ++from, done = 0;
  };
  while (a != one.pieces().end() && b != other.pieces().end()) {
    const std::int64_t bytes = std::min(a->row_bytes - done_a, b->row_bytes - done_b);
    take(parts, a, done_a, bytes);
    take(others, b, done_b, bytes);
  }
  one = Layout(std::move(parts));
  other = Layout(std::move(others));
}

}  // namespace

LayoutCopy::LayoutCopy(Layout from, Layout to, CellsOf owner)
    : from_(std::move(from)), to_(std::move(to)), owner_(owner) {
  if (!from_.contiguous() && !to_.contiguous() && all_rows(from_) && all_rows(to_) &&
      from_.bytes() == to_.bytes() && !same_shapes(from_.pieces(), to_.pieces()))
    cut_alike(from_, to_);
  const auto& a = from_.pieces();
  const auto& b = to_.pieces();
  same_shape_ = same_shapes(a, b);
  const auto pieces = [](const Layout& layout) {
    std::size_t count = 0;
    for (const ElementList& list : layout.lists()) count += list.end - list.begin;
    return count;
  };
  const auto same_elements = [](const ElementList& one, const ElementList& other) {
    return one.begin == other.begin && one.end == other.end && one.bytes == other.bytes;
  };
  all_lists_ = same_shape_ && !a.empty() && pieces(from_) == a.size() && pieces(to_) == b.size() &&
               std::equal(from_.lists().begin(), from_.lists().end(), to_.lists().begin(),
                          to_.lists().end(), same_elements);
  if (same_shape_ || from_.contiguous() || to_.contiguous()) return;
  same_pieces_ = a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_bytes);
  std::size_t most = 0;
  for (const Piece& piece : a) most = std::max(most, piece.bytes());
  bounce_.resize(same_pieces_ ? most : from_.bytes());
}

void LayoutCopy::run(const Bases& from, const Bases& to) const {
  if (!same_shape_ && from_.contiguous()) return to_.unpack(to, from_.address(from));
  if (!same_shape_ && to_.contiguous()) return from_.pack(from, to_.address(to));
  if (same_pieces_) {
    // Tiles that are turned on their way are small enough for a cache.
    for (std::size_t i = 0; i < from_.pieces().size(); ++i) {
      pack_piece(from_.pieces()[i], from, bounce_.data());
      unpack_piece(to_.pieces()[i], to, bounce_.data());
    }
    return;
  }
  if (!same_shape_) {
    from_.pack(from, bounce_.data());
    to_.unpack(to, bounce_.data());
    return;
  }
  if (all_lists_) {
    for (std::size_t i = 0; i < from_.lists().size(); ++i) {
      const ElementList &a = from_.lists()[i], &b = to_.lists()[i];
      const std::byte* const source = from[static_cast<std::size_t>(a.field)];
      std::byte* const target = to[static_cast<std::size_t>(b.field)];
      if (b.consecutive)
        pack_list(from_, a, from, first_of(to_, b, target));
      else if (a.consecutive)
        unpack_list(to_, b, to, first_of(from_, a, source));
      else
        from_.with_indices(a, [&](auto from_indices) {
          to_.with_indices(b, [&](auto to_indices) {
            copy_list(a, from_indices, source, b, to_indices, target);
          });
        });
    }
    return;
  }
  // Plane by plane through all pieces that have as many: opposite faces share cache lines.
  const std::size_t pieces = from_.pieces().size();
  for (std::size_t begin = 0, end = 0; begin < pieces; begin = end) {
    const std::int64_t planes = from_.pieces()[begin].planes;
    while (end < pieces && from_.pieces()[end].planes == planes) ++end;
    for (std::int64_t plane = 0; plane < planes; ++plane)
      for (std::size_t i = begin; i < end; ++i) {
        const Piece& a = from_.pieces()[i];
        const Piece& b = to_.pieces()[i];
        copy_rows(to[static_cast<std::size_t>(b.field)] + b.offset + plane * b.plane_stride,
                  b.row_stride,
                  from[static_cast<std::size_t>(a.field)] + a.offset + plane * a.plane_stride,
                  a.row_stride, a.rows, static_cast<std::size_t>(a.row_bytes), owner_);
      }
  }
}

}  // namespace detail

}  // namespace halocline
