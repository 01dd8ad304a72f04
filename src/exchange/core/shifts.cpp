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
    if (const std::size_t numbers = numbers_in(fields, link.blocks[shift.block].part);
        shift.by.size() != numbers)
      return "a shift has " + std::to_string(shift.by.size()) +
             " numbers, but the elements of all fields together have " + std::to_string(numbers);
  return {};
}

template <class T>
void add(std::byte* row, std::size_t bytes, std::span<const double> by) {
  for (std::byte* const end = row + bytes; row < end;)
    for (const double shift : by) {
      T number;
      std::memcpy(&number, row, sizeof number);
      number += static_cast<T>(shift);
      std::memcpy(row, &number, sizeof number);
      row += sizeof number;
    }
}

void add(const Link& link, const Setup& setup) {
  const std::size_t first = setup.first_receive_field();
  for (const Shift& shift : link.shifts) {
    const std::vector<Block> block{link.blocks[shift.block]};
    for (const Piece& piece : boxes_of(block, setup.receive_fields(), first)) {
      const auto number = static_cast<std::size_t>(piece.field);
      const Field& field = setup.fields[number];
      const std::span<const double> by = std::span(shift.by).subspan(
          numbers_in(setup.receive_fields().first(number - first), field.part), numbers_in(field));
      for (std::int64_t plane = 0; plane < piece.planes; ++plane)
        for (std::int64_t row = 0; row < piece.rows; ++row) {
          std::byte* const begin = static_cast<std::byte*>(field.data) + piece.offset +
                                   plane * piece.plane_stride + row * piece.row_stride;
          const auto bytes = static_cast<std::size_t>(piece.row_bytes);
          if (field.number == Number::float32)
            add<float>(begin, bytes, by);
          else
            add<double>(begin, bytes, by);
        }
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
