// What a step of md does on any number of ranks.

#include "run.hpp"

#include "domain/surroundings.hpp"

#include <map>

namespace md {

using namespace halocline;
using nlohmann::ordered_json;

namespace {

/// Particles of each part.
std::vector<std::vector<Particle>> dealt_out(const Decomposition& decomposition,
                                             const std::vector<Particle>& all) {
  std::vector<std::vector<Particle>> parts(static_cast<std::size_t>(decomposition.parts()));
  for (const Particle& particle : all)
    parts[static_cast<std::size_t>(decomposition.owner(particle.position))].push_back(particle);
  return parts;
}

}  // namespace

/// As particles are at first, of those steps that build no lists.
frame::Step Run::step(const frame::Options& options) const {
  frame::only_with(plan_.forces.lists, "--describe-step", "--lists on");
  const bool back = plan_.shell != Shell::full;
  const Decomposition decomposition(plan_.box, plan_.dims);
  std::vector<frame::Message> ghosts;
  std::vector<double> inner, outer, all;  // particles of each rank
  const auto parts = dealt_out(decomposition, start(MPI_COMM_SELF));
  for (int rank = 0; rank < options.ranks; ++rank) {
    Particles particles(plan_.layout);
    particles.assign(parts[static_cast<std::size_t>(rank)]);
    Surroundings around(decomposition, rank, plan_.shell, plan_.forces.reach());
    around.select(particles);
    std::map<int, std::size_t> copies;  // for each rank
    for (const int target : around.targets) copies[target] = 0;
    for (const Copies& one : around.given)
      if (one.part != rank) copies[one.part] += one.chosen.size();
    for (const auto& [target, count] : copies)
      ghosts.push_back({rank, target, sizeof(Vector) * count});
    all.push_back(static_cast<double>(particles.owned()));
    inner.push_back(static_cast<double>(around.inner()));
    outer.push_back(all.back() - inner.back());
  }

  frame::Step step{.ranks = options.ranks, .cut = {plan_.dims.begin(), plan_.dims.end()}};
  step.add("positions", ghosts, frame::Changing::ragged);
  if (back) step.add("forces", ghosts, frame::Changing::reversed);
  const std::string rate = back ? "md-half" : "md";
  ordered_json after = ordered_json::array();
  if (back) after.push_back({{"exchange", "forces"}});
  if (plan_.rebuild_every == 0)
    after.push_back({{"reduce", "allreduce"}});  // whether lists are old
  const auto with = [&](ordered_json parts) {
    for (const ordered_json& part : after) parts.push_back(part);
    return parts;
  };
  const ordered_json open = with({{{"exchange", "positions"}}, frame::computing(rate, all)});
  if (!plan_.overlap) {
    step.parts = open;
    return step;
  }
  step.iterations = open_every;
  step.parts.push_back({{"times", open_every - 1},
                        {"do", with({{{"start", "positions"}},
                                     frame::computing(rate, inner, all),
                                     {{"finish", "positions"}},
                                     frame::computing(rate, outer, all)})}});
  for (const ordered_json& part : open) step.parts.push_back(part);
  return step;
}

}  // namespace md
