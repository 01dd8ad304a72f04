#pragma once
// Tuples of numbers, one for each axis, as Python gives and takes them.

#include <halocline/range.hpp>

#include <nanobind/nanobind.h>

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

/// A width, the same below and above, or a pair of both. Throws Error on anything else.
HaloWidth width_of(nb::handle width);
/// One for each of so many axes: a number or a pair for all, or a sequence of these.
std::vector<HaloWidth> widths_of(nb::handle widths, std::size_t axes);
/// A bool for all, or one for each of so many axes.
std::vector<bool> flags_of(nb::handle flags, std::size_t axes, const char* what);

nb::object slice(std::int64_t begin, std::int64_t end);

}  // namespace halocline::python
