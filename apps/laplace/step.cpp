#include "step.hpp"

#include "sync_run.hpp"

#include <frame/values.hpp>

namespace laplace {

using namespace halocline;

frame::Step step_of(const Config& config, int ranks) {
  frame::only_with(config.mode == Mode::sync, "--describe-step", "--mode sync");
  frame::only_with(config.matrix.empty(), "--describe-step", "the grid, not --matrix");
  frame::only_with(config.model != Model::threads, "--describe-step", "ranks, not --model threads");
  frame::only_with(!config.device, "--describe-step", "the host's sweeps, not --device");
  const DeepCut cut = deep_cut(ranks, config.problem, settings_of(config, 0));
  const GridCut grid(ranks, config.problem.cells(), cut.options);
  std::vector<double> points;  // of a sweep, on average
  for (int rank = 0; rank < ranks; ++rank) {
    double swept = 0;
    for (int sweep = 0; sweep < cut.depth; ++sweep)  // over what those after it need
      swept += frame::points_swept(grid, rank, std::vector<std::int64_t>(3, cut.depth - 1 - sweep));
    points.push_back(swept / cut.depth);
  }
  frame::Step step{.ranks = ranks,
                   .iterations = cut.depth,
                   .depends_on_scheme = config.depth == 0 && !config.style && ranks > 1};
  step.add("halo", grid);
  step.parts.push_back({{"exchange", "halo"}});
  step.parts.push_back(
      {{"times", cut.depth},
       {"do", nlohmann::ordered_json::array({frame::computing("laplace", points)})}});
  return step;
}

}  // namespace laplace
