#include "views.hpp"

#include "communicator.hpp"

#include <halocline/error.hpp>
#include <halocline/more/device.hpp>

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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
  throw Error(
      std::string(name_of_type(array)) +
      " is no field; give a numpy array (numpy.asarray makes one of whatever has a buffer), or "
      "an array that has __dlpack__ or __cuda_array_interface__");
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

View::View(nb::handle array, From from) {
  static PyObject* const dtype = PyUnicode_InternFromString("dtype");
  if (PyObject_TypeCheck(array.ptr(), reinterpret_cast<PyTypeObject*>(array_type().ptr())) != 0) {
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_STRIDES) != 0) throw nb::python_error();
    dtype_ = array.attr(nb::handle(dtype));
  } else if (from == From::numpy || !is_array(array)) {
    is_no_field(array);
  } else if (nb::hasattr(array, "__cuda_array_interface__")) {
    by_cuda(array, array.attr("__cuda_array_interface__"));
  } else {
    by_dlpack(array);
  }
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
  try {
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
  set(reinterpret_cast<void*>(data), std::move(shape), std::move(strides), read_only);
  if (view_.len > 0) expect_on_device(view_.buf, 0, who);
}

void View::by_dlpack(nb::handle array) {
  const std::string who = name_of_type(array);
  nb::ndarray<> all;
  if (!nb::try_cast(array, all, false)) {
    PyErr_Clear();
    throw Error(who + ".__dlpack__() gives no array; give numpy.asarray() of it");
  }
  dtype_ = dtype_of_dlpack(all.dtype());
  const auto bytes = nb::cast<Py_ssize_t>(dtype_.attr("itemsize"));
  std::vector<Py_ssize_t> shape, strides;
  for (std::size_t axis = 0; axis < all.ndim(); ++axis) {
    shape.push_back(static_cast<Py_ssize_t>(all.shape(axis)));
    strides.push_back(static_cast<Py_ssize_t>(all.stride(axis)) * bytes);
  }
  set(all.data(), std::move(shape), std::move(strides), false);
  const int kind = all.device_type();
  const bool on_host = kind == nb::device::cpu::value || kind == nb::device::cuda_host::value ||
                       kind == nb::device::rocm_host::value;
  if (!on_host && view_.len > 0) expect_on_device(view_.buf, all.device_id(), who);
}

}  // namespace halocline::python
