#include "shifts.hpp"

#include "exchange/routes/combine.hpp"
#include "exchange/routes/on_device.hpp"

namespace halocline::detail {

namespace {

/// Numbers in an element of a field; 0 if they are none to add to.
std::size_t numbers_in(const Field& field) {
  switch (field.number) {
    case Number::float32: return field.element_bytes / sizeof(float);
    case Number::float64: return field.element_bytes / sizeof(double);
    default: return 0;
  }
}

/// In the elements of all fields of a part together.
std::size_t numbers_in(std::span<const Field> fields, int part) {
  std::size_t numbers = 0;
  for (const Field& field : fields)
    if (field.part == part) numbers += numbers_in(field);
  return numbers;
}

std::string complaint_of(const Link& link, std::span<const Field> fields) {
  for (const Shift& shift : link.shifts)
    if (const std::size_t numbers = numbers_in(fields, link.blocks[shift.first].part);
        shift.by.size() != numbers)
      return "a shift has " + std::to_string(shift.by.size()) +
             " numbers, but the elements of all fields together have " + std::to_string(numbers);
  return {};
}

/// To the elements of a row; a number of 0 leaves what has arrived as it is.
template <class T>
void add(std::byte* row, std::size_t bytes, std::span<const double> by) {
  const std::size_t element = by.size() * sizeof(T);
  for (std::size_t place = 0; place < by.size(); ++place) {
    const auto shift = static_cast<T>(by[place]);
    if (shift == 0) continue;
    for (std::size_t at = place * sizeof(T); at < bytes; at += element) {
      T number;
      std::memcpy(&number, row + at, sizeof number);
      number += shift;
      std::memcpy(row + at, &number, sizeof number);
    }
  }
}

/// Adds to what these blocks are in the `one` field.
template <class T>
void add(std::span<const Block> blocks, std::span<const Field> one, std::span<const double> by) {
  const auto rows = [&](std::byte* begin, std::ptrdiff_t stride, std::int64_t count,
                        std::ptrdiff_t bytes) {
    for (std::int64_t row = 0; row < count; ++row, begin += stride)
      add<T>(begin, static_cast<std::size_t>(bytes), by);
  };
  if (one.front().is_dense()) return each_plane(blocks, one.front(), rows);
  for (const Piece& piece : boxes_of({blocks.begin(), blocks.end()}, one))
    for (std::int64_t plane = 0; plane < piece.planes; ++plane)
      rows(static_cast<std::byte*>(one.front().data) + piece.offset + plane * piece.plane_stride,
           piece.row_stride, piece.rows, piece.row_bytes);
}

void add(const Link& link, const Setup& setup) {
  const std::span<const Field> fields = setup.receive_fields();
  for (const Shift& shift : link.shifts) {
    const auto blocks = std::span(link.blocks).subspan(shift.first, shift.count);
    auto by = std::span(std::as_const(shift.by));
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (fields[f].part != blocks.front().part) continue;
      const std::size_t numbers = numbers_in(fields[f]);
      if (fields[f].number == Number::float32)
        add<float>(blocks, fields.subspan(f, 1), by.first(numbers));
      else
        add<double>(blocks, fields.subspan(f, 1), by.first(numbers));
      by = by.subspan(numbers);
    }
  }
}

}  // namespace

std::string shifts_complaint(const Pattern& pattern, std::span<const Field> fields,
                             const ExchangeOptions& options) {
  if (!pattern.shifts()) return {};
  if (options.combine != Combine::replace)
    return "a pattern with shifts adds them to what arrives, so nothing is combined with it; use "
           "Pattern::reversed for the way back, or a pattern without shifts";
  if (options.halos == Halos::in_place)
    return "a pattern with shifts adds them to what arrives, so halos cannot be read in place; use "
           "Halos::filled";
  for (const Field& field : fields) {
    if (device_of(field) != nullptr)
      return "a pattern with shifts needs fields on the host, but one is on a device";
    if (numbers_in(field) == 0)
      return std::string(
                 "a pattern with shifts needs fields of float32 or float64, but one is of ") +
             name(field.number);
  }
  for (const Link& link : pattern.receives())
    if (const std::string why = complaint_of(link, fields); !why.empty()) return why;
  return complaint_of(pattern.copies_to(), fields);
}

void add_all_shifts(const Setup& setup) {
  for (const Link& link : setup.pattern.receives()) add(link, setup);
  add(setup.pattern.copies_to(), setup);
}

}  // namespace halocline::detail
