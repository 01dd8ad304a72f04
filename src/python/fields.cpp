#include "fields.hpp"

#include "communicator.hpp"
#include "shapes.hpp"
#include "views.hpp"

#include <halocline/error.hpp>

#include <nanobind/stl/string.h>

#include <utility>

namespace halocline::python {

namespace {

std::string name_of(nb::handle dtype) {
  return nb::cast<std::string>(nb::str(dtype));
}

Number number_of_kind(char kind, std::size_t bytes) {
  switch (kind) {
    case 'f':
      return bytes == 2   ? Number::float16
             : bytes == 4 ? Number::float32
             : bytes == 8 ? Number::float64
                          : number_of<long double>();
    case 'i': return bytes == 4 ? Number::int32 : bytes == 8 ? Number::int64 : Number::unknown;
    case 'u': return bytes == 4 ? Number::uint32 : bytes == 8 ? Number::uint64 : Number::unknown;
    case 'c':
      return bytes == 8 ? Number::complex64 : bytes == 16 ? Number::complex128 : Number::unknown;
    case 'b': return Number::boolean;
    default: return Number::unknown;
  }
}

/// Throws Error on a type whose bytes mean nothing to another process.
void expect_bytes(nb::handle dtype) {
  if (nb::cast<bool>(dtype.attr("hasobject")))
    throw Error("elements of type " + name_of(dtype) +
                " are references to objects of this process; give an array of numbers or of "
                "structures of numbers");
  if (nb::cast<std::size_t>(dtype.attr("itemsize")) == 0)
    throw Error("elements of type " + name_of(dtype) + " have no bytes");
}

Number number_of_type(nb::handle dtype) {
  // Steps give arrays of the same few types again and again.
  static PyObject* last = nullptr;
  static Number number = Number::unknown;
  if (last == dtype.ptr()) return number;
  expect_bytes(dtype);
  number = !nb::cast<bool>(dtype.attr("isnative"))
               ? Number::unknown
               : number_of_kind(nb::cast<std::string>(dtype.attr("kind"))[0],
                                nb::cast<std::size_t>(dtype.attr("itemsize")));
  Py_XDECREF(std::exchange(last, dtype.inc_ref().ptr()));
  return number;
}

/// The library's memory that an array is a view of.
Memory memory_of(nb::handle array) {
  if (!nb::isinstance(array, array_type())) return {};
  for (nb::object base = array.attr("base"); !base.is_none();) {
    if (Block* block = nullptr; nb::try_cast<Block*>(base, block) && block != nullptr)
      return *block->memory;
    if (ArenaPiece* piece = nullptr; nb::try_cast<ArenaPiece*>(base, piece) && piece != nullptr)
      return (*piece->arena)->memory();
    if (PyMemoryView_Check(base.ptr()))
      base = base.attr("obj");
    else if (nb::isinstance(base, array_type()))
      base = base.attr("base");
    else
      break;
  }
  return {};
}

/// How many of the array's first axes the pattern counts; one that is flat counts as one axis.
std::size_t counted_axes(const View& view, const std::optional<Extents>& extents) {
  const auto axes = static_cast<std::size_t>(view->ndim);
  if (axes == 0) throw Error("an array without axes has one number and no halo");
  if (!extents) return 1;
  const auto fits = [&](std::size_t axis) {
    return static_cast<std::int64_t>(view->shape[axis]) == (*extents)[axis];
  };
  std::size_t fitting = 0;
  while (fitting < extents->size() && fitting < axes && fits(fitting)) ++fitting;
  if (fitting == extents->size()) return fitting;
  std::int64_t all = 1;
  for (const std::int64_t extent : *extents) all *= extent;
  if (view->shape[0] == all) return 1;
  std::string shape = "(";
  for (std::size_t axis = 0; axis < axes; ++axis)
    shape += (axis > 0 ? ", " : "") + std::to_string(view->shape[axis]);
  shape += axes == 1 ? ",)" : ")";
  if (fitting == axes)
    throw Error("the array of shape " + shape + " has " + counted(axes, "axis", "axes") +
                ", but the pattern counts along " + std::to_string(extents->size()) + ": " +
                text_of(*extents) + "; grid.zeros() makes one that fits");
  throw Error("axis " + std::to_string(fitting) + " of the array of shape " + shape + " has " +
              counted(static_cast<std::size_t>(view->shape[fitting]), "element", "elements") +
              ", but the pattern counts " + std::to_string((*extents)[fitting]) + " along it, of " +
              text_of(*extents) + " with the halos; grid.zeros() makes one that fits");
}

/// The bytes of an element: those of the axes from `first` on.
std::size_t bytes_of_element(const View& view, std::size_t first) {
  auto bytes = static_cast<std::ptrdiff_t>(view->itemsize);
  for (auto axis = static_cast<std::size_t>(view->ndim); axis-- > first;) {
    if (view->shape[axis] > 1 && view->strides[axis] != bytes)
      throw Error("axis " + std::to_string(axis) + " of the array is " +
                  std::to_string(view->strides[axis]) +
                  " bytes from one number of an element to "
                  "the next, but the numbers of an element follow each other (" +
                  std::to_string(bytes) +
                  " bytes); give each index along that axis as a field of "
                  "its own, [u[..., i] for i in range(n)], or numpy.ascontiguousarray(u)");
    bytes *= view->shape[axis];
  }
  return static_cast<std::size_t>(bytes);
}

/// Throws Error on a view of a grid's array that looks like it, and in which other cells are where
/// those of the grid are.
void expect_unturned(nb::handle array) {
  if (Py_TYPE(array.ptr()) != reinterpret_cast<PyTypeObject*>(array_type().ptr()) &&
      nb::getattr(array, "_turned", nb::none()).is(nb::handle(Py_True)))
    throw Error(
        "this is a view of a grid's array with axes in another order or backwards, whose cells are "
        "not where the grid has them; give the grid's array, or numpy.asarray(view) if the pattern "
        "counts in the view");
}

}  // namespace

Field plain_field_of(nb::handle array, const std::optional<Extents>& extents, nb::object* dtype) {
  const View view(array);
  if (dtype != nullptr) *dtype = view.dtype();
  const Number number = number_of_type(view.dtype());
  const std::size_t axes = counted_axes(view, extents);
  Field field{.data = view->buf,
              .element_bytes = bytes_of_element(view, axes),
              .number = number,
              .read_only = view->readonly != 0};
  field.elements = 1;
  bool dense = true;
  for (std::size_t axis = axes; axis-- > 0;) {
    const auto bytes = static_cast<std::ptrdiff_t>(field.elements * field.element_bytes);
    dense = dense && (view->shape[axis] <= 1 || view->strides[axis] == bytes);
    field.elements *= static_cast<std::size_t>(view->shape[axis]);
  }
  if (!dense && field.elements > 0) {
    if (extents && axes == extents->size()) expect_unturned(array);
    const std::vector<std::int64_t> counts(view->shape, view->shape + axes),
        strides(view->strides, view->strides + axes);
    field.shape = detail::shape_of(counts, strides, 1);
  }
  return field;
}

Field field_of(nb::handle array, const std::optional<Extents>& extents, nb::object* dtype) {
  Field field = plain_field_of(array, extents, dtype);
  field.memory = memory_of(array);
  return field;
}

std::vector<Field> fields_of(nb::handle arrays, const std::optional<Extents>& extents,
                             std::vector<nb::object>& keeps, std::vector<nb::object>* dtypes) {
  std::vector<Field> fields;
  const auto add = [&](nb::handle one) {
    nb::object dtype;
    if (Unbound* unbound = nullptr; nb::try_cast<Unbound*>(one, unbound) && unbound != nullptr) {
      if (is_array(unbound->like)) {
        fields.push_back(halocline::unbound(plain_field_of(unbound->like, extents, &dtype)));
      } else {
        const nb::object given = dtype_of(unbound->like);
        dtype = given.attr("base");
        Field any{.element_bytes = element_bytes(given), .number = number_of_type(dtype)};
        any.unbound = true;
        fields.push_back(any);
      }
    } else {
      fields.push_back(field_of(one, extents, &dtype));
      keeps.push_back(nb::borrow(one));
    }
    if (dtypes != nullptr) dtypes->push_back(std::move(dtype));
  };
  if (nb::isinstance<nb::list>(arrays) || nb::isinstance<nb::tuple>(arrays)) {
    std::size_t number = 0;
    for (const nb::handle one : arrays) try {
        add(one);
        ++number;
      } catch (const Error& problem) {
        throw Error("field " + std::to_string(number) + ": " + problem.what());
      }
  } else {
    add(arrays);
  }
  return fields;
}

nb::object dtype_of(nb::handle type) {
  return numpy("dtype")(type);
}

std::size_t element_bytes(const nb::object& dtype) {
  expect_bytes(dtype);
  return nb::cast<std::size_t>(dtype.attr("itemsize"));
}

int fill_buffer(PyObject* object, void* data, std::size_t bytes, Py_buffer* view, int flags) {
  static char nothing = 0;  // no bytes are somewhere, too
  return PyBuffer_FillInfo(view, object, bytes > 0 ? data : &nothing,
                           static_cast<Py_ssize_t>(bytes), 0, flags);
}

Extents extents_of(nb::handle shape) {
  Extents extents = numbers_of(shape, "shape");
  for (const std::int64_t extent : extents)
    if (extent < 0) throw Error("shape: " + text_of(extents) + " has a number below 0");
  return extents;
}

std::size_t count_of(const Extents& extents) {
  std::size_t count = 1;
  for (const std::int64_t extent : extents) count *= static_cast<std::size_t>(extent);
  return count;
}

Bytes dense_bytes(nb::handle array, const nb::object& dtype, bool writes, const char* what) {
  const View view(array, View::From::numpy);
  const nb::object& given = view.dtype();
  if (!given.equal(dtype) && !given.equal(dtype.attr("base")))
    throw Error(std::string(what) + " has elements of type " + name_of(given) + ", but " +
                name_of(dtype) + " are exchanged; array.astype() makes others");
  if (writes && view->readonly != 0)
    throw Error(std::string(what) + " is read-only, but is received in");
  auto bytes = static_cast<std::ptrdiff_t>(view->itemsize);
  for (int axis = view->ndim; axis-- > 0;) {
    if (view->shape[axis] > 1 && view->len > 0 && view->strides[axis] != bytes)
      throw Error(std::string(what) + " is not contiguous along axis " + std::to_string(axis) +
                  ": " + std::to_string(view->strides[axis]) + " bytes from one to the next, not " +
                  std::to_string(bytes) + "; give numpy.ascontiguousarray(array)");
    bytes *= view->shape[axis];
  }
  return {view->buf, static_cast<std::size_t>(view->len)};
}

namespace {

int get_buffer(PyObject* object, Py_buffer* view, int flags) {
  const Memory& memory = *nb::cast<Block&>(nb::handle(object)).memory;
  return fill_buffer(object, memory.data(), memory.bytes(), view, flags);
}

PyType_Slot block_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

}  // namespace

nb::object signed_integers(const nb::object& array, const char* what) {
  if (nb::cast<std::string>(array.attr("dtype").attr("str")).ends_with("u8") &&
      nb::cast<std::size_t>(array.attr("size")) > 0) {
    const auto most = nb::cast<std::uint64_t>(nb::int_(array.attr("max")()));
    if (most > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      throw Error(std::string(what) + ": " + std::to_string(most) + " is above 2**63 - 1");
  }
  return numpy("ascontiguousarray")(array, nb::arg("dtype") = "i8");
}

void bind_fields(nb::module_& module) {
  nb::class_<Block>(module, "Memory", nb::type_slots(block_slots),
                    "The bytes of an array that the library has made, as a buffer.")
      .def_prop_ro(
          "kind", [](const Block& block) { return to_string(block.memory->kind()); },
          "Who can reach them: 'plain', 'window', 'shared' or 'device'.")
      .def_prop_ro(
          "note", [](const Block& block) { return block.memory->note(); },
          "Why it is not the kind that the scheme likes best; else empty.")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"));
  nb::class_<Unbound>(module, "Unbound", "What stands for arrays that each step is given.")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"));
  module.def(
      "expect_unmasked", [](nb::handle values) { expect_unmasked(values, "values"); },
      nb::arg("values").none(), "Raise Error on a masked array.");
  module.def(
      "unbound", [](nb::object like) { return Unbound{std::move(like)}; }, nb::arg("like"),
      "Stand for an array that each step of an Exchange is given: run(u).\n\n"
      "`like` is an array, whose axes, strides and type those of the steps have, or a type ('f8')\n"
      "of arrays whose elements follow each other. All fields of an exchange are unbound or "
      "none.\n\n"
      ">>> import halocline as hc, numpy as np\n"
      ">>> grid = hc.Grid((8, 8), periodic=True)\n"
      ">>> halos = hc.Exchange(grid.halo(), hc.unbound('f8'))\n"
      ">>> u, v = np.ones(grid.shape), np.zeros(grid.shape)\n"
      ">>> halos.run(u)\n"
      ">>> halos.run(v)");
}

}  // namespace halocline::python
