#include "together.hpp"

#include <halocline/error.hpp>

#include <nanobind/stl/string.h>

namespace halocline::python {

std::string words_of(const nb::python_error& problem) {
  const auto text = nb::cast<std::string>(nb::str(problem.value()));
  const auto type = nb::cast<std::string>(nb::str(nb::object(problem.type().attr("__name__"))));
  return nb::isinstance(problem.value(),
                        nb::module_::import_("halocline.errors").attr("HaloclineError"))
             ? text
             : type + ": " + text;
}

void agree(MPI_Comm comm, const std::string& complaint, std::int64_t same, const char* what) {
  const Waits others;
  const std::vector<std::int64_t> all = mpi::agree(comm, complaint, {same, -same});
  if (all[0] != -all[1])
    throw Error(std::string(what) + " differs among the ranks: from " + std::to_string(all[0]) +
                " to " + std::to_string(-all[1]) + "; give the same on all of them");
}

}  // namespace halocline::python
