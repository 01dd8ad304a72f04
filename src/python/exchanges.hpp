#pragma once
// Exchanges, of all kinds.

#include <halocline/exchange.hpp>

#include <nanobind/nanobind.h>

#include <atomic>
#include <optional>
#include <string>

#include "communicator.hpp"
#include "patterns.hpp"

namespace halocline::python {

/// The communicator of the pattern's grid, unless another one is given.
Communicator communicator_for(nb::handle given, nb::handle pattern);

/// What a section needs of an exchange.
struct InSection {
  Exchange* exchange;
  std::atomic<bool>* taken;
  Communicator ranks;  ///< which made it
};
/// Nothing if the object is no Exchange, or has ended.
std::optional<InSection> in_section(nb::handle object);

/// The arrays of a call.
class Arrays {
 public:
  /// Lists among them are as if their arrays were given one by one.
  explicit Arrays(nb::args given);
  std::size_t size() const noexcept {
    return static_cast<std::size_t>(PySequence_Fast_GET_SIZE(all_.ptr()));
  }
  nb::handle operator[](std::size_t i) const noexcept {
    return PySequence_Fast_ITEMS(all_.ptr())[i];
  }
  nb::handle all() const noexcept { return all_; }

 private:
  nb::object all_;  ///< a tuple or a list
};

/// A step on arrays of the caller's, the whole of it or its beginning: what `act(made, fields)`
/// does. `extents_of(i)`: what the pattern counts of the i-th. They are kept until the next step,
/// for what this one may leave behind is still on its way.
template <class Made, class ExtentsOf, class Act>
void run_on(Kept<Made>& kept, const Arrays& arrays, ExtentsOf&& extents_of, Act act) {
  std::vector<Field> fields;
  fields.reserve(arrays.size());
  std::vector<nb::object>& keeps = kept.keeps();
  bool same = keeps.size() == arrays.size() + 2;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    fields.push_back(plain_field_of(arrays[i], extents_of(i)));
    same = same && keeps[i + 2].is(arrays[i]);
  }
  std::vector<nb::object> kept_now;
  if (!same) {
    kept_now.assign(keeps.begin(), keeps.begin() + 2);
    for (std::size_t i = 0; i < arrays.size(); ++i) kept_now.push_back(nb::borrow(arrays[i]));
    keeps.swap(kept_now);
  }
  const Waits others;
  act(*kept, fields);
}

inline constexpr auto run_fields = [](auto& made, const auto& fields) { made.run(fields); };
inline constexpr auto start_fields = [](auto& made, const auto& fields) { made.start(fields); };

/// One call of an exchange that may wait for peers.
template <class Held, class Act>
void in_turn(Held& self, Act act) {
  const MpiTurn turn(self.taken);
  const Waits others;
  act(*self.kept);
}

/// What the steps of a kind of exchange say of themselves.
struct StepDocs {
  const char *start, *finish, *run;
};

/// What all kinds of exchanges have: `Held` has `kept` and `taken` (Turn).
template <class Held>
void bind_steps(nb::class_<Held>& held, const StepDocs& docs) {
  held.def(
          "start", [](Held& self) { in_turn(self, [](auto& made) { made.start(); }); }, docs.start)
      .def(
          "finish", [](Held& self) { in_turn(self, [](auto& made) { made.finish(); }); },
          docs.finish)
      .def(
          "run", [](Held& self) { in_turn(self, [](auto& made) { made.run(); }); }, docs.run)
      .def(
          "__enter__",
          [](nb::handle self) {
            in_turn(*nb::inst_ptr<Held>(self), [](auto& made) { made.start(); });
            return nb::borrow(self);
          },
          nb::sig("def __enter__(self) -> typing.Self"), "start()")
      .def(
          "__exit__",
          [](Held& self, nb::handle type, nb::handle, nb::handle) {
            // After an exception peers may wait for something else.
            if (type.is_none()) in_turn(self, [](auto& made) { made.finish(); });
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none(),
          "finish(), unless an exception leaves the block: then the step is given up.")
      .def_prop_ro(
          "comm", [](const Held& self) { return object_of(self.kept->comm()); },
          "The ranks that it is of, as mpi4py has them: a duplicate, which the library sends on.")
      .def_prop_ro(
          "scheme", [](const Held& self) { return self.kept->scheme().str(); },
          "In use; of 'auto' what it has become.");
}

void bind_exchange(nb::module_& module);
void bind_other_exchanges(nb::module_& module);
void bind_sections(nb::module_& module);

}  // namespace halocline::python
