#include "problem.hpp"

#include "../common/turns.hpp"

#include <algorithm>
#include <cmath>

namespace poisson {

namespace {

// u = g(x) g(y) g(z)
double g(double s) {
  return s * (1 - s) * std::exp(s);
}
double second_derivative(double s) {
  return -(3 + s) * s * std::exp(s);
}

struct Cell {
  std::ptrdiff_t element;  // of the arrays
  std::int64_t number;     // in the whole grid
  double x, y, z;          // of the centre
};

template <class Visit>
void each_cell(const Level& level, Visit&& visit) {
  const std::int64_t cells = level.grid.cells()[0];
  const auto number = [&](int axis, std::ptrdiff_t i) {
    return level.grid.owned(axis).begin + i - 1;
  };
  const auto centre = [&](std::int64_t i) {
    return (static_cast<double>(i) + 0.5) / static_cast<double>(cells);
  };
  for (std::ptrdiff_t i = 1; i < level.planes - 1; ++i)
    for (std::ptrdiff_t j = 1; j < level.rows - 1; ++j)
      for (std::ptrdiff_t k = 1; k < level.columns - 1; ++k) {
        const std::int64_t x = number(0, i), y = number(1, j), z = number(2, k);
        visit(
            Cell{level.at(i, j) + k, (x * cells + y) * cells + z, centre(x), centre(y), centre(z)});
      }
}

}  // namespace

void set_right_side(Level& level) {
  const double width = 1 / static_cast<double>(level.grid.cells()[0]);
  each_cell(level, [&](const Cell& at) {
    const double f = second_derivative(at.x) * g(at.y) * g(at.z) +
                     g(at.x) * second_derivative(at.y) * g(at.z) +
                     g(at.x) * g(at.y) * second_derivative(at.z);
    level.right[at.element] = -width * width * f;
  });
}

double largest_error(const Level& level) {
  double largest = 0;
  each_cell(level, [&](const Cell& at) {
    largest = std::max(largest, std::abs(level.u[at.element] - g(at.x) * g(at.y) * g(at.z)));
  });
  return largest;
}

std::uint64_t checksum(const Level& level) {
  std::uint64_t sum = 0;
  each_cell(level, [&](const Cell& at) {
    sum += turns::hash(static_cast<std::uint64_t>(at.number), level.u[at.element]);
  });
  return sum;
}

}  // namespace poisson
