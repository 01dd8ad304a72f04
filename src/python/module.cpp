// halocline._native: the library's classes, with the library's words.

#include "exchanges.hpp"
#include "fields.hpp"
#include "grids.hpp"
#include "patterns.hpp"

#include <halocline/error.hpp>
#include <halocline/more/interrupt.hpp>
#include <halocline/scheme.hpp>
#include <halocline/version.hpp>
#include <halocline/wait.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace halocline::python {

namespace {

/// Raises an error of halocline.errors, which is there without this module.
void raise_as(const char* name, const char* text) {
  PyErr_SetString(nb::module_::import_("halocline.errors").attr(name).ptr(), text);
}

void translate(const std::exception_ptr& problem, void*) {
  try {
    std::rethrow_exception(problem);
  } catch (const Timeout& timeout) {
    raise_as("Timeout", timeout.what());
  } catch (const Error& error) {
    raise_as("Error", error.what());
  }
}

std::optional<double> time_limit() {
  const double seconds = Patience::current().timeout.count();
  return Patience::current().timeout == Patience::forever ? std::nullopt : std::optional(seconds);
}

void set_time_limit(std::optional<double> seconds) {
  if (seconds && !(*seconds > 0))
    throw Error("time limit: give seconds above 0, or None for no limit");
  Patience::current().timeout =
      seconds ? std::chrono::duration<double>(*seconds) : Patience::forever;
}

double spin() {
  return Patience::current().spin.count();
}

void set_spin(double seconds) {
  if (!(seconds >= 0)) throw Error("spin: give seconds, 0 or above");
  Patience::current().spin = std::chrono::duration<double>(seconds);
}

void bind_schemes(nb::module_& module) {
  nb::class_<Scheme>(module, "Scheme",
                     "A method with its options, checked: Scheme('rma:put:flush+pack=off').\n\n"
                     "Raises Error that names what does not fit and what would.\n\n"
                     ">>> import halocline as hc\n"
                     ">>> hc.Scheme('p2p:persistent').method\n"
                     "'p2p:persistent'")
      .def(nb::init<std::string>(), nb::arg("text"))
      .def_prop_ro("method", &Scheme::method, "Without options.")
      .def_prop_ro("full", &Scheme::full, "With every option spelled out.")
      .def("option", &Scheme::option, nb::arg("name"),
           "The value of an option, or its default.\n\n"
           ">>> import halocline as hc\n"
           ">>> hc.Scheme('p2p:nonblocking+pack=off').option('pack')\n"
           "'off'")
      .def("matches", &Scheme::matches, nb::arg("glob"),
           "Whether 'rma:*' or its like fits.\n\n"
           ">>> import halocline as hc\n"
           ">>> hc.Scheme('p2p:persistent').matches('p2p:*')\n"
           "True")
      .def("with_option", &Scheme::with, nb::arg("option"), nb::arg("value"),
           "The same with another value of an option.\n\n"
           ">>> import halocline as hc\n"
           ">>> hc.Scheme('p2p:nonblocking').with_option('pack', 'off')\n"
           "Scheme('p2p:nonblocking+pack=off')")
      .def("__str__", &Scheme::str)
      .def("__repr__", [](const Scheme& self) { return "Scheme('" + self.str() + "')"; })
      .def(
          "__eq__",
          [](const Scheme& self, nb::handle other) {
            return nb::cast<std::string>(nb::str(other)) == self.str();
          },
          nb::arg("other").none())
      .def("__hash__", [](const Scheme& self) { return nb::hash(nb::str(self.str().c_str())); })
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self)));
      });
  module.def(
      "schemes",
      [](bool all) {
        nb::dict found;
        for (const SchemeFacts& facts : known_schemes())
          if (all || facts.unavailable.empty())
            found[facts.scheme.c_str()] =
                facts.unavailable.empty()
                    ? facts.summary
                    : facts.summary + " (not here: " + facts.unavailable + ")";
        return found;
      },
      nb::arg("all") = false, nb::sig("def schemes(all: bool = False) -> dict[str, str]"),
      "{name: what it does} of the schemes that this MPI can run; with `all` of the others, too, "
      "and why\nnot.\n\n"
      ">>> import halocline as hc\n"
      ">>> 'p2p:nonblocking' in hc.schemes()\n"
      "True");
}

}  // namespace

}  // namespace halocline::python

NB_MODULE(_native, module) {
  using namespace halocline::python;
  nb::set_leak_warnings(false);  // what a program still has when it ends is no fault
  nb::register_exception_translator(translate);
  halocline::interrupt_waits_by(&look_for_signals);
  module.doc() = "The classes of Halocline, compiled; `import halocline` offers them.";
  bind_schemes(module);
  bind_fields(module);
  bind_patterns(module);
  bind_cuts(module);
  bind_grids(module);
  bind_arenas(module);
  bind_exchange(module);
  bind_other_exchanges(module);
  bind_sections(module);
  bind_sparse(module);
  module.def("time_limit", &time_limit,
             "Seconds that a wait may last without progress before it raises Timeout; None: no "
             "limit.\n\n"
             ">>> import halocline as hc\n"
             ">>> hc.time_limit() is None\n"
             "True");
  module.def("set_time_limit", &set_time_limit, nb::arg("seconds").none(),
             "Let a wait without progress raise Timeout after so many seconds; None: never, which "
             "is so\nunless HALOCLINE_TIMEOUT says otherwise.\n\n"
             ">>> import halocline as hc\n"
             ">>> hc.set_time_limit(60)\n"
             ">>> hc.time_limit()\n"
             "60.0\n"
             ">>> hc.set_time_limit(None)");
  module.def("spin", &spin,
             "Seconds that a wait polls before it gives its core away between polls.\n\n"
             ">>> import halocline as hc\n"
             ">>> hc.spin()\n"
             "3e-05");
  module.def("set_spin", &set_spin, nb::arg("seconds"),
             "Let a wait poll for so many seconds before it gives its core away between polls; 0: "
             "give it\naway from the beginning, float('inf'): never.\n\n"
             ">>> import halocline as hc\n"
             ">>> hc.set_spin(0)\n"
             ">>> hc.spin()\n"
             "0.0\n"
             ">>> hc.set_spin(3e-05)");
  module.def(
      "library_version", [] { return std::string(halocline::version_text()); },
      "Of the library that runs, such as '0.2.0'.\n\n"
      ">>> import halocline as hc\n"
      ">>> hc.library_version() == hc.__version__\n"
      "True");
}
