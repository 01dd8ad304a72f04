#pragma once
// Matrices made up, each row by its index alone, so that they do not depend on the ranks.

#include "matrix.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace spmv {

struct Entry {
  std::int64_t column;
  double value;
};

/// A matrix as a function of the row.
struct Generator {
  std::int64_t size = 0;   ///< rows, and columns
  double row_entries = 0;  ///< of a row, about, in the mean
  /// Appends the entries of a row, in any order; what has the same column is added up.
  std::function<void(std::int64_t row, std::vector<Entry>&)> row;
};

/// What can be generated, for the help.
extern const char* const generators_help;

/// From a description such as "7pt:200,200,200". Throws Error, which begins with `option`.
Generator generator(std::string_view option, std::string_view description);

/// These rows of it.
Matrix generate(const Generator& generator, const Range& rows);

}  // namespace spmv
