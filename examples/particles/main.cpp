// particles: molecular dynamics with half shells, of the shape that the proxy application miniMD
// has: ghosts come from one side, forces go back and are added, lists are new every 20 steps.

#include "../common/turns.hpp"
#include "neighbours.hpp"

#include <array>
#include <stdexcept>

namespace particles {

namespace {

turns::Outcome solve(const turns::Options& options, const std::string& exchange) {
  if (options.size < 4 || options.size > 100)
    throw std::invalid_argument("--size must be from 4 to 100 cells a side of a region, not " +
                                std::to_string(options.size));
  const Regions regions = make_regions(MPI_COMM_WORLD, options.size);
  std::array<std::unique_ptr<Neighbours>, 3> neighbours;  // along each axis
  for (int axis = 0; axis < 3; ++axis)
    neighbours[axis] = regions.ranks[axis] == 1 ? own_neighbours(regions, axis)
                       : exchange == "plain"
                           ? plain_neighbours(MPI_COMM_WORLD, regions, axis)
                           : halocline_neighbours(MPI_COMM_WORLD, regions, axis, exchange);
  System system(regions, options.size);
  turns::Outcome outcome;
  // Only what goes to other ranks is measured.
  const auto exchanging = [&](int axis, auto&& call) {
    if (regions.ranks[axis] == 1)
      call();
    else
      outcome.exchange(call);
  };
  const auto new_lists = [&] {
    std::vector<Traveller> down, up, come;
    system.forget_ghosts();
    for (int axis = 0; axis < 3; ++axis) {
      system.leaving(axis, down, up);
      exchanging(axis, [&] { come = neighbours[axis]->migrate(down, up); });
      for (const Traveller& one : come) system.arrived(one);
    }
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<int> sent = system.near_below(axis);
      exchanging(axis, [&] { neighbours[axis]->border(std::move(sent), system.x); });
    }
    system.find_pairs();
  };
  const auto new_positions = [&] {
    for (int axis = 0; axis < 3; ++axis)
      exchanging(axis, [&] { neighbours[axis]->positions(system.x); });
  };
  const auto new_forces = [&] {
    system.find_forces();
    for (int axis = 2; axis >= 0; --axis)
      exchanging(axis, [&] { neighbours[axis]->forces(system.f); });
  };

  new_lists();
  new_forces();
  outcome.exchange = {};
  const double begin = MPI_Wtime();
  for (int step = 1; step <= options.steps; ++step) {
    system.drift();
    if (step % System::lists_last == 0)
      new_lists();
    else
      new_positions();
    new_forces();
    system.kick();
    outcome.exchange.end_step();
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
