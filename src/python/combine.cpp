#include "combine.hpp"

#include "fields.hpp"
#include "views.hpp"

#include <halocline/error.hpp>

#include <nanobind/stl/string.h>

#include <cstring>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

namespace halocline::python {

namespace {

/// A function of Python's, that is called with many numbers at a time.
class Function {
 public:
  Function(nb::object call, nb::object dtype)
      : call_(std::move(call)), dtype_(std::move(dtype)), bytes_(element_bytes(dtype_)) {}
  std::size_t bytes() const noexcept { return bytes_; }

  /// Combines numbers that each lie somewhere with as many that follow each other.
  void operator()(const std::vector<std::byte*>& here, const std::byte* arrived) const {
    if (here.empty()) return;
    const nb::gil_scoped_acquire python;
    nb::object old = empty(here.size()), fresh = empty(here.size());
    auto* next = static_cast<std::byte*>(dense_bytes(old, dtype_, true, "here").data);
    for (const std::byte* const one : here) {
      std::memcpy(next, one, bytes_);
      next += bytes_;
    }
    std::memcpy(dense_bytes(fresh, dtype_, true, "arrived").data, arrived, here.size() * bytes_);
    const nb::object returned = call_(old, fresh);
    if (returned.is_none())  // of which numpy would make numbers that are none
      throw Error("combine: the function returns None; return a number for each of those given");
    const nb::object made = numpy("ascontiguousarray")(
        array_of(returned, "what the function returns"), nb::arg("dtype") = dtype_);
    const Bytes all = dense_bytes(made, dtype_, false, "combined");
    if (all.bytes != here.size() * bytes_)
      throw Error("combine: the function is given " + std::to_string(here.size()) +
                  " numbers of either array, and returns " + std::to_string(all.bytes / bytes_) +
                  "; return one for each");
    const auto* from = static_cast<const std::byte*>(all.data);
    for (std::byte* const one : here) {
      std::memcpy(one, from, bytes_);
      from += bytes_;
    }
  }

 private:
  nb::object empty(std::size_t numbers) const {
    return nb::module_::import_("numpy").attr("empty")(numbers, dtype_);
  }

  nb::object call_, dtype_;
  std::size_t bytes_;
};

void rows(const void* function, std::byte* to, std::ptrdiff_t stride, const std::byte* from,
          std::int64_t rows, std::size_t count) {
  const Function& how = *static_cast<const Function*>(function);
  std::vector<std::byte*> here;
  for (std::int64_t row = 0; row < rows; ++row, to += stride)
    for (std::size_t i = 0; i < count; ++i) here.push_back(to + i * how.bytes());
  how(here, from);
}

/// An element may be named several times: then those that arrive for it are combined one after the
/// other.
template <class Index>
void listed(const void* function, std::byte* to, std::span<const Index> indices,
            std::ptrdiff_t unit, const std::byte* from, std::size_t count) {
  const Function& how = *static_cast<const Function*>(function);
  std::vector<std::byte*> here;
  std::unordered_set<Index> known;
  for (const Index index : indices) {
    if (!known.insert(index).second) {
      how(here, from);
      from += here.size() * how.bytes();
      here.clear();
      known = {index};
    }
    for (std::size_t i = 0; i < count; ++i)
      here.push_back(to + static_cast<std::ptrdiff_t>(index) * unit +
                     static_cast<std::ptrdiff_t>(i * how.bytes()));
  }
  how(here, from);
}

constexpr methods::CombineLoops loops_of_python{rows, listed<std::int32_t>, listed<std::int64_t>};

/// An exchange may end without the interpreter's lock, and after the interpreter.
void release(const Function* function) {
  if (Py_IsInitialized() == 0) return;
  const nb::gil_scoped_acquire python;
  delete function;
}

}  // namespace

Combine combine_of(nb::handle given, const std::vector<nb::object>& dtypes) {
  std::string name;
  if (nb::try_cast(given, name))
    for (const auto& [known, combine] : {std::pair{"replace", Combine::replace},
                                         {"sum", Combine::sum},
                                         {"min", Combine::min},
                                         {"max", Combine::max}})
      if (name == known) return combine;
  if (PyCallable_Check(given.ptr()) == 0)
    throw Error("combine: " + nb::cast<std::string>(nb::repr(given)) +
                " is none; give 'sum', 'min', 'max', 'replace', or a function of two arrays");
  if (dtypes.empty()) throw Error("combine: a function needs an array");
  for (const nb::object& dtype : dtypes)
    if (!dtype.equal(dtypes[0]))
      throw Error("combine: a function is given numbers of one type, but there are arrays of " +
                  nb::cast<std::string>(nb::str(dtypes[0])) + " and of " +
                  nb::cast<std::string>(nb::str(dtype)) + "; make an exchange for each");
  const std::shared_ptr<const Function> function(new Function(nb::borrow(given), dtypes[0]),
                                                 release);
  return Combine::by(loops_of_python, function, function->bytes());
}

}  // namespace halocline::python
