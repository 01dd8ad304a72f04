#include "communicator.hpp"

#include <halocline/error.hpp>
#include <halocline/more/launcher.hpp>
#include <halocline/more/mpi.hpp>

#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

namespace halocline::python {

namespace {

bool begun() {
  int yes = 0;
  MPI_Initialized(&yes);
  return yes != 0;
}

bool ended() {
  int yes = 0;
  MPI_Finalized(&yes);
  return yes != 0;
}

/// After the last object of the interpreter; also of one that was forked off, which ends no MPI.
void end_mpi() {
  if (mpi::running()) MPI_Finalize();
}

void begin_mpi() {
  if (begun()) return;
  halocline::detail::heed_alone();
  int provided = 0;
  mpi::check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  Py_AtExit(end_mpi);
}

/// Throws Error unless mpi4py and this library have the same MPI in the same process.
void expect_same_mpi(nb::handle mpi4py) {
  static bool same = false;
  if (same) return;
  const auto theirs = nb::cast<std::string>(nb::str(mpi4py.attr("Get_library_version")()));
  const auto line = [](std::string text) { return text.substr(0, text.find_first_of("\n\r,")); };
  const bool state = nb::cast<bool>(mpi4py.attr("Is_initialized")()) == begun();
  const auto bytes = nb::cast<std::size_t>(mpi4py.attr("_sizeof")(mpi4py.attr("Comm")));
  if (bytes != sizeof(MPI_Comm) || !state)
    throw Error("mpi4py has loaded another MPI (" + line(theirs) +
                ") than halocline was built with (" + mpi::library_version() +
                "); make mpi4py take that one (MPI4PY_LIBMPI names its libmpi.so), or build "
                "halocline with the one of mpi4py");
  same = true;
}

/// sys.modules["mpi4py.MPI"], or None.
nb::object mpi4py_module() {
  const nb::object modules = nb::module_::import_("sys").attr("modules");
  return modules.attr("get")("mpi4py.MPI");
}

/// Once: of a process that is alone in MPI_COMM_WORLD.
void expect_own_launcher() {
  static const std::string complaint = mpi::running() ? launcher_complaint() : std::string();
  if (!complaint.empty()) throw Error(complaint);
}

}  // namespace

const char* name_of_type(nb::handle object) {
  return Py_TYPE(object.ptr())->tp_name;
}

void refuse_pickling(nb::handle self, int) {
  throw nb::type_error((std::string(name_of_type(self)) +
                        " belongs to this process, its memory and its ranks, and cannot be "
                        "pickled; send what it is made from, and make it where it is needed")
                           .c_str());
}

Communicator communicator(nb::handle given) {
  if (ended()) throw Error("MPI has ended; there is no second beginning");
  if (begun()) mpi::expect_ranks(MPI_COMM_WORLD);
  const nb::object module = mpi4py_module();
  Communicator found{MPI_COMM_WORLD, nb::borrow(given)};
  if (given.is_none()) {
    if (module.is_none()) {
      begin_mpi();
      expect_own_launcher();
      return found;
    }
    found.given = module.attr("COMM_WORLD");
  }
  if (module.is_none() || !nb::isinstance(found.given, module.attr("Comm")))
    throw Error(std::string("comm: ") + name_of_type(given) +
                " is no communicator; give one of mpi4py, such as MPI.COMM_WORLD, or None for all "
                "ranks");
  expect_same_mpi(module);
  const auto address = nb::cast<std::uintptr_t>(module.attr("_addressof")(found.given));
  found.comm = *reinterpret_cast<const MPI_Comm*>(address);
  mpi::expect_ranks(found.comm);
  expect_own_launcher();
  return found;
}

nb::object object_of(MPI_Comm comm) {
  const nb::object module = mpi4py_module();
  if (module.is_none()) return nb::none();
  // The MPI's own representation, whatever that is.
  nb::object made = module.attr("Intracomm")();
  const auto address = nb::cast<std::uintptr_t>(module.attr("_addressof")(made));
  *reinterpret_cast<MPI_Comm*>(address) = comm;
  return made;
}

}  // namespace halocline::python
