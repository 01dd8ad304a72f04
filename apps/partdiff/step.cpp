#include "step.hpp"

#include "cuts.hpp"

#include <frame/values.hpp>

namespace partdiff {

using namespace halocline;
using nlohmann::ordered_json;

namespace {

frame::Step jacobi(const Problem& problem, const Settings& settings, int ranks) {
  const int depth = settings.halo_depth;
  const GridCut cut(ranks, cells(problem),
                    depth == 1 ? jacobi_options(settings) : deep_jacobi_options(ranks, settings));
  // Points of each sweep: the rank's own, and halos where it has a neighbour.
  std::vector<double> points;
  for (int rank = 0; rank < ranks; ++rank)
    points.push_back(
        frame::points_swept(cut, rank, {cut.width(0).below - 1, cut.width(1).below - 1}));
  frame::Step step{.ranks = ranks, .iterations = depth};
  step.add("halo", cut);
  step.parts.push_back({{"exchange", "halo"}});
  ordered_json sweep = ordered_json::array({frame::computing("partdiff", points)});
  if (settings.to_accuracy()) sweep.push_back({{"reduce", halocline::name(settings.reduction)}});
  step.parts.push_back({{"times", depth}, {"do", sweep}});
  return step;
}

/// Rows above are this sweep's, rows below the one's before: each rank is a step ahead of the next,
/// and what the rank before waits for leaves as soon as it is done. Pairs of neighbours exchange by
/// themselves: those whose first is even, and the others.
frame::Step gauss_seidel(const Problem& problem, const Settings& settings, int ranks) {
  const GridCut cut(ranks, cells(problem), gauss_seidel_options(ranks, settings));
  if (cut.dims()[1] > 1)
    throw Error("--describe-step: of Gauss-Seidel, a step is described with --decomposition rows");
  const int sweeps = settings.halo_depth, last = cut.parts() - 1;
  const bool deep = sweeps > 1 && last > 0;
  const std::size_t message =
      sizeof(double) * static_cast<std::size_t>(cut.cells()[1] * (deep ? rows_taken_over : 1));
  std::vector<double> first, rest;  // points of each rank's two parts, of a sweep
  for (int rank = 0; rank < ranks; ++rank) {
    Range rows = cut.owned(rank, 0);
    std::int64_t awaited = rank > 0 ? 1 : 0;
    if (deep && !cut.idle(rank)) {
      const Range owned = rows;
      rows = rows_in_flight(cut, rank);
      if (rank > 0) awaited = first_rows_in_flight(rows, owned, sweeps);
    }
    if (cut.idle(rank)) awaited = 0;
    first.push_back(static_cast<double>(awaited * cut.cells()[1]));
    rest.push_back(static_cast<double>((rows.size() - awaited) * cut.cells()[1]));
  }
  frame::Step step{.ranks = ranks, .iterations = sweeps};
  const ordered_json before = ordered_json::array({frame::computing("gauss-seidel", first)}),
                     after = ordered_json::array({frame::computing("gauss-seidel", rest)});
  for (const int parity : {0, 1}) {
    const std::string name = parity == 0 ? "even" : "odd", other = parity == 0 ? "odd" : "even";
    std::vector<frame::Message> down, up;
    for (int rank = parity; rank < last; rank += 2) {
      down.push_back({rank, rank + 1, message});
      up.push_back({rank + 1, rank, message});
    }
    step.add("down " + name, down, true);
    step.add("up " + name, up, true);
    step.parts.push_back({{"parity", parity},
                          {"do",
                           {{{"exchange", "down " + other}},
                            {{"times", sweeps}, {"do", before}},
                            {{"exchange", "up " + other}},
                            {{"times", sweeps}, {"do", after}},
                            {{"exchange", "down " + name}},
                            {{"exchange", "up " + name}}}}});
  }
  if (settings.to_accuracy())
    step.parts.push_back(
        {{"times", sweeps},
         {"do", ordered_json::array({{{"reduce", halocline::name(settings.reduction)}}})}});
  return step;
}

}  // namespace

frame::Step step_of(Method method, const Problem& problem, const Settings& given, int ranks) {
  frame::only_with(!given.device, "--describe-step", "the host's sweeps, not --device");
  Settings settings = given;
  const bool is_jacobi = method == Method::jacobi;
  settings.halo_depth =
      is_jacobi ? jacobi_depth(ranks, problem, given) : gauss_seidel_depth(ranks, problem, given);
  frame::Step step =
      is_jacobi ? jacobi(problem, settings, ranks) : gauss_seidel(problem, settings, ranks);
  step.depends_on_scheme = given.halo_depth == 0 && !given.style && ranks > 1;
  return step;
}

}  // namespace partdiff
