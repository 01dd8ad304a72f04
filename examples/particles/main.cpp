// particles: molecular dynamics with half shells, of the shape that the proxy application miniMD has:
// ghosts come from one side, forces go back and are added, lists are new every 20 steps.

#include "../common/turns.hpp"
#include "neighbours.hpp"

#include <stdexcept>

namespace particles {

namespace {

turns::Outcome solve(const turns::Options& options, const std::string& exchange) {
  if (options.size < 4 || options.size > 100)
    throw std::invalid_argument("--size must be from 4 to 100 cells a side of a region, not " +
                                std::to_string(options.size));
  const Regions regions = make_regions(MPI_COMM_WORLD, options.size);
  const auto neighbours = exchange == "plain"
                              ? plain_neighbours(MPI_COMM_WORLD, regions)
                              : halocline_neighbours(MPI_COMM_WORLD, regions, exchange);
  System system(regions, options.size);
  turns::Outcome outcome;
  turns::Stopwatch exchanging;
  std::vector<Traveller> down, up;
  const auto new_lists = [&] {
    system.forget_ghosts();
    for (int axis = 0; axis < 3; ++axis) {
      system.leaving(axis, down, up);
      exchanging([&] {
        for (const Traveller& one : neighbours->migrate(axis, down, up)) system.arrived(one);
      });
    }
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<int> sent = system.near_below(axis);
      exchanging([&] { neighbours->border(axis, std::move(sent), system.x); });
    }
    system.find_pairs();
  };
  const auto new_forces = [&] {
    system.find_forces();
    exchanging([&] { neighbours->forces(system.f); });
  };

  new_lists();
  new_forces();
  exchanging.read();
  const double begin = MPI_Wtime();
  for (int step = 1; step <= options.steps; ++step) {
    system.drift();
    if (step % System::lists_last == 0)
      new_lists();
    else
      exchanging([&] { neighbours->positions(system.x); });
    new_forces();
    system.kick();
    outcome.exchange.push_back(exchanging.read());
  }
  outcome.seconds = MPI_Wtime() - begin;
  const double mine = system.energy();
  MPI_Allreduce(&mine, &outcome.result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  outcome.checksum = system.checksum();
  return outcome;
}

}  // namespace

}  // namespace particles

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = turns::compare("particles", "a step", {.size = 6, .steps = 100}, argc, argv,
                                    particles::solve);
  MPI_Finalize();
  return status;
}
