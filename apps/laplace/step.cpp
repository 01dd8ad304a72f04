#include "step.hpp"

#include "sync_run.hpp"

#include <frame/values.hpp>

namespace laplace {

using namespace halocline;

namespace {

/// Points that a rank sweeps over between two exchanges: its own, and of the halos those that the
/// sweeps after this one need.
double points_swept(const GridCut& cut, int rank, int depth) {
  double sum = 0;
  for (int sweep = 0; sweep < depth; ++sweep) {
    double points = 1;
    for (int axis = 0; axis < cut.axes(); ++axis) {
      std::int64_t along = cut.owned(rank, axis).size();
      for (const int side : {-1, 1}) {
        std::vector<int> offset(3, 0);
        offset[static_cast<std::size_t>(axis)] = side;
        if (cut.neighbour(rank, offset) >= 0) along += depth - 1 - sweep;
      }
      points *= static_cast<double>(along);
    }
    sum += points;
  }
  return sum;
}

}  // namespace

frame::Step step_of(const Config& config, int ranks) {
  frame::only_with(config.mode == Mode::sync, "--describe-step", "--mode sync");
  frame::only_with(config.matrix.empty(), "--describe-step", "the grid, not --matrix");
  frame::only_with(config.model != Model::threads, "--describe-step", "ranks, not --model threads");
  frame::only_with(!config.device, "--describe-step", "the host's sweeps, not --device");
  const DeepCut cut = deep_cut(ranks, config.problem, settings_of(config, 0));
  const GridCut grid(ranks, config.problem.cells(), cut.options);
  std::vector<double> points;  // of a sweep, on average
  for (int rank = 0; rank < ranks; ++rank)
    points.push_back(points_swept(grid, rank, cut.depth) / cut.depth);
  frame::Step step{.ranks = ranks,
                   .iterations = cut.depth,
                   .depends_on_scheme = config.depth == 0 && !config.style && ranks > 1};
  step.add("halo", grid);
  step.parts.push_back({{"exchange", "halo"}});
  const nlohmann::ordered_json sweep{
      {"compute", {{"program", "laplace"}, {"points", frame::of_ranks(points)}}}};
  step.parts.push_back({{"times", cut.depth}, {"do", nlohmann::ordered_json::array({sweep})}});
  return step;
}

}  // namespace laplace
