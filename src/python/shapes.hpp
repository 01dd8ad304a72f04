#pragma once
// What Python gives and takes: numbers, words, and tuples of numbers, one for each axis.

#include <halocline/error.hpp>
#include <halocline/range.hpp>
#include <halocline/scheme.hpp>

#include <nanobind/nanobind.h>

#include <nanobind/stl/string.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace halocline::python {

namespace nb = nanobind;

inline std::string counted(std::size_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

inline std::string text_of(const std::vector<std::int64_t>& numbers) {
  std::string text = "(";
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return text + (numbers.size() == 1 ? ",)" : ")");
}

template <class Range>
nb::tuple tuple_of(const Range& values) {
  nb::list list;
  for (const auto& value : values) list.append(nb::cast(value));
  return nb::tuple(list);
}

/// An argument as Python gives it. What ranks make together takes its arguments so: one that is
/// wrong on this rank alone has to be told to all (made_together), not refused before.
template <class T>
using Argument = nb::typed<nb::object, T>;

/// Throws Error that names the argument.
template <class T>
T taken(nb::handle given, const char* name) {
  T value{};
  if (nb::try_cast<T>(given, value)) return value;
  const char* const wanted = std::same_as<T, bool>          ? "True or False"
                             : std::same_as<T, std::string> ? "a text"
                             : std::integral<T>             ? "a number that fits"
                                                            : "a number for each";
  throw Error(std::string(name) + ": give " + wanted + ", not " +
              nb::cast<std::string>(nb::repr(given)));
}
/// A number, or one for each axis.
std::vector<std::int64_t> numbers_of(nb::handle given, const char* name);
/// A text, or a Scheme.
Scheme scheme_of(nb::handle given);

/// A width, the same below and above, or a pair of both. Throws Error on anything else.
HaloWidth width_of(nb::handle width);
/// One for each of so many axes: a number or a pair for all, or a sequence of these.
std::vector<HaloWidth> widths_of(nb::handle widths, std::size_t axes);
/// A bool for all, or one for each of so many axes.
std::vector<bool> flags_of(nb::handle flags, std::size_t axes, const char* what);

nb::object slice(const Range& range);
/// None for a negative rank: there is none.
nb::object rank_or_none(int rank);

}  // namespace halocline::python
