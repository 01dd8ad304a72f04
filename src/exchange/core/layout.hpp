#pragma once
// Layouts as the library itself uses them: copies between two, and layouts that ranks give each
// other at set-up.

#include <halocline/more/layout.hpp>

#include <span>
#include <vector>

namespace halocline::detail {

using namespace methods;

/// Bytes of an element of all fields together.
std::size_t element_bytes(std::span<const Field> fields);

/// Which fields each part of an exchange of several has (Field::part).
class FieldsOfParts {
 public:
  explicit FieldsOfParts(std::span<const Field> fields);
  /// Else all fields are of one part.
  bool several() const noexcept { return !of_.empty(); }
  /// The numbers of a part's fields.
  std::span<const std::size_t> operator[](int part) const noexcept {
    const auto at = static_cast<std::size_t>(part);
    return at < of_.size() ? std::span<const std::size_t>(of_[at]) : std::span<const std::size_t>();
  }
  std::size_t most() const noexcept { return most_; }  ///< fields of a part

 private:
  std::vector<std::vector<std::size_t>> of_;
  std::size_t most_ = 0;
};

/// What indices of elements of so many bytes count, unless these lie askew: the words that a core
/// addresses by a load's own arithmetic.
constexpr std::int64_t natural_unit(std::int64_t bytes) {
  return bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

/// Calls act(cells, bytes from row to row, rows, bytes of a row) for each plane of each block, in a
/// field whose elements follow each other.
template <class Act>
void each_plane(std::span<const Block> blocks, const Field& field, Act&& act) {
  auto* const base = static_cast<std::byte*>(field.data);
  const auto unit = static_cast<std::ptrdiff_t>(field.element_bytes);
  for (const Block& block : blocks) {
    const auto bytes = static_cast<std::ptrdiff_t>(block.count[2]) * unit;
    std::byte* cells = base + block.offset * unit;
    for (std::size_t plane = 0; plane < block.count[0]; ++plane) {
      act(cells, block.stride[1] * unit, static_cast<std::int64_t>(block.count[1]), bytes);
      cells += block.stride[0] * unit;
    }
  }
}

/// The same of a link in some fields, of which every single element is a block in index lists; the
/// last argument is where its rows are in the message.
template <class Byte, class Act>
void each_rows(const Link& link, std::span<const Field> fields, Byte* message, Act&& act) {
  for (const Field& field : fields)
    each_plane(
        link.blocks, field,
        [&](std::byte* cells, std::ptrdiff_t stride, std::int64_t rows, std::ptrdiff_t bytes) {
          act(cells, stride, rows, bytes, message);
          message += rows * bytes;
        });
}

/// The bytes of a link's message straight from its blocks and into them, as its Layout would have
/// it: for links that change so often that to lay them out takes longer than to copy them. Fields
/// are of one part, and their elements follow each other.
void pack(const Link& link, std::span<const Field> fields, std::byte* message);
void unpack(const Link& link, std::span<const Field> fields, const std::byte* message);

/// Bytes past the caches, as Layout::stream.
void stream(const std::byte* from, std::size_t bytes, std::byte* message);

/// Which rank has written the cells that are read: those of peers come from another core's cache.
enum class CellsOf { me, peer };

/// Copies between two layouts of equal size; box by box where they match in shape.
class LayoutCopy {
 public:
  LayoutCopy(Layout from, Layout to, CellsOf owner = CellsOf::me);
  void run(const Bases& from, const Bases& to) const;
  /// Brings the layouts, not the cells, into the cache.
  void look_ahead() const {
    __builtin_prefetch(from_.pieces().data());
    __builtin_prefetch(to_.pieces().data());
  }

 private:
  Layout from_, to_;
  CellsOf owner_;
  bool same_shape_, same_pieces_ = false;  ///< piece by piece: in shape; at least in bytes
  bool all_lists_ = false;                 ///< both, and of the same elements
  mutable std::vector<std::byte> bounce_;
};

}  // namespace halocline::detail
