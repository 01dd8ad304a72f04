#include <halocline/field.hpp>

#include "base/text.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace halocline {

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 62;

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& extents, bool last_fastest) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t all = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t axis = last_fastest ? extents.size() - 1 - i : i;
    strides[axis] = all;
    all *= extents[axis];
  }
  return strides;
}

/// Bytes from the first to one past the last one, from where element 0 begins.
std::pair<std::ptrdiff_t, std::ptrdiff_t> span_of(const FieldShape& shape,
                                                  std::size_t element_bytes) {
  std::ptrdiff_t begin = 0, end = static_cast<std::ptrdiff_t>(element_bytes);
  for (std::size_t axis = 0; axis < shape.axes; ++axis) {
    const std::ptrdiff_t reach =
        static_cast<std::ptrdiff_t>(std::max<std::size_t>(shape.extent[axis], 1) - 1) *
        shape.stride[axis];
    (reach < 0 ? begin : end) += reach;
  }
  return {begin, end};
}

void must_have_axes(const Field& field, const char* what) {
  if (field.shape.axes == 0)
    throw Error(std::string("field: ") + what +
                " is of a field with axes; give its extents: field(data, extents)");
}

}  // namespace

std::size_t FieldShape::elements() const noexcept {
  std::size_t all = 1;
  for (std::size_t axis = 0; axis < axes; ++axis) all *= extent[axis];
  return all;
}

bool FieldShape::is_dense(std::size_t element_bytes) const noexcept {
  auto dense = static_cast<std::ptrdiff_t>(element_bytes);
  for (std::size_t axis = axes; axis-- > 0;) {
    if (extent[axis] != 1 && stride[axis] != dense) return false;
    dense *= static_cast<std::ptrdiff_t>(extent[axis]);
  }
  return true;
}

std::ptrdiff_t FieldShape::place(std::size_t number) const noexcept {
  std::ptrdiff_t at = 0;
  for (std::size_t axis = axes; axis-- > 1; number /= extent[axis])
    at += static_cast<std::ptrdiff_t>(number % extent[axis]) * stride[axis];
  return at + static_cast<std::ptrdiff_t>(number) * stride[0];
}

std::vector<std::int64_t> c_order(const std::vector<std::int64_t>& extents) {
  return strides_of(extents, true);
}

std::vector<std::int64_t> fortran_order(const std::vector<std::int64_t>& extents) {
  return strides_of(extents, false);
}

namespace detail {

FieldShape shape_of(const std::vector<std::int64_t>& extents,
                    const std::vector<std::int64_t>& strides, std::size_t bytes) {
  if (extents.size() != strides.size())
    throw Error("field: " + std::to_string(extents.size()) + " extents and " +
                std::to_string(strides.size()) + " strides; each axis has one of both");
  if (extents.empty() || extents.size() > most_axes)
    throw Error("field: " + std::to_string(extents.size()) + " axes; a field has 1 to " +
                std::to_string(most_axes));
  FieldShape shape{.axes = extents.size()};
  std::int64_t all = 1, reach = static_cast<std::int64_t>(bytes);
  bool fits = true;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] < 0)
      throw Error("field: the extent of axis " + std::to_string(axis) + " is " +
                  std::to_string(extents[axis]) + ", must be >= 0");
    std::int64_t stride = 0, far = 0;
    fits = fits && !__builtin_mul_overflow(all, extents[axis], &all) &&
           !__builtin_mul_overflow(strides[axis], bytes, &stride) &&
           !__builtin_mul_overflow(std::max<std::int64_t>(extents[axis], 1) - 1, stride, &far) &&
           !__builtin_add_overflow(reach, far < 0 ? -far : far, &reach);
    shape.extent[axis] = static_cast<std::size_t>(extents[axis]);
    shape.stride[axis] = stride;
  }
  if (!fits || all > most_elements || reach > most_elements)
    throw Error("field: an array of " + base::sizes(extents) + " elements with strides of " +
                base::sizes(strides) + " is larger than there can be");
  return shape;
}

}  // namespace detail

Field Field::shaped(const std::vector<std::int64_t>& extents,
                    const std::vector<std::int64_t>& strides) const {
  Field other = *this;
  other.shape = detail::shape_of(extents, strides, element_bytes);
  other.elements = other.shape.elements();
  const auto [begin, end] = span_of(other.shape, element_bytes);
  const bool has_room = elements == unknown || other.elements == 0 ||
                        (begin >= 0 && static_cast<std::size_t>(end) <= elements * element_bytes);
  if (!is_dense() || !has_room)
    throw Error("field: an array of " + base::sizes(extents) + " elements with strides of " +
                base::sizes(strides) + " does not lie within one of " +
                (is_dense() ? std::to_string(elements) + " elements" : "other strides"));
  return other;
}

Field Field::box(const std::vector<std::int64_t>& begin,
                 const std::vector<std::int64_t>& extents) const {
  must_have_axes(*this, "a box");
  Field other = *this;
  other.shape.axes = extents.size();
  bool inside = begin.size() == shape.axes && extents.size() == shape.axes;
  for (std::size_t axis = 0; inside && axis < shape.axes; ++axis) {
    const auto all = static_cast<std::int64_t>(shape.extent[axis]);
    inside = begin[axis] >= 0 && extents[axis] >= 0 && begin[axis] <= all - extents[axis];
    other.shape.extent[axis] = static_cast<std::size_t>(extents[axis]);
    if (inside) other.data = static_cast<std::byte*>(other.data) + begin[axis] * shape.stride[axis];
  }
  if (!inside)
    throw Error("field: a box of " + base::sizes(extents) + " elements at " + base::sizes(begin) +
                " is not inside this field of " + std::to_string(shape.axes) + " axes");
  other.elements = other.shape.elements();
  return other;
}

std::vector<Field> Field::components(std::size_t axis) const {
  must_have_axes(*this, "a component");
  if (axis >= shape.axes)
    throw Error("field: components along axis " + std::to_string(axis) + ", but there are " +
                std::to_string(shape.axes) + " axes");
  Field one = *this;
  std::size_t kept = 0;
  for (std::size_t from = 0; from < shape.axes; ++from) {
    if (from == axis) continue;
    one.shape.extent[kept] = shape.extent[from];
    one.shape.stride[kept++] = shape.stride[from];
  }
  // Where the components' axis is the only one, each component is one element.
  if (kept == 0)
    one.shape.extent[0] = 1, one.shape.stride[0] = static_cast<std::ptrdiff_t>(element_bytes),
    kept = 1;
  for (std::size_t rest = one.shape.axes = kept; rest < most_axes; ++rest)
    one.shape.extent[rest] = 0, one.shape.stride[rest] = 0;
  one.elements = one.shape.elements();
  std::vector<Field> all(shape.extent[axis], one);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].data =
        static_cast<std::byte*>(data) + static_cast<std::ptrdiff_t>(i) * shape.stride[axis];
  return all;
}

Field Field::member_at(std::size_t structure_bytes, std::ptrdiff_t begin, std::size_t bytes,
                       Number of) const {
  if (element_bytes != structure_bytes)
    throw Error("field: a member of a structure of " + std::to_string(structure_bytes) +
                " bytes, but the elements have " + std::to_string(element_bytes));
  Field other = *this;
  if (data != nullptr) other.data = static_cast<std::byte*>(data) + begin;
  other.element_bytes = bytes;
  other.number = of;
  if (shape.axes == 0) {
    other.shape.axes = 1;
    other.shape.extent[0] = elements == unknown ? 0 : elements;
    other.shape.stride[0] = static_cast<std::ptrdiff_t>(structure_bytes);
  }
  return other;
}

}  // namespace halocline
