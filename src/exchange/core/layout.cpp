#include "layout.hpp"

namespace halocline {

namespace detail {

std::size_t element_bytes(std::span<const Field> fields) {
  std::size_t bytes = 0;
  for (const Field& field : fields) bytes += field.element_bytes;
  return bytes;
}

}  // namespace detail

namespace methods {

namespace {

/// A box without axes that memory does not need: rows that follow each other are one row.
Piece folded(Piece piece) {
  if (piece.rows > 1 && piece.row_stride == piece.row_bytes) {
    piece.row_bytes *= piece.rows;
    piece.rows = 1;
  }
  if (piece.rows == 1) {
    if (piece.planes > 1 && piece.plane_stride == piece.row_bytes) {
      piece.row_bytes *= piece.planes;
      piece.planes = 1;
    }
    piece.rows = piece.planes;
    piece.row_stride = piece.plane_stride;
    piece.planes = 1;
  }
  if (piece.rows == 1) piece.row_stride = piece.row_bytes;
  if (piece.planes == 1) piece.plane_stride = piece.rows * piece.row_stride;
  return piece;
}

std::vector<Piece> folded(std::vector<Piece> pieces) {
  for (Piece& piece : pieces) piece = folded(piece);
  return pieces;
}

}  // namespace

Bases bases_of(const std::vector<Field>& fields) {
  Bases bases;
  for (const Field& field : fields) bases.push_back(static_cast<std::byte*>(field.data));
  return bases;
}

Layout::Layout(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  for (const Piece& piece : pieces_) bytes_ += piece.bytes();
  find_lists();
}

void Layout::find_lists() {
  constexpr std::size_t worth_it = 4;  // pieces
  const auto is_element = [](const Piece& piece) {
    return piece.contiguous() && piece.row_bytes > 0 &&
           piece.row_bytes <= detail::most_in_element && piece.row_bytes % 8 == 0;
  };
  for (std::size_t begin = 0, end = 0; begin < pieces_.size(); begin = end) {
    const Piece& first = pieces_[begin];
    end = begin + 1;
    if (!is_element(first)) continue;
    while (end < pieces_.size() && is_element(pieces_[end]) && pieces_[end].field == first.field &&
           pieces_[end].row_bytes == first.row_bytes)
      ++end;
    if (end - begin < worth_it) continue;
    lists_.push_back({begin, end, first.field, first.row_bytes, offsets_.size()});
    for (std::size_t i = begin; i < end; ++i) offsets_.push_back(pieces_[i].offset);
  }
}

std::vector<Piece> boxes_of(const std::vector<Block>& blocks, std::span<const Field> fields,
                            std::size_t first) {
  std::vector<Piece> boxes;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto unit = static_cast<std::int64_t>(fields[f].element_bytes);
    for (const Block& block : blocks)
      boxes.push_back({.field = static_cast<std::int64_t>(first + f),
                       .offset = block.offset * unit,
                       .planes = static_cast<std::int64_t>(block.count[0]),
                       .rows = static_cast<std::int64_t>(block.count[1]),
                       .row_bytes = static_cast<std::int64_t>(block.count[2]) * unit,
                       .plane_stride = block.stride[0] * unit,
                       .row_stride = block.stride[1] * unit,
                       .words = unit % 8 == 0});
  }
  return boxes;
}

Layout::Layout(const std::vector<Block>& blocks, std::span<const Field> fields, std::size_t first)
    : Layout(folded(boxes_of(blocks, fields, first))) {}

Layout Layout::of_field(std::size_t index) const {
  std::vector<Piece> some;
  for (Piece piece : pieces_)
    if (piece.field == static_cast<std::int64_t>(index)) {
      piece.field = 0;
      some.push_back(piece);
    }
  return Layout(std::move(some));
}

namespace {

/// Adds a row to the pieces: below the last one if they make a box.
void add_row(std::vector<Piece>& pieces, const Piece& of, std::int64_t offset, std::int64_t bytes) {
  Piece* last = pieces.empty() ? nullptr : &pieces.back();
  if (last != nullptr && last->field == of.field && last->row_bytes == bytes) {
    if (last->rows == 1) last->row_stride = offset - last->offset;
    if (offset == last->offset + last->rows * last->row_stride) {
      last->plane_stride = ++last->rows * last->row_stride;
      return;
    }
  }
  pieces.push_back({.field = of.field,
                    .offset = offset,
                    .planes = 1,
                    .rows = 1,
                    .row_bytes = bytes,
                    .plane_stride = bytes,
                    .row_stride = bytes,
                    .words = of.words});
}

}  // namespace

std::vector<Layout> Layout::cut(std::size_t bytes) const {
  std::vector<Layout> layouts;
  std::vector<Piece> pieces;
  auto room = static_cast<std::int64_t>(bytes);
  const auto finish = [&] {
    layouts.emplace_back(std::exchange(pieces, {}));
    room = static_cast<std::int64_t>(bytes);
  };
  for (const Piece& piece : pieces_)
    for (std::int64_t row = 0; row < piece.planes * piece.rows; ++row) {
      std::int64_t offset = piece.offset + row / piece.rows * piece.plane_stride +
                            row % piece.rows * piece.row_stride;
      for (std::int64_t left = piece.row_bytes; left > 0;) {
        const std::int64_t taken = std::min(left, room);
        add_row(pieces, piece, offset, taken);
        offset += taken, left -= taken, room -= taken;
        if (room == 0) finish();
      }
    }
  if (!pieces.empty()) finish();
  return layouts;
}

mpi::Datatype Layout::datatype(const Bases& bases, const std::byte* origin,
                               MPI_Datatype numbers) const {
  std::vector<mpi::Datatype> boxes;
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> offsets;
  std::vector<int> ones(pieces_.size(), 1);
  for (const Piece& piece : pieces_) {
    const std::byte* begin = bases[static_cast<std::size_t>(piece.field)] + piece.offset;
    MPI_Aint address = 0;
    if (origin == nullptr)
      HALOCLINE_MPI(MPI_Get_address, begin, &address);
    else
      address = begin - origin;
    offsets.push_back(address);

    // Doubles keep the library on its fast paths.
    const MPI_Datatype unit = numbers != MPI_DATATYPE_NULL ? numbers
                              : piece.words != 0           ? MPI_DOUBLE
                                                           : MPI_BYTE;
    int unit_bytes = 0;
    HALOCLINE_MPI(MPI_Type_size, unit, &unit_bytes);
    const mpi::Bytes row(static_cast<std::size_t>(piece.row_bytes / unit_bytes), unit);
    mpi::Datatype rows, planes;
    HALOCLINE_MPI(MPI_Type_create_hvector, static_cast<int>(piece.rows), row.count(),
                  piece.row_stride, row.type(), rows.address());
    HALOCLINE_MPI(MPI_Type_create_hvector, static_cast<int>(piece.planes), 1, piece.plane_stride,
                  rows, planes.address());
    types.push_back(planes);
    boxes.push_back(std::move(planes));
  }
  mpi::Datatype all;
  HALOCLINE_MPI(MPI_Type_create_struct, static_cast<int>(types.size()), ones.data(), offsets.data(),
                types.data(), all.address());
  HALOCLINE_MPI(MPI_Type_commit, all.address());
  return all;
}

}  // namespace methods

}  // namespace halocline
