#include "views.hpp"

#include "communicator.hpp"

#include <halocline/error.hpp>
#include <halocline/more/device.hpp>

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <utility>

namespace halocline::python {

namespace {

/// Opens the device of this process, unless it is open, to ask it whether it has an address.
void expect_on_device(const void* data, int number, const std::string& who) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", data);
  const std::string where = who + " lies on a device (at " + text + "), but ";
  const Device* device = nullptr;
  try {
    device = opened_device() != nullptr ? opened_device() : &open_device({}, number);
  } catch (const std::exception& problem) {
    throw Error(where + "there is none that this library can use: " + problem.what());
  }
  if (!device->owns(data))
    throw Error(where + "that of this process does not know it (" + device->describe() + ")");
}

/// numpy's type of what DLPack describes. Types that numpy has not travel as bytes.
nb::object dtype_of_dlpack(const nb::dlpack::dtype& type) {
  using Code = nb::dlpack::dtype_code;
  const int bytes = (type.bits * type.lanes + 7) / 8;
  const char* kind = "V";
  if (type.lanes == 1 && type.bits % 8 == 0) switch (static_cast<Code>(type.code)) {
      case Code::Int: kind = "i"; break;
      case Code::UInt: kind = "u"; break;
      case Code::Float: kind = "f"; break;
      case Code::Complex: kind = "c"; break;
      case Code::Bool: kind = "b"; break;
      default: break;
    }
  return numpy("dtype")(kind + std::to_string(bytes));
}

[[noreturn]] void is_no_field(nb::handle array) {
  throw Error(std::string(name_of_type(array)) +
              " is no field; give the numpy array that holds its numbers (numpy.asarray may make a "
              "copy, of which it knows nothing), or an array that has __dlpack__ or "
              "__cuda_array_interface__");
}

[[noreturn]] void is_masked(const std::string& what) {
  throw Error(what +
              " is a masked array, whose data would go without their mask; give data and mask as "
              "two fields, u.data and u.mask, or fill it (numpy.ma.filled)");
}

nb::object loaded(const char* module) {
  return nb::module_::import_("sys").attr("modules").attr("get")(module);
}

bool is_masked_array(nb::handle object) {
  // Steps give arrays of the same type again and again.
  static nb::handle last = array_type().inc_ref(), masked;
  const nb::handle type = object.type();
  if (type.is(last)) return false;
  if (!masked.is_valid()) {  // who has not loaded the module has none
    const nb::object module = loaded("numpy.ma");
    if (nb::hasattr(module, "MaskedArray"))
      masked = nb::object(module.attr("MaskedArray")).release();
  }
  if (masked.is_valid() && nb::isinstance(object, masked)) return true;
  type.inc_ref();
  std::exchange(last, type).dec_ref();
  return false;
}

/// Arrays of libraries in which nobody may change one: other arrays may share what it holds. They
/// do not say so by DLPack.
bool is_immutable(nb::handle array) {
  for (const auto& [name, type] :
       {std::pair{"jax", "Array"}, {"pyarrow", "Array"}, {"tensorflow", "Tensor"}}) {
    const nb::object module = loaded(name);
    if (nb::hasattr(module, type) && nb::isinstance(array, module.attr(type))) return true;
  }
  return false;
}

/// What DLPack has in its capsules since version 1; before there was only the tensor, first.
struct Versioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(Versioned*);
  std::uint64_t flags;
  nb::dlpack::dltensor tensor;
};
constexpr std::uint64_t read_only_flag = 1, copied_flag = 2;

/// By version 1, which tells what is read-only, unless the array knows only older ones.
nb::object capsule_of(nb::handle array) {
  const nb::object give = array.attr("__dlpack__");
  try {
    return give(nb::arg("max_version") = nb::make_tuple(1, 0), nb::arg("copy") = false);
  } catch (nb::python_error& problem) {
    if (!problem.matches(PyExc_TypeError)) throw;
  }
  return give();
}

}  // namespace

nb::object numpy(const char* name) {
  return nb::module_::import_("numpy").attr(name);
}

nb::handle array_type() {
  static const nb::handle type = numpy("ndarray").release();
  return type;
}

bool is_array(nb::handle object) {
  if (nb::isinstance(object, array_type())) return true;
  return PyType_Check(object.ptr()) == 0 &&
         (nb::hasattr(object, "__cuda_array_interface__") || nb::hasattr(object, "__dlpack__"));
}

void expect_unmasked(nb::handle values, const char* what) {
  if (is_masked_array(values)) is_masked(what);
  if (nb::isinstance<nb::list>(values) || nb::isinstance<nb::tuple>(values))
    for (const nb::handle one : values)
      if (!PyNumber_Check(one.ptr()) || nb::isinstance(one, array_type()))
        expect_unmasked(one, what);
}

nb::object array_of(nb::handle values, const char* what) {
  expect_unmasked(values, what);
  return numpy("asarray")(values);
}

View::View(nb::handle array, From from) {
  static PyObject* const dtype = PyUnicode_InternFromString("dtype");
  if (PyObject_TypeCheck(array.ptr(), reinterpret_cast<PyTypeObject*>(array_type().ptr())) != 0) {
    if (is_masked_array(array)) is_masked("this");
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_STRIDES) != 0) throw nb::python_error();
    dtype_ = array.attr(nb::handle(dtype));
    return;
  }
  if (from == From::numpy || !is_array(array)) is_no_field(array);
  if (nb::hasattr(array, "__cuda_array_interface__"))
    by_cuda(array, array.attr("__cuda_array_interface__"));
  else
    by_dlpack(array);
  if (is_immutable(array)) view_.readonly = 1;
}

void View::set(void* data, std::vector<Py_ssize_t> shape, std::vector<Py_ssize_t> strides,
               bool read_only) {
  shape_ = std::move(shape);
  strides_ = std::move(strides);
  view_.buf = data;
  view_.itemsize = nb::cast<Py_ssize_t>(dtype_.attr("itemsize"));
  if (strides_.empty()) {
    strides_.resize(shape_.size());
    Py_ssize_t bytes = view_.itemsize;
    for (std::size_t axis = shape_.size(); axis-- > 0; bytes *= shape_[axis])
      strides_[axis] = bytes;
  }
  view_.ndim = static_cast<int>(shape_.size());
  view_.shape = shape_.data();
  view_.strides = strides_.data();
  view_.readonly = read_only ? 1 : 0;
  view_.len = view_.itemsize;
  for (const Py_ssize_t extent : shape_) view_.len *= extent;
}

void View::by_cuda(nb::handle array, nb::handle told) {
  const std::string who = name_of_type(array);
  std::uintptr_t data = 0;
  bool read_only = false;
  std::vector<Py_ssize_t> shape, strides;
  nb::object mask;
  try {
    mask = told.attr("get")("mask");
    const auto place = nb::cast<std::pair<std::uintptr_t, bool>>(told["data"]);
    data = place.first, read_only = place.second;
    shape = nb::cast<std::vector<Py_ssize_t>>(told["shape"]);
    dtype_ = numpy("dtype")(told["typestr"]);
    const nb::object given = told.attr("get")("strides");
    if (!given.is_none()) strides = nb::cast<std::vector<Py_ssize_t>>(given);
    if (!strides.empty() && strides.size() != shape.size()) throw nb::cast_error();
  } catch (const std::exception&) {
    throw Error(who + ".__cuda_array_interface__ is not as Numba describes it: " +
                nb::cast<std::string>(nb::repr(told)));
  }
  if (!mask.is_none()) is_masked(who);
  set(reinterpret_cast<void*>(data), std::move(shape), std::move(strides), read_only);
  if (view_.len > 0) expect_on_device(view_.buf, 0, who);
}

void View::by_dlpack(nb::handle array) {
  const std::string who = name_of_type(array), method = who + ".__dlpack__()";
  nb::object capsule;
  try {
    capsule = capsule_of(array);
  } catch (const nb::python_error& problem) {
    throw Error(method + " refuses: " + nb::cast<std::string>(nb::str(problem.value())));
  }
  const auto held = [&](const char* name) {
    return PyCapsule_IsValid(capsule.ptr(), name) != 0 ? PyCapsule_GetPointer(capsule.ptr(), name)
                                                       : nullptr;
  };
  const auto* const versioned = static_cast<const Versioned*>(held("dltensor_versioned"));
  const auto* tensor = static_cast<const nb::dlpack::dltensor*>(held("dltensor"));
  if (versioned != nullptr && versioned->major == 1) tensor = &versioned->tensor;
  if (tensor == nullptr)
    throw Error(method + " gives " + nb::cast<std::string>(nb::repr(capsule)) +
                ", which is no array of DLPack 1 or before");
  const std::uint64_t flags = versioned != nullptr ? versioned->flags : 0;
  if ((flags & copied_flag) != 0)
    throw Error(method +
                " gives a copy, of which the array knows nothing; give an array that "
                "shows its own memory");
  dtype_ = dtype_of_dlpack(tensor->dtype);
  const auto bytes = nb::cast<Py_ssize_t>(dtype_.attr("itemsize"));
  const std::vector<Py_ssize_t> shape(tensor->shape, tensor->shape + tensor->ndim);
  std::vector<Py_ssize_t> strides;
  if (tensor->strides != nullptr)
    for (int axis = 0; axis < tensor->ndim; ++axis)
      strides.push_back(static_cast<Py_ssize_t>(tensor->strides[axis]) * bytes);
  set(static_cast<std::byte*>(tensor->data) + tensor->byte_offset, shape, std::move(strides),
      (flags & read_only_flag) != 0);
  const int kind = tensor->device.device_type;
  const bool on_host = kind == nb::device::cpu::value || kind == nb::device::cuda_host::value ||
                       kind == nb::device::rocm_host::value;
  if (!on_host && view_.len > 0) expect_on_device(view_.buf, tensor->device.device_id, who);
}

}  // namespace halocline::python
