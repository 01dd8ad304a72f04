#pragma once
// Where the numbers of an array lie: numpy's, or one of another library, which shows its memory by
// DLPack or by the CUDA array interface.

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace halocline::python {

namespace nb = nanobind;

/// What of an array is told without its type: where it lies, never a copy, which nobody would see
/// what is received in. It does not keep the array.
class View {
 public:
  enum class From { numpy, anyone };
  /// One on a device must be on that of this process, which is opened then. Throws Error that says
  /// what is missing, and on what is no array.
  explicit View(nb::handle array, From from = From::anyone);
  ~View() { PyBuffer_Release(&view_); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  const Py_buffer* operator->() const noexcept { return &view_; }
  /// numpy's type of the elements.
  const nb::object& dtype() const noexcept { return dtype_; }

 private:
  /// As another library describes it. `strides` are in bytes; empty: in C order.
  void set(void* data, std::vector<Py_ssize_t> shape, std::vector<Py_ssize_t> strides,
           bool read_only);
  void by_cuda(nb::handle array, nb::handle told);
  void by_dlpack(nb::handle array);

  Py_buffer view_{};
  std::vector<Py_ssize_t> shape_{}, strides_{};
  nb::object dtype_{};
};

/// Whether it is an array, of numpy's or of another library.
bool is_array(nb::handle object);
/// Throws Error on a masked array, also in a list: its data would go without their mask.
void expect_unmasked(nb::handle values, const char* what);
/// numpy's array of values that are only read, which may be a copy.
nb::object array_of(nb::handle values, const char* what);
/// numpy.ndarray; kept for ever, as the module is.
nb::handle array_type();
/// Something of the module numpy.
nb::object numpy(const char* name);

}  // namespace halocline::python
