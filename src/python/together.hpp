#pragma once
// What ranks make together, and can only end together.
//
// Python ends an object when nobody refers to it any more, which a rank's garbage collector notices
// whenever it likes. To end memory that ranks share, or an exchange with a window, is collective.
// So an object that Python lets go of stays until the ranks of its communicator meet next, to make
// another one, and all of them have let go of it.

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

/// An object that all ranks of a communicator have made.
struct Member {
  std::shared_ptr<void> object;
  std::vector<nb::object> keeps{};  ///< Python's objects that it needs: arrays, a communicator
  bool alone = false;               ///< the communicator has one rank
  bool gone = false;                ///< this rank has let go of it
  void let_go() noexcept;
};

/// The ranks of a communicator, with what they have made together and not yet ended. It belongs to
/// the communicator, and ends with it.
class Ranks {
 public:
  /// Collective at the first call.
  static Ranks& of(MPI_Comm comm);
  /// Ends what all ranks have let go of. Throws the same Error on all ranks if one has a complaint,
  /// or if `same` is not the same on all ranks, which `what` names. Collective.
  void meet(const std::string& complaint = {}, std::int64_t same = 0, const char* what = "");
  std::shared_ptr<Member> add(std::shared_ptr<void> object);

 private:
  explicit Ranks(MPI_Comm comm);
  static int forget(MPI_Comm comm, int keyval, void* ranks, void* unused);

  mpi::Comm comm_;
  bool alone_;
  std::vector<std::shared_ptr<Member>> members_;
};

/// The part that a rank's Python object has in what the ranks have made.
template <class T>
class Kept {
 public:
  Kept() = default;
  Kept(Ranks& ranks, std::shared_ptr<T> object)
      : object_(object.get()), member_(ranks.add(std::move(object))) {}
  Kept(Kept&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), member_(std::move(other.member_)) {}
  Kept& operator=(Kept&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(member_, other.member_);
    return *this;
  }
  ~Kept() {
    if (member_) member_->let_go();
  }
  /// Throws Error where the garbage collector has broken a cycle at this object.
  T* operator->() const {
    if (object_ == nullptr) throw Error("this object has ended");
    return object_;
  }
  T& operator*() const { return *operator->(); }
  std::vector<nb::object>& keeps() const noexcept { return member_->keeps; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
  std::shared_ptr<Member> member_;
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

/// Runs `step()` on every rank of `comm`; if it throws on one, all get the same Error. Collective.
/// Whatever this module looks at before ranks do something together, it looks at in here or in
/// made_together.
template <class Step>
void agreed(MPI_Comm comm, Step&& step) {
  Ranks::of(comm).meet(complaint_of(step));
}

/// Makes something with all ranks of `comm`, which get the same Error if the arguments of one are
/// wrong: `prepare()` takes what Python has given and may throw; `make(prepared)`, which may wait,
/// returns a std::shared_ptr to what is made. `same`: as of Ranks::meet, once it is prepared.
template <class Prepare, class Make>
auto made_together(MPI_Comm comm, Prepare&& prepare, Make&& make, const std::int64_t& same = 0,
                   const char* what = "") {
  Ranks& ranks = Ranks::of(comm);
  using Prepared = decltype(prepare());
  std::unique_ptr<Prepared> prepared;
  const std::string complaint =
      complaint_of([&] { prepared = std::make_unique<Prepared>(prepare()); });
  ranks.meet(complaint, same, what);
  auto object = make(*prepared);
  return Kept<typename decltype(object)::element_type>(ranks, std::move(object));
}

}  // namespace halocline::python
