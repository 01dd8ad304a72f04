#pragma once
// Arrays of doubles in NumPy's files; see
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace formats {

/// What stands before an array in C's order. The numbers begin where it ends, at a multiple of 64
/// bytes.
std::string npy_header(std::initializer_list<std::int64_t> shape);

struct NpyHeader {
  std::vector<std::int64_t> shape;
  bool by_columns = false;  ///< Fortran's order
  bool swapped = false;     ///< the bytes of each number, see swap_bytes
  std::int64_t begin = 0;   ///< of the numbers, in bytes; they are all that follows
};

/// Whether a file begins as these do.
bool is_npy(std::string_view file);

/// Reads the header at the beginning of a file that can be searched, and holds it against the
/// file's length. Throws halocline::Error, beginning with the file's name, unless the file holds
/// one array of doubles.
NpyHeader read_npy_header(std::istream& file, const std::string& name);

/// From the other order of bytes to the processor's.
void swap_bytes(std::span<double> numbers);

}  // namespace formats
