// Vectors in NumPy's files, of a length that the program knows.

#include "alone.hpp"
#include "fuzz.hpp"

#include <frame/vector_file.hpp>

#include <array>

namespace {

void read(std::string_view text) {
  std::array<double, 5> numbers{};
  frame::read_vector(fuzz::alone(), "--x", fuzz::file_of(text, ".npy"), 7, {2, 7}, numbers);
}

const fuzz::Target target("vector", read);

}  // namespace
