// poisson: -Δu = f on the unit cube by multigrid, in V-cycles with two red-black sweeps of
// Gauss-Seidel before and two after. Each level has an exchange with a scheme of its own: by
// default the one with which the cycles themselves take the least time.
// poisson [--cells N] [--cycles N] [--scheme S,...]

#include "../common/turns.hpp"
#include "level.hpp"
#include "problem.hpp"

#include <halocline/more/section.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace poisson {

namespace {

using namespace halocline;

struct Options {
  int cells = 64;    ///< along an edge of the cube
  int coarsest = 4;  ///< the same of the coarsest level; from 4 to 7
  int cycles = 10;
  std::vector<Scheme> schemes{"auto+when=running"};  ///< of each level, the finest first
};

Options read(int argc, char** argv) {
  Options options;
  turns::each_option(argc, argv, {"--cells", "--cycles", "--scheme"},
                     [&](std::string_view option, std::string_view value) {
                       if (option == "--cells") options.cells = turns::number(option, value);
                       if (option == "--cycles") options.cycles = turns::number(option, value);
                       if (option != "--scheme") return;
                       const std::vector<std::string> names = turns::parts(value);
                       options.schemes.assign(names.begin(), names.end());
                     });
  std::size_t levels = 1;
  options.coarsest = options.cells;
  for (; options.coarsest >= 8 && options.coarsest % 2 == 0; options.coarsest /= 2) ++levels;
  if (options.coarsest < 4 || options.coarsest > 7 || options.cells > 1024)
    throw Error("--cells takes 4, 5, 6 or 7 times a power of two, 1024 at most, not " +
                std::to_string(options.cells));
  if (options.schemes.size() > levels)
    throw Error("--scheme has " + std::to_string(options.schemes.size()) + " schemes for " +
                std::to_string(levels) + " levels; leave some out");
  options.schemes.resize(levels, options.schemes.back());  // the last is that of all further ones
  return options;
}

/// A cell of one level is on the rank that has the eight cells of the finer level in it.
std::vector<Level> make_levels(const Options& options) {
  const Grid coarsest(world(), std::vector<std::int64_t>(3, options.coarsest));
  std::vector<Level> levels;
  std::int64_t cells = options.cells;
  for (const Scheme& scheme : options.schemes) {
    GridOptions cut{.dims = coarsest.dims(), .cuts = {{0}, {0}, {0}}};
    for (int axis = 0; axis < 3; ++axis)
      for (int part = 0; part < cut.dims[axis]; ++part)
        cut.cuts[axis].push_back(coarsest.owned_by(axis, part).end * cells / options.coarsest);
    levels.emplace_back(Grid(world(), std::vector<std::int64_t>(3, cells), cut), scheme);
    cells /= 2;
  }
  return levels;
}

void fill(Level& level) {
  level.halo.run();
  reflect(level);
}

void smooth(Level& level, int sweeps) {
  for (int half = 0; half < 2 * sweeps; ++half) {
    fill(level);
    sweep(level, half % 2);
  }
}

void cycle(std::span<Level> levels) {
  Level& fine = levels[0];
  if (levels.size() == 1) return smooth(fine, 16);
  Level& coarse = levels[1];
  smooth(fine, 2);
  fill(fine);
  restrict_residual(fine, coarse);
  std::ranges::fill(coarse.u, 0.0);
  cycle(levels.subspan(1));
  fill(coarse);
  prolong(coarse, fine);
  smooth(fine, 2);
}

/// Whether the cycles choose, or the exchange did when it was made.
bool chooses(const Scheme& scheme) {
  return scheme.method() == "auto" && scheme.is("when", "running");
}

double largest(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, world());
  return mine;
}

/// The largest |f + Δu|.
double residual(Level& level) {
  fill(level);
  const auto cells = static_cast<double>(level.grid.cells()[0]);
  return cells * cells * largest(largest_residual(level));
}

int run(int argc, char** argv) {
  const Options options = read(argc, argv);
  std::vector<Level> levels = make_levels(options);
  Level& finest = levels.front();
  set_right_side(finest);
  const double first = residual(finest);
  const int counted = std::min(options.cycles, 8);  // further on rounding may be all that is left
  double later = first;
  std::vector<double> seconds;
  std::string report;
  {  // when the section has ended, each exchange has what was chosen for it
    std::vector<Exchange*> choosing;
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (chooses(options.schemes[i])) choosing.push_back(&levels[i].halo);
    Section section(world(), choosing);
    for (int i = 0; i < options.cycles; ++i) {
      const double begin = MPI_Wtime();
      {
        const Section::Lap lap = section.lap();
        cycle(levels);
      }
      seconds.push_back(MPI_Wtime() - begin);
      if (i + 1 == counted) later = residual(finest);
    }
    if (!choosing.empty()) report = section.report();
  }

  const double last = residual(finest), error = largest(largest_error(finest));
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), options.cycles, MPI_DOUBLE, MPI_MAX, world());
  std::uint64_t bits = checksum(finest);
  MPI_Allreduce(MPI_IN_PLACE, &bits, 1, MPI_UINT64_T, MPI_SUM, world());
  if (mpi::rank(world()) != 0) return 0;
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  std::ranges::sort(seconds);
  std::printf("poisson: %d^3 cells, %zu levels, %d ranks, %d V-cycles\n", options.cells,
              levels.size(), mpi::size(world()), options.cycles);
  std::printf("residual %.3e, times %.3f in each of the first %d cycles\n", last,
              std::pow(later / first, 1.0 / counted), counted);
  std::printf("error %.4e, checksum %016llx\n", error, static_cast<unsigned long long>(bits));
  std::printf("%.4g s a cycle, the median %.4g s\n", sum / options.cycles,
              seconds[seconds.size() / 2]);
  for (const Level& level : levels)
    std::printf("%4d^3  %s\n", static_cast<int>(level.grid.cells()[0]),
                level.halo.scheme().str().c_str());
  std::printf("%s", report.c_str());
  return 0;
}

}  // namespace

}  // namespace poisson

int main(int argc, char** argv) {
  return halocline::guarded_main(argc, argv, "poisson", poisson::run);
}
