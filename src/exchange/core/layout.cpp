#include "layout.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace halocline {

namespace detail {

std::size_t element_bytes(std::span<const Field> fields) {
  std::size_t bytes = 0;
  for (const Field& field : fields) bytes += field.element_bytes;
  return bytes;
}

FieldsOfParts::FieldsOfParts(std::span<const Field> fields) {
  if (std::ranges::none_of(fields, [](const Field& field) { return field.part != 0; })) return;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto part = static_cast<std::size_t>(fields[f].part);
    if (of_.size() <= part) of_.resize(part + 1);
    of_[part].push_back(f);
    most_ = std::max(most_, of_[part].size());
  }
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
  constexpr std::size_t worth_it = 4;    // pieces
  constexpr std::int64_t longest = 128;  // bytes of a run
  constexpr std::int64_t runs = 3;       // elements in a piece, of many
  const auto is_short = [](const Piece& piece) {
    return piece.contiguous() && piece.row_bytes > 0 && piece.row_bytes <= longest;
  };
  for (std::size_t begin = 0, end = 0; begin < pieces_.size(); begin = end) {
    std::int64_t common = 0, sum = 0;
    for (end = begin; end < pieces_.size() && is_short(pieces_[end]) &&
                      pieces_[end].field == pieces_[begin].field;
         ++end) {
      common = std::gcd(common, pieces_[end].row_bytes);
      sum += pieces_[end].row_bytes;
    }
    const std::size_t pieces = end - begin;
    if (pieces >= worth_it && sum / common <= runs * static_cast<std::int64_t>(pieces))
      add_list(begin, end, common);
    end = std::max(end, begin + 1);
  }
}

void Layout::add_list(std::size_t begin, std::size_t end, std::int64_t bytes) {
  ElementList list{.begin = begin,
                   .end = end,
                   .field = pieces_[begin].field,
                   .bytes = bytes,
                   .unit = detail::natural_unit(bytes),
                   .first = 0,
                   .count = 0,
                   .wide = false,
                   .consecutive = true};
  std::int64_t least = 0, most = 0, next = pieces_[begin].offset;
  for (std::size_t i = begin; i < end; ++i) {
    const Piece& piece = pieces_[i];
    list.unit = std::gcd(list.unit, piece.offset);
    list.count += static_cast<std::size_t>(piece.row_bytes / bytes);
    list.consecutive = list.consecutive && piece.offset == next;
    next = piece.offset + piece.row_bytes;
    least = std::min(least, piece.offset);
    most = std::max(most, next);
  }
  using Narrow = std::numeric_limits<std::int32_t>;
  list.wide = least / list.unit < Narrow::min() || most / list.unit > Narrow::max();
  list.first = list.wide ? wide_.size() : narrow_.size();
  for (std::size_t i = begin; i < end; ++i)
    for (std::int64_t part = 0; part < pieces_[i].row_bytes; part += bytes) {
      const std::int64_t index = (pieces_[i].offset + part) / list.unit;
      if (list.wide)
        wide_.push_back(index);
      else
        narrow_.push_back(static_cast<std::int32_t>(index));
    }
  lists_.push_back(list);
}

namespace {

/// The axes of a field that memory needs: those that follow each other are one.
class Axes {
 public:
  explicit Axes(const Field& field) : bytes_(static_cast<std::int64_t>(field.element_bytes)) {
    const FieldShape& shape = field.shape;
    for (std::size_t axis = 0; axis < shape.axes; ++axis) {
      const auto extent = static_cast<std::int64_t>(shape.extent[axis]);
      if (axis > 0 && strides_.back() == extent * shape.stride[axis])
        extents_.back() *= extent, strides_.back() = shape.stride[axis];
      else
        extents_.push_back(extent), strides_.push_back(shape.stride[axis]);
    }
  }

  /// Adds the elements of a block, in its order, as few boxes of bytes.
  void add(std::vector<Piece>& boxes, const Block& block, std::size_t field) const {
    const std::size_t begin = boxes.size();
    for (std::size_t plane = 0; plane < block.count[0]; ++plane)
      for (std::size_t row = 0; row < block.count[1]; ++row)
        add_row(boxes, begin, field,
                block.offset + static_cast<std::ptrdiff_t>(plane) * block.stride[0] +
                    static_cast<std::ptrdiff_t>(row) * block.stride[1],
                static_cast<std::int64_t>(block.count[2]));
    stack(boxes, begin);
  }

 private:
  /// Consecutive elements; cut where they come to the next index of a slower axis.
  void add_row(std::vector<Piece>& boxes, std::size_t begin, std::size_t field, std::int64_t number,
               std::int64_t count) const {
    const std::int64_t all = extents_.size() > 1 ? extents_.back() : number + count;
    while (count > 0) {
      const std::int64_t some = std::min(count, all - number % all);
      const bool contiguous = some == 1 || strides_.back() == bytes_;
      add_below(boxes, begin,
                {.field = static_cast<std::int64_t>(field),
                 .offset = place(number),
                 .planes = 1,
                 .rows = contiguous ? 1 : some,
                 .row_bytes = contiguous ? some * bytes_ : bytes_,
                 .plane_stride = 0,
                 .row_stride = contiguous ? 0 : strides_.back(),
                 .words = bytes_ % 8 == 0});
      number += some, count -= some;
    }
  }

  std::int64_t place(std::int64_t number) const {
    std::int64_t at = 0;
    for (std::size_t axis = extents_.size(); axis-- > 1; number /= extents_[axis])
      at += number % extents_[axis] * strides_[axis];
    return at + number * strides_[0];
  }

  /// Another row, or another plane of rows, of the last box of the block, or a box of its own.
  static void add_below(std::vector<Piece>& boxes, std::size_t begin, const Piece& next) {
    if (boxes.size() > begin && next.rows == 1 && boxes.back().planes == 1 &&
        boxes.back().row_bytes == next.row_bytes) {
      Piece& last = boxes.back();
      if (last.rows == 1) last.row_stride = next.offset - last.offset;
      if (next.offset == last.offset + last.rows * last.row_stride) {
        ++last.rows;
        return;
      }
    }
    boxes.push_back(next);
  }

  /// Makes one box of boxes of rows that lie evenly one above the other.
  static void stack(std::vector<Piece>& boxes, std::size_t begin) {
    if (boxes.size() == begin) return;
    std::size_t last = begin;
    for (std::size_t i = begin + 1; i < boxes.size(); ++i) {
      Piece& below = boxes[last];
      const Piece& next = boxes[i];
      const bool alike = next.rows == below.rows && next.row_bytes == below.row_bytes &&
                         (next.rows == 1 || next.row_stride == below.row_stride);
      if (alike && below.planes == 1) below.plane_stride = next.offset - below.offset;
      if (alike && next.offset == below.offset + below.planes * below.plane_stride)
        ++below.planes;
      else
        boxes[++last] = next;
    }
    boxes.resize(last + 1);
  }

  std::int64_t bytes_;
  std::vector<std::int64_t> extents_, strides_;
};

/// Adds the pieces of blocks in one field.
class InField {
 public:
  InField(const Field& field, std::size_t number)
      : unit_(static_cast<std::int64_t>(field.element_bytes)), number_(number) {
    if (!field.is_dense()) axes_.emplace(field);
  }
  void add(std::vector<Piece>& boxes, const Block& block) const {
    if (axes_) return axes_->add(boxes, block, number_);
    boxes.push_back({.field = static_cast<std::int64_t>(number_),
                     .offset = block.offset * unit_,
                     .planes = static_cast<std::int64_t>(block.count[0]),
                     .rows = static_cast<std::int64_t>(block.count[1]),
                     .row_bytes = static_cast<std::int64_t>(block.count[2]) * unit_,
                     .plane_stride = block.stride[0] * unit_,
                     .row_stride = block.stride[1] * unit_,
                     .words = unit_ % 8 == 0});
  }

 private:
  std::int64_t unit_;
  std::size_t number_;
  std::optional<Axes> axes_;
};

}  // namespace

std::vector<Piece> boxes_of(const std::vector<Block>& blocks, std::span<const Field> fields,
                            std::size_t first) {
  std::vector<Piece> boxes;
  const detail::FieldsOfParts parts(fields);
  if (!parts.several()) {
    boxes.reserve(blocks.size() * fields.size());
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const InField field(fields[f], first + f);
      for (const Block& block : blocks) field.add(boxes, block);
    }
    return boxes;
  }
  std::vector<InField> all;
  for (std::size_t f = 0; f < fields.size(); ++f) all.emplace_back(fields[f], first + f);
  for (std::size_t place = 0; place < parts.most(); ++place)
    for (const Block& block : blocks)
      if (const auto of = parts[block.part]; place < of.size()) all[of[place]].add(boxes, block);
  return boxes;
}

Reach& Reach::add(const std::vector<Block>& blocks, const Field& field) {
  const InField in(field, 0);
  std::vector<Piece> boxes;
  for (const Block& block : blocks) {
    if (block.part != field.part || block.size() == 0) continue;
    boxes.clear();
    in.add(boxes, block);
    for (const Piece& box : boxes) {
      const std::int64_t planes = (box.planes - 1) * box.plane_stride,
                         rows = (box.rows - 1) * box.row_stride;
      const std::ptrdiff_t first =
          box.offset + std::min<std::int64_t>(planes, 0) + std::min<std::int64_t>(rows, 0);
      const std::ptrdiff_t last = box.offset + std::max<std::int64_t>(planes, 0) +
                                  std::max<std::int64_t>(rows, 0) + box.row_bytes;
      const bool nothing = begin == end;
      begin = nothing ? first : std::min(begin, first);
      end = nothing ? last : std::max(end, last);
    }
  }
  return *this;
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
