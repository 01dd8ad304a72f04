#include "shapes.hpp"

#include <nanobind/stl/vector.h>

namespace halocline::python {

namespace {

bool is_sequence(nb::handle object) {
  return PySequence_Check(object.ptr()) != 0 && !nb::isinstance<nb::str>(object);
}

bool is_integer(nb::handle object) {
  return PyIndex_Check(object.ptr()) != 0;
}

int integer(nb::handle object, const char* what) {
  int value = 0;
  if (!is_integer(object) || !nb::try_cast<int>(nb::int_(object), value))
    throw Error(std::string(what) + ": give an integer, not " +
                nb::cast<std::string>(nb::repr(object)));
  return value;
}

}  // namespace

std::vector<std::int64_t> numbers_of(nb::handle given, const char* name) {
  std::vector<std::int64_t> numbers;
  if (std::int64_t one = 0; nb::try_cast(given, one))
    numbers = {one};
  else if (!nb::try_cast(given, numbers))
    throw Error(std::string(name) + ": give a number for each axis, such as (512, 512), not " +
                nb::cast<std::string>(nb::repr(given)));
  return numbers;
}

Scheme scheme_of(nb::handle given) {
  Scheme* scheme = nullptr;
  if (nb::try_cast<Scheme*>(given, scheme) && scheme != nullptr) return *scheme;
  return Scheme(taken<std::string>(given, "scheme"));
}

HaloWidth width_of(nb::handle width) {
  if (is_integer(width)) return integer(width, "halo");
  if (is_sequence(width) && nb::len(width) == 2)
    return {integer(width[0], "halo"), integer(width[1], "halo")};
  throw Error("halo: give a number of cells, or a pair of those below and above, not " +
              nb::cast<std::string>(nb::repr(width)));
}

std::vector<HaloWidth> widths_of(nb::handle widths, std::size_t axes) {
  if (!is_sequence(widths)) return std::vector<HaloWidth>(axes, width_of(widths));
  if (nb::len(widths) != axes)
    throw Error("halo: " + std::to_string(nb::len(widths)) + " widths, but " +
                counted(axes, "axis", "axes") +
                "; give one number for all, or for each axis a number or a pair (below, above)");
  std::vector<HaloWidth> each;
  for (const nb::handle width : widths) each.push_back(width_of(width));
  return each;
}

std::vector<bool> flags_of(nb::handle flags, std::size_t axes, const char* what) {
  const auto flag = [&](nb::handle one) {
    if (nb::isinstance<nb::str>(one))  // of which each but '' would be true
      throw Error(std::string(what) + ": give True or False, not " +
                  nb::cast<std::string>(nb::repr(one)));
    const int yes = PyObject_IsTrue(one.ptr());
    if (yes < 0) throw nb::python_error();
    return yes != 0;
  };
  if (!is_sequence(flags)) return std::vector<bool>(axes, flag(flags));
  if (nb::len(flags) != axes)
    throw Error(std::string(what) + ": " + std::to_string(nb::len(flags)) + " of them, but " +
                counted(axes, "axis", "axes") + "; give one for all, or one for each axis");
  std::vector<bool> each;
  for (const nb::handle one : flags) each.push_back(flag(one));
  return each;
}

nb::object slice(const Range& range) {
  return nb::slice(nb::int_(range.begin), nb::int_(range.end), nb::none());
}

nb::object rank_or_none(int rank) {
  return rank < 0 ? nb::object(nb::none()) : nb::object(nb::int_(rank));
}

}  // namespace halocline::python
