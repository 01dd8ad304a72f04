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

/// Of how many rows the lines are to be asked for before they are stored to, `ahead` rows ahead. A
/// sweep drives the halo out of the near caches, and stores, unlike loads, wait for their lines one
/// after the other. Where rows follow each other, as in a message, the hardware sees to that.
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

/// Calls act(constant) for the bytes of a list's elements, as a constant.
template <class Act>
void with_constant(std::int64_t bytes, Act&& act) {
  switch (bytes) {
    case 8: return act(std::integral_constant<std::size_t, 8>());
    case 16: return act(std::integral_constant<std::size_t, 16>());
    case 24: return act(std::integral_constant<std::size_t, 24>());
    default: return act(std::integral_constant<std::size_t, most_in_element>());
  }
}

/// Both return the next byte of the message. They end at the rate at which a core loads an index
/// and an element, or waits for the lines that it touches.
std::byte* pack_list(std::int64_t bytes, std::span<const std::int64_t> offsets,
                     const std::byte* base, std::byte* message) {
  with_constant(bytes, [&](auto size) {
    for (std::size_t i = 0; i < offsets.size(); ++i)
      std::memcpy(message + i * size, base + offsets[i], size);
  });
  return message + offsets.size() * static_cast<std::size_t>(bytes);
}

const std::byte* unpack_list(std::int64_t bytes, std::span<const std::int64_t> offsets,
                             std::byte* base, const std::byte* message) {
  with_constant(bytes, [&](auto size) {
    for (std::size_t i = 0; i < offsets.size(); ++i)
      std::memcpy(base + offsets[i], message + i * size, size);
  });
  return message + offsets.size() * static_cast<std::size_t>(bytes);
}

void copy_list(std::int64_t bytes, std::span<const std::int64_t> from_offsets,
               const std::byte* from, std::span<const std::int64_t> to_offsets, std::byte* to) {
  with_constant(bytes, [&](auto size) {
    for (std::size_t i = 0; i < to_offsets.size(); ++i)
      std::memcpy(to + to_offsets[i], from + from_offsets[i], size);
  });
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

  void add_list(std::int64_t bytes, std::span<const std::int64_t> offsets, const std::byte* base) {
    const auto each = static_cast<std::size_t>(bytes);
    while (!offsets.empty()) {
      const std::size_t fit = std::min(offsets.size(), (size - filled_) / each);
      pack_list(bytes, offsets.first(fit), base, lines_ + filled_);
      filled_ += fit * each;
      offsets = offsets.subspan(fit);
      if (offsets.empty()) return;
      add_row(base + offsets.front(), each);
      offsets = offsets.subspan(1);
    }
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

template <class OnList, class OnPiece>
void Layout::each(OnList&& on_list, OnPiece&& on_piece) const {
  std::size_t next = 0;
  const auto pieces_until = [&](std::size_t end) {
    for (; next < end; ++next) on_piece(pieces_[next]);
  };
  for (const ElementList& list : lists_) {
    pieces_until(list.begin);
    on_list(list, offsets(list));
    next = list.end;
  }
  pieces_until(pieces_.size());
}

void Layout::pack(const Bases& bases, std::byte* message) const {
  each(
      [&](const ElementList& list, std::span<const std::int64_t> offsets) {
        const std::byte* base = bases[static_cast<std::size_t>(list.field)];
        message = detail::pack_list(list.bytes, offsets, base, message);
      },
      [&](const Piece& piece) { message = detail::pack_piece(piece, bases, message); });
}

void Layout::stream(const Bases& bases, std::byte* message) const {
  detail::Streamed lines(message);
  each(
      [&](const ElementList& list, std::span<const std::int64_t> offsets) {
        lines.add_list(list.bytes, offsets, bases[static_cast<std::size_t>(list.field)]);
      },
      [&](const Piece& piece) {
        const std::byte* from = bases[static_cast<std::size_t>(piece.field)] + piece.offset;
        const auto row_bytes = static_cast<std::size_t>(piece.row_bytes);
        for (std::int64_t plane = 0; plane < piece.planes; ++plane, from += piece.plane_stride)
          lines.add_rows(from, piece.row_stride, piece.rows, row_bytes);
      });
}

void Layout::unpack(const Bases& bases, const std::byte* message) const {
  each(
      [&](const ElementList& list, std::span<const std::int64_t> offsets) {
        std::byte* base = bases[static_cast<std::size_t>(list.field)];
        message = detail::unpack_list(list.bytes, offsets, base, message);
      },
      [&](const Piece& piece) { message = detail::unpack_piece(piece, bases, message); });
}

}  // namespace methods

namespace detail {

void stream(const std::byte* from, std::size_t bytes, std::byte* message) {
  Streamed(message).add_rows(from, 0, 1, bytes);
}

namespace {

/// Of one part, and elements follow each other.
bool are_plain(std::span<const Field> fields) {
  return std::ranges::all_of(
      fields, [](const Field& field) { return field.part == 0 && field.is_dense(); });
}

/// Calls act(cells, bytes from row to row, rows, bytes of a row, message) for the rows of a link,
/// of which every single element is a block in index lists.
template <class Byte, class Act>
void each_rows(const Link& link, std::span<const Field> fields, Byte* message, Act&& act) {
  for (const Field& field : fields) {
    auto* const base = static_cast<std::byte*>(field.data);
    const auto unit = static_cast<std::ptrdiff_t>(field.element_bytes);
    for (const Block& block : link.blocks) {
      const auto bytes = static_cast<std::ptrdiff_t>(block.count[2]) * unit;
      const auto rows = static_cast<std::int64_t>(block.count[1]);
      std::byte* cells = base + block.offset * unit;
      for (std::size_t plane = 0; plane < block.count[0]; ++plane) {
        act(cells, block.stride[1] * unit, rows, bytes, message);
        cells += block.stride[0] * unit;
        message += rows * bytes;
      }
    }
  }
}

}  // namespace

void pack(const Link& link, std::span<const Field> fields, std::byte* message) {
  if (!are_plain(fields))
    return Layout(link.blocks, fields).pack(bases_of({fields.begin(), fields.end()}), message);
  each_rows(link, fields, message,
            [](const std::byte* cells, std::ptrdiff_t stride, std::int64_t rows,
               std::ptrdiff_t bytes, std::byte* to) {
              copy_box(to, bytes, cells, stride, rows, static_cast<std::size_t>(bytes));
            });
}

void unpack(const Link& link, std::span<const Field> fields, const std::byte* message) {
  if (!are_plain(fields))
    return Layout(link.blocks, fields).unpack(bases_of({fields.begin(), fields.end()}), message);
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

}  // namespace

LayoutCopy::LayoutCopy(Layout from, Layout to, CellsOf owner)
    : from_(std::move(from)), to_(std::move(to)), owner_(owner) {
  const auto& a = from_.pieces();
  const auto& b = to_.pieces();
  same_shape_ = a.size() == b.size();
  for (std::size_t i = 0; same_shape_ && i < a.size(); ++i)
    same_shape_ =
        a[i].planes == b[i].planes && a[i].rows == b[i].rows && a[i].row_bytes == b[i].row_bytes;
  const auto elements = [](const Layout& layout) {
    std::size_t count = 0;
    for (const ElementList& list : layout.lists()) count += list.end - list.begin;
    return count;
  };
  const auto same_elements = [](const ElementList& one, const ElementList& other) {
    return one.begin == other.begin && one.end == other.end && one.bytes == other.bytes;
  };
  all_lists_ = !a.empty() && elements(from_) == a.size() && elements(to_) == b.size() &&
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
      copy_list(a.bytes, from_.offsets(a), from[static_cast<std::size_t>(a.field)], to_.offsets(b),
                to[static_cast<std::size_t>(b.field)]);
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
