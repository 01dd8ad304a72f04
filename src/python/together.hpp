#pragma once
// What ranks make together from Python: arguments that one rank alone gives wrong are an Error on
// all of them; and what Python's objects hold.

#include "waits.hpp"

#include <halocline/error.hpp>
#include <halocline/more/mpi.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace halocline::python {

/// What a Python object has of the library, and Python's objects that this needs: arrays, a
/// communicator.
template <class T>
class Kept {
 public:
  Kept() = default;
  explicit Kept(std::shared_ptr<T> object) : object_(std::move(object)) {}
  /// Throws Error where the garbage collector has broken a cycle at this object.
  T* operator->() const {
    if (!object_) throw Error("this object has ended");
    return object_.get();
  }
  T& operator*() const { return *operator->(); }
  std::vector<nb::object>& keeps() noexcept { return keeps_; }
  const std::vector<nb::object>& keeps() const noexcept { return keeps_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  std::vector<nb::object> keeps_{};
  std::shared_ptr<T> object_{};  ///< which ends before them
};

/// An array may have the exchange that keeps it as an attribute: the garbage collector ends both.
template <class Owner>
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const auto& kept = nb::inst_ptr<Owner>(self)->kept;
  if (kept)
    for (const nb::object& one : kept.keeps()) Py_VISIT(one.ptr());
  return 0;
}
template <class Owner>
int clear(PyObject* self) {
  if (nb::inst_ready(self)) {
    auto gone = std::move(nb::inst_ptr<Owner>(self)->kept);
  }
  return 0;
}
template <class Owner>
inline PyType_Slot slots_of_kept[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse<Owner>)},
                                      {Py_tp_clear, reinterpret_cast<void*>(&clear<Owner>)},
                                      {0, nullptr}};

/// The words of Python's exception, with its type unless it is an Error of Halocline's.
std::string words_of(const nb::python_error& problem);

/// Why `step` fails, in a line; empty if it does not.
template <class Step>
std::string complaint_of(Step&& step) {
  try {
    step();
    return {};
  } catch (nb::python_error& problem) {
    return words_of(problem);
  } catch (const std::exception& problem) {
    const std::string words = halocline::words_of(problem);
    return words.empty() ? "something went wrong" : words;
  }
}

/// Throws the same Error on all ranks if one has a complaint, or if `same` is not the same on all
/// of them, which `what` names. Collective.
void agree(MPI_Comm comm, const std::string& complaint, std::int64_t same = 0,
           const char* what = "");

/// Runs `step()` on every rank of `comm`; if it throws on one, all get the same Error. Collective.
/// Whatever this module looks at before ranks do something together, it looks at in here or in
/// made_together.
template <class Step>
void agreed(MPI_Comm comm, Step&& step) {
  agree(comm, complaint_of(step));
}

/// Makes something with all ranks of `comm`, which get the same Error if the arguments of one are
/// wrong: `prepare()` takes what Python has given and may throw; `make(prepared)`, which may wait,
/// returns a std::shared_ptr to what is made. `same`: as of `agree`, once it is prepared.
template <class Prepare, class Make>
auto made_together(MPI_Comm comm, Prepare&& prepare, Make&& make, const std::int64_t& same = 0,
                   const char* what = "") {
  using Prepared = decltype(prepare());
  std::unique_ptr<Prepared> prepared;
  const std::string complaint =
      complaint_of([&] { prepared = std::make_unique<Prepared>(prepare()); });
  agree(comm, complaint, same, what);
  return Kept(make(*prepared));
}

}  // namespace halocline::python
