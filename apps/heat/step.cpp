// What a step of heat does on any number of ranks.

#include "heat.hpp"

namespace heat {

frame::Step Heat::step(const frame::Options& options) const {
  const halocline::GridCut cut(options.ranks, cells(), halo);
  std::vector<double> points;
  for (int rank = 0; rank < cut.ranks(); ++rank)
    points.push_back(static_cast<double>(cut.owned_cells(rank)));
  frame::Step step{.ranks = cut.ranks()};
  step.add("halo", cut);
  step.parts.push_back({{"exchange", "halo"}});
  step.parts.push_back(frame::computing(name, points));
  return step;
}

}  // namespace heat
