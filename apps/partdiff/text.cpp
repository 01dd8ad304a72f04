#include "text.hpp"

#include <base/text.hpp>

#include <array>
#include <bit>

namespace partdiff {

using halocline::base::append;
using namespace halocline;

namespace {

/// Every (LINES+1)-th point in both directions, on rank 0; nobody gathers more than these.
std::array<double, 81> sample(MPI_Comm comm, const Solver& solver) {
  const Domain& domain = solver.domain();
  const Range rows = domain.points(0), columns = domain.points(1);
  const auto has = [](const Range& range, std::int64_t i) {
    return i >= range.begin && i < range.end;
  };
  // Each point is somebody's, so that combining the bits brings them together unchanged.
  std::array<std::uint64_t, 81> bits{};
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) {
      const std::int64_t i = a * domain.problem().spacing(), j = b * domain.problem().spacing();
      if (has(rows, i) && has(columns, j))
        bits[static_cast<std::size_t>(9 * a + b)] =
            std::bit_cast<std::uint64_t>(solver.solution()[domain.offset(i, j)]);
    }
  std::array<std::uint64_t, 81> all{};
  HALOCLINE_MPI(MPI_Reduce, bits.data(), all.data(), 81, MPI_UINT64_T, MPI_BOR, 0, comm);
  return std::bit_cast<std::array<double, 81>>(all);
}

}  // namespace

std::string report(MPI_Comm comm, const Problem& problem, Method method, const Settings& settings,
                   std::int64_t interlines, const Solver& solver, const Outcome& outcome,
                   double seconds, double bytes) {
  const auto points = sample(comm, solver);
  std::string text;
  if (mpi::rank(comm) != 0) return text;
  append(text, "Calculation time:       %f s\n", seconds);
  append(text, "Memory usage:           %f MiB\n", bytes / 1024 / 1024);
  append(text, "Calculation method:     %s\n", method == Method::jacobi ? "Jacobi" : "Gauß-Seidel");
  append(text, "Interlines:             %lld\n", static_cast<long long>(interlines));
  append(text, "Perturbation function:  %s\n",
         problem.function() == Function::zero ? "f(x,y) = 0"
                                              : "f(x,y) = 2 * pi^2 * sin(pi * x) * sin(pi * y)");
  append(text, "Termination:            %s\n",
         settings.to_accuracy() ? "Required accuracy" : "Number of iterations");
  append(text, "Number of iterations:   %lld\n", static_cast<long long>(outcome.iterations));
  append(text, "Residuum:               %e\n", outcome.residuum);
  text += "\nMatrix:\n";
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) append(text, "%7.4f", points[static_cast<std::size_t>(9 * i + j)]);
    text += '\n';
  }
  return text;
}

}  // namespace partdiff
