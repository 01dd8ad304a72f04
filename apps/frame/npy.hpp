#pragma once
// What stands before the numbers of NumPy's files; see
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace frame {

/// Of doubles in C's order. The numbers begin where it ends, at a multiple of 64 bytes.
std::string npy_header(std::initializer_list<std::int64_t> shape);

struct NpyHeader {
  std::string type;                 ///< such as '<f8', quoted; empty where nothing is said
  std::vector<std::int64_t> shape;  ///< empty where it is not understood
  bool by_columns = false;          ///< Fortran's order
  std::int64_t begin = 0;           ///< of the numbers, in bytes
};

/// No header of numbers is longer.
inline constexpr std::size_t longest_npy_header = (1 << 16) + 12;

bool is_npy(std::string_view file);

/// Reads the header of a file that begins so; throws Error if that is cut short.
NpyHeader read_npy_header(std::string_view file);

}  // namespace frame
