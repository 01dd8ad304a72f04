// Fields: where the elements of an exchange lie in memory.

#include "converted.hpp"

#include <algorithm>
#include <complex>

namespace halocline::c {

namespace {

/// Bytes of each Number; a byte has one.
constexpr std::size_t number_bytes[] = {1,
                                        sizeof(float),
                                        sizeof(double),
                                        sizeof(std::int32_t),
                                        sizeof(std::int64_t),
                                        sizeof(std::uint32_t),
                                        sizeof(std::uint64_t),
                                        2,
                                        sizeof(long double),
                                        sizeof(std::complex<float>),
                                        sizeof(std::complex<double>),
                                        sizeof(bool)};
constexpr int numbers_known = static_cast<int>(std::size(number_bytes));
static_assert(static_cast<int>(Number::unknown) == HALOCLINE_BYTES);
static_assert(static_cast<int>(Number::float64) == HALOCLINE_FLOAT64);
static_assert(static_cast<int>(Number::float16) == HALOCLINE_FLOAT16);
static_assert(static_cast<int>(Number::boolean) == HALOCLINE_BOOLEAN);
static_assert(most_axes == HALOCLINE_MOST_AXES);

}  // namespace

Element element(int number, std::int64_t numbers) {
  const int known = kind(number, numbers_known, "number");
  return {static_cast<Number>(known),
          product(size_above_0(numbers, "numbers"), number_bytes[known])};
}

Field field(const halocline_field& from) {
  Field to{.data = from.data,
           .element_bytes = size_above_0(from.element_bytes, "element_bytes"),
           .elements = from.elements == HALOCLINE_UNKNOWN ? Field::unknown
                                                          : size(from.elements, "elements"),
           .number = static_cast<Number>(kind(from.number, numbers_known, "number")),
           .read_only = from.read_only != 0,
           .unbound = from.unbound != 0};
  if (std::ranges::any_of(from.reserved, [](std::int64_t entry) { return entry != 0; }))
    throw ArgumentError("reserved of a field is not 0, which version " +
                        std::string(version_text()) + " of the library cannot know");
  to.shape.axes = static_cast<std::size_t>(kind(from.axes, HALOCLINE_MOST_AXES + 1, "axes"));
  for (std::size_t axis = 0; axis < to.shape.axes; ++axis) {
    to.shape.extent[axis] = size(from.extent[axis], "extent");
    to.shape.stride[axis] = from.stride[axis];
  }
  if (to.shape.axes > 0 && to.elements == Field::unknown) to.elements = to.shape.elements();
  if (to.unbound)
    to.data = nullptr;
  else if (from.memory != nullptr)
    to.memory = from.memory->it;
  return to;
}

std::vector<Field> fields(const halocline_field* fields, int count, const char* name) {
  std::vector<Field> all;
  for (std::size_t i = 0; i < size(count, "count"); ++i)
    all.push_back(field((&at(fields, name))[i]));
  return all;
}

halocline_field field(const Field& from, const halocline_memory* memory) {
  halocline_field to{};
  to.data = from.data;
  to.element_bytes = static_cast<std::int64_t>(from.element_bytes);
  to.elements = HALOCLINE_UNKNOWN;
  if (from.elements != Field::unknown) to.elements = static_cast<std::int64_t>(from.elements);
  to.memory = memory;
  to.number = static_cast<int>(from.number);
  to.read_only = from.read_only;
  to.unbound = from.unbound;
  to.axes = static_cast<int>(from.shape.axes);
  for (std::size_t axis = 0; axis < from.shape.axes; ++axis) {
    to.extent[axis] = static_cast<std::int64_t>(from.shape.extent[axis]);
    to.stride[axis] = from.shape.stride[axis];
  }
  return to;
}

}  // namespace halocline::c

using namespace halocline;
using c::call, c::give;

namespace {

using Entries = std::vector<std::int64_t>;

Entries along_axes(const std::int64_t* entries, int axes, const char* name) {
  return c::list<std::int64_t>(entries, c::size(axes, "axes"), name);
}

/// Another field in the same memory.
template <class Make>
int in_the_same(const char* function, const halocline_field* field, halocline_field* other,
                const char* name, Make&& make) {
  return give(function, other, name, [&] {
    const halocline_field& from = c::at(field, "field");
    return c::field(make(c::field(from)), from.memory);
  });
}

}  // namespace

int halocline_field_of(void* data, int number, int64_t numbers, int64_t elements,
                       halocline_field* field) {
  return give(__func__, field, "field", [&] {
    const c::Element one = c::element(number, numbers);
    return c::field(
        {.data = data,
         .element_bytes = one.bytes,
         .elements = elements == HALOCLINE_UNKNOWN ? Field::unknown : c::size(elements, "elements"),
         .number = one.number},
        nullptr);
  });
}

int halocline_field_strided(void* data, int number, int64_t numbers, int axes,
                            const int64_t* extents, const int64_t* strides,
                            halocline_field* field) {
  return give(__func__, field, "field", [&] {
    const c::Element one = c::element(number, numbers);
    const Entries sizes = along_axes(extents, axes, "extents");
    const FieldShape shape = detail::shape_of(
        sizes, strides == nullptr ? c_order(sizes) : along_axes(strides, axes, "strides"),
        one.bytes);
    return c::field({.data = data,
                     .element_bytes = one.bytes,
                     .elements = shape.elements(),
                     .number = one.number,
                     .shape = shape},
                    nullptr);
  });
}

int halocline_field_unbound(int number, int64_t numbers, halocline_field* field) {
  return give(__func__, field, "field", [&] {
    const c::Element one = c::element(number, numbers);
    return c::field({.element_bytes = one.bytes, .number = one.number, .unbound = true}, nullptr);
  });
}

int halocline_field_shaped(const halocline_field* field, int axes, const int64_t* extents,
                           const int64_t* strides, halocline_field* shaped) {
  return in_the_same(__func__, field, shaped, "shaped", [&](const Field& all) {
    const Entries sizes = along_axes(extents, axes, "extents");
    return all.shaped(sizes,
                      strides == nullptr ? c_order(sizes) : along_axes(strides, axes, "strides"));
  });
}

int halocline_field_box(const halocline_field* field, const int64_t* begin, const int64_t* extents,
                        halocline_field* box) {
  return in_the_same(__func__, field, box, "box", [&](const Field& all) {
    const int axes = static_cast<int>(all.shape.axes);
    return all.box(along_axes(begin, axes, "begin"), along_axes(extents, axes, "extents"));
  });
}

int halocline_field_component(const halocline_field* field, int axis, int64_t index,
                              halocline_field* component) {
  return in_the_same(__func__, field, component, "component", [&](const Field& all) {
    const std::vector<Field> each = all.components(c::size(axis, "axis"));
    if (c::size(index, "index") >= each.size())
      throw Error("field: component " + std::to_string(index) + " along axis " +
                  std::to_string(axis) + ", of which there are " + std::to_string(each.size()));
    return each[static_cast<std::size_t>(index)];
  });
}

int halocline_field_member(const halocline_field* field, int64_t offset, int number,
                           int64_t numbers, halocline_field* member) {
  return in_the_same(__func__, field, member, "member", [&](Field all) {
    const c::Element one = c::element(number, numbers);
    if (c::size(offset, "offset") + one.bytes > all.element_bytes)
      throw Error("field: a member of " + std::to_string(one.bytes) + " bytes at " +
                  std::to_string(offset) + " is not inside a structure of " +
                  std::to_string(all.element_bytes));
    if (all.shape.axes == 0) {
      if (all.elements == Field::unknown)
        throw Error("field: a member of structures of which the number is unknown");
      all.shape.axes = 1;
      all.shape.extent[0] = all.elements;
      all.shape.stride[0] = static_cast<std::ptrdiff_t>(all.element_bytes);
    }
    if (all.data != nullptr) all.data = static_cast<std::byte*>(all.data) + offset;
    all.element_bytes = one.bytes;
    all.number = one.number;
    return all;
  });
}

int halocline_c_order(int axes, const int64_t* extents, int64_t* strides) {
  return call(__func__,
              [&] { c::write(c_order(along_axes(extents, axes, "extents")), strides, "strides"); });
}
int halocline_fortran_order(int axes, const int64_t* extents, int64_t* strides) {
  return call(__func__, [&] {
    c::write(fortran_order(along_axes(extents, axes, "extents")), strides, "strides");
  });
}
