// record_laps CELLS LAPS SCHEME...: what steps of Jacobi's method take, for contests.py.
//
// Ranks sweep a square of CELLS times CELLS and exchange its halo, a lap through each scheme, one
// after the other, so many laps of each. Rank 0 prints JSON: for each scheme what its laps took on
// the slowest rank, in units of 10 ns.

#include <halocline/halocline.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/waiting.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <utility>
#include <vector>

using namespace halocline;
using Clock = std::chrono::steady_clock;

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "record_laps", [](int count, char** words) {
    if (count < 4) throw Error("usage: record_laps CELLS LAPS SCHEME...");
    const std::int64_t cells = std::atoll(words[1]);
    const auto laps = static_cast<std::size_t>(std::atoll(words[2]));
    const std::vector<std::string> schemes(words + 3, words + count);
    const Grid grid(world(), {cells, cells});
    const std::int64_t rows = grid.local(0), columns = grid.local(1);
    const Array<double> u(grid, "auto"), v(grid, "auto");  // memory that suits all
    const double* from = u.data();
    double* to = v.data();
    std::deque<Exchange> halos;  // of u: what v gets is of no interest
    for (const std::string& scheme : schemes) halos.emplace_back(grid.halo(), u, scheme);

    std::vector<double> took(schemes.size() * laps);
    for (std::size_t lap = 0; lap < laps; ++lap)
      for (std::size_t s = 0; s < schemes.size(); ++s) {
        const auto begin = Clock::now();
        halos[s].run();
        for (std::int64_t i = 1; i < rows - 1; ++i)
          for (std::int64_t k = i * columns + 1; k < (i + 1) * columns - 1; ++k)
            to[k] = 0.25 * (from[k - columns] + from[k + columns] + from[k - 1] + from[k + 1]);
        took[s * laps + lap] = std::chrono::duration<double>(Clock::now() - begin).count();
      }
    MPI_Allreduce(MPI_IN_PLACE, took.data(), static_cast<int>(took.size()), MPI_DOUBLE, MPI_MAX,
                  world());
    if (mpi::rank(world()) != 0) return EXIT_SUCCESS;
    std::printf("{\"cells\": %lld, \"ranks\": %d, \"laps_10ns\": {", static_cast<long long>(cells),
                mpi::size(world()));
    for (std::size_t s = 0; s < schemes.size(); ++s) {
      std::printf("%s\n\"%s\": [", s == 0 ? "" : ",", schemes[s].c_str());
      for (std::size_t lap = 0; lap < laps; ++lap)
        std::printf("%s%.0f", lap == 0 ? "" : ",", 1e8 * took[s * laps + lap]);
      std::printf("]");
    }
    std::printf("\n}}\n");
    return EXIT_SUCCESS;
  });
}
