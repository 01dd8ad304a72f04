#pragma once
// Fields in numpy's arrays, and arrays in the library's memory.

#include <halocline/arena.hpp>
#include <halocline/array.hpp>
#include <halocline/field.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "together.hpp"

namespace halocline::python {

/// Elements along each axis of an array that a pattern counts.
using Extents = std::vector<std::int64_t>;

/// The bytes of an array that the library has made (Memory), as numpy's buffer.
struct Block {
  Kept<Memory> memory;
};

/// A piece of an arena, for an array.
struct ArenaPiece {
  std::shared_ptr<Kept<Arena>> arena;
  void* begin;
  std::size_t bytes;
  ArenaPiece(std::shared_ptr<Kept<Arena>> of, std::size_t size);
  ~ArenaPiece();
  ArenaPiece(const ArenaPiece&) = delete;
  ArenaPiece& operator=(const ArenaPiece&) = delete;
};

/// What these are as numpy's buffer.
int fill_buffer(PyObject* object, void* data, std::size_t bytes, Py_buffer* view, int flags);

/// A shape as Python gives it; throws Error where it has a number below 0.
Extents extents_of(nb::handle shape);
/// How many elements it has.
std::size_t count_of(const Extents& extents);

/// An array as a field. Its first axes are those of `extents`, or it is flat, with as many
/// elements; without extents the pattern counts along axis 0. What axes are left are the numbers of
/// an element, which follow each other. Throws Error that names the axis or the type.
Field field_of(nb::handle array, const std::optional<Extents>& extents,
               nb::object* dtype = nullptr);
/// The same without the memory that it is in.
Field plain_field_of(nb::handle array, const std::optional<Extents>& extents,
                     nb::object* dtype = nullptr);

/// In place of an array that each step is given.
struct Unbound {
  nb::object like;  ///< an array, or a type of elements
};

/// The fields of arrays, unbound ones as well; lists of arrays are several. `dtypes`: numpy's types
/// of their numbers, if they are asked for.
std::vector<Field> fields_of(nb::handle arrays, const std::optional<Extents>& extents,
                             std::vector<nb::object>& keeps,
                             std::vector<nb::object>* dtypes = nullptr);

/// numpy's type of anything that names one.
nb::object dtype_of(nb::handle type);

/// Elements of a type: their bytes, also of those with axes of their own; a type that bytes say
/// nothing of is refused.
std::size_t element_bytes(const nb::object& dtype);

/// A dense array's bytes; throws Error if they are not, of another type, or if `writes` and they
/// are constant.
struct Bytes {
  void* data;
  std::size_t bytes;
};
Bytes dense_bytes(nb::handle array, const nb::object& dtype, bool writes, const char* what);

/// An array of integers as a dense one of 8 bytes each; throws Error if one is too large for that.
nb::object signed_integers(const nb::object& array, const char* what);

void bind_fields(nb::module_& module);

}  // namespace halocline::python
