#pragma once
// Fields: where the elements of an exchange lie in memory, in arrays of any order and stride.

#include <halocline/memory.hpp>
#include <halocline/range.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

/// The axes of an array in the order in which a pattern counts its elements: as if they followed
/// each other, the last axis fastest. So element (i, j, k) of extents (I, J, K) has the number
/// (i * J + j) * K + k, and lies where the strides say.
struct FieldShape {
  std::size_t axes = 0;                            ///< 0: elements follow each other in memory, too
  std::array<std::size_t, most_axes> extent{};     ///< elements along each axis
  std::array<std::ptrdiff_t, most_axes> stride{};  ///< bytes from one to the next along it

  /// Their number.
  std::size_t elements() const noexcept;
  /// Whether elements of so many bytes follow each other in memory as they are counted.
  bool is_dense(std::size_t element_bytes) const noexcept;
  /// Where element `number` begins, in bytes from where element 0 does.
  std::ptrdiff_t place(std::size_t number) const noexcept;

  bool operator==(const FieldShape&) const = default;
};

/// What an exchange needs to know of a field: where its elements are and how large they are.
struct Field {
  static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();

  void* data = nullptr;  ///< element 0
  std::size_t element_bytes = 0;
  std::size_t elements = unknown;  ///< of a plain pointer it is unknown, and not checked
  Memory memory{};                 ///< empty for memory that is not ours
  Number number = Number::unknown;
  FieldShape shape{};      ///< without axes: elements follow each other
  bool read_only = false;  ///< of constant elements, which are sent only
  int part = 0;            ///< of an exchange of parts (ExchangePart), which says it
  bool unbound = false;    ///< each step of the exchange is given one: see `halocline::unbound`

  bool is_dense() const noexcept { return shape.is_dense(element_bytes); }
  /// Where an element begins, in bytes from `data`.
  std::ptrdiff_t place(std::size_t element) const noexcept {
    return shape.axes == 0 ? static_cast<std::ptrdiff_t>(element * element_bytes)
                           : shape.place(element);
  }

  // Other fields in the same memory. They throw Error if that does not hold them.

  /// With axes of its own, from element 0 on: see field(data, extents, strides).
  Field shaped(const std::vector<std::int64_t>& extents,
               const std::vector<std::int64_t>& strides) const;
  /// A box of a field with axes: its element 0 is the one at `begin`.
  Field box(const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& extents) const;
  /// The fields without one of the axes, one for each index along it: the components of an array
  /// that has them along that axis.
  std::vector<Field> components(std::size_t axis) const;
  /// One member of each structure of this field:
  ///
  ///     field(cells.data(), cells.size()).member(&Cell::pressure)
  template <class Structure, class Member>
  Field member(Member Structure::*which) const {
    alignas(Structure) static constexpr std::byte some[sizeof(Structure)]{};
    const auto* const at = &(reinterpret_cast<const Structure*>(some)->*which);
    return member_at(sizeof(Structure), reinterpret_cast<const std::byte*>(at) - some,
                     sizeof(Member), number_of<std::remove_cv_t<Member>>());
  }

 private:
  Field member_at(std::size_t structure_bytes, std::ptrdiff_t begin, std::size_t bytes,
                  Number of) const;
};

/// Strides of an array of these extents whose elements follow each other, in elements: the last
/// axis fastest, as in C, or the first, as in Fortran. For padded rows give the extents that were
/// allocated.
std::vector<std::int64_t> c_order(const std::vector<std::int64_t>& extents);
std::vector<std::int64_t> fortran_order(const std::vector<std::int64_t>& extents);

namespace detail {
/// `strides` in units of so many bytes. Throws Error on more axes than there can be, extents below
/// 0, and lists of different length.
FieldShape shape_of(const std::vector<std::int64_t>& extents,
                    const std::vector<std::int64_t>& strides, std::size_t bytes);

template <class T>
Field field_at(T* data, std::size_t elements, const FieldShape& shape = {}) {
  static_assert(detail::elements_are_bytes<T>());
  return {.data = const_cast<std::remove_const_t<T>*>(data),
          .element_bytes = sizeof(T),
          .elements = elements,
          .number = number_of<std::remove_cv_t<T>>(),
          .shape = shape,
          .read_only = std::is_const_v<T>};
}

template <class View>
auto data_of(const View& view) {
  if constexpr (requires { view.data_handle(); })
    return view.data_handle();
  else
    return view.data();
}
}  // namespace detail

/// A field in memory that is not ours: elements that follow each other. Those of a `const` pointer
/// are sent only.
template <class T>
Field field(T* data, std::size_t elements = Field::unknown) {
  return detail::field_at(data, elements);
}
template <class T, std::size_t Extent>
Field field(std::span<T, Extent> elements) {
  return detail::field_at(elements.data(), elements.size());
}
/// An array whose element (0, 0, ...) is at `data`, with so many elements along each axis, and so
/// many from one to the next along it; strides may be negative. A part of a larger array has that
/// one's strides. The pattern counts elements of these extents, the last axis fastest, wherever
/// they lie (FieldShape).
template <class T>
Field field(T* data, const std::vector<std::int64_t>& extents,
            const std::vector<std::int64_t>& strides) {
  const FieldShape shape = detail::shape_of(extents, strides, sizeof(T));
  return detail::field_at(data, shape.elements(), shape);
}
/// The same in C order.
template <class T>
Field field(T* data, const std::vector<std::int64_t>& extents) {
  return field(data, extents, c_order(extents));
}
/// Anything with `rank()`, `extent(axis)`, `stride(axis)` and `data()` or `data_handle()`: a
/// std::mdspan, a Kokkos::View.
template <class View>  // clang-format off
  requires requires(const View& view) { view.extent(0); view.stride(0); }
Field field(const View& view) {  // clang-format on
  auto* const data = detail::data_of(view);
  std::size_t axes = 0;
  if constexpr (requires { view.rank(); })
    axes = static_cast<std::size_t>(view.rank());
  else
    axes = static_cast<std::size_t>(view.rank);
  std::vector<std::int64_t> extents, strides;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    extents.push_back(static_cast<std::int64_t>(view.extent(axis)));
    strides.push_back(static_cast<std::int64_t>(view.stride(axis)));
  }
  return field(data, extents, strides);
}
/// In place of a field where an exchange is made that is given arrays of `T` at each step
/// (Exchange::start(fields), run(fields)). Those of `const T` are sent only.
template <class T>
Field unbound() {
  Field any = detail::field_at(static_cast<T*>(nullptr), Field::unknown);
  any.unbound = true;
  return any;
}
/// The same for arrays of the axes, strides and elements of this one.
inline Field unbound(Field like) {
  like.data = nullptr;
  like.memory = {};
  like.unbound = true;
  return like;
}
/// A std::vector may move: it is no field.
template <class T>
Field field(const std::vector<T>&) {
  static_assert(sizeof(T) == 0, "halocline: give field(x.data(), x.size()) for a std::vector x");
  return {};
}

}  // namespace halocline

#pragma GCC visibility pop
