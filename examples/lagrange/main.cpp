// lagrange: a hot corner of a gas expands, on a mesh that moves with it, of the shape that the
// proxy application LULESH has: in each step forces along x, y and z are added up on nodes that
// ranks share.

#include "../common/turns.hpp"
#include "shared_nodes.hpp"

#include <algorithm>

namespace lagrange {

namespace {

std::unique_ptr<SharedNodes> shared_nodes(const Part& part, const std::vector<double*>& arrays,
                                          const std::string& exchange) {
  return exchange == "plain" ? plain_shared_nodes(MPI_COMM_WORLD, part, arrays)
                             : halocline_shared_nodes(MPI_COMM_WORLD, part, arrays, exchange);
}

turns::Outcome solve(const turns::Options& options, const std::string& exchange) {
  const Part part = make_part(MPI_COMM_WORLD, options.size);
  Material material(part);
  shared_nodes(part, {material.mass.data()}, exchange)->add_up();
  auto& [z, y, x] = material.force;
  const auto forces = shared_nodes(part, {z.data(), y.data(), x.data()}, exchange);

  turns::Outcome outcome;
  double time = 0.01 / options.size;
  const double begin = MPI_Wtime();
  for (int step = 0; step < options.steps; ++step) {
    material.push();
    outcome.exchange([&] { forces->add_up(); });
    material.move(time);
    double longest = std::min(material.squeeze(), 1.1 * time);
    MPI_Allreduce(&longest, &time, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    outcome.exchange.end_step();
  }
  outcome.seconds = MPI_Wtime() - begin;
  const double mine = material.energy();
  MPI_Allreduce(&mine, &outcome.result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  outcome.checksum = material.checksum();
  return outcome;
}

}  // namespace

}  // namespace lagrange

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status =
      turns::compare("lagrange", "a step", {.size = 12, .steps = 100}, argc, argv, lagrange::solve);
  MPI_Finalize();
  return status;
}
