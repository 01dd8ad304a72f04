#include "kept_state.hpp"

#include <tuple>

namespace laplace {

std::vector<frame::Share> KeptState::shares(const std::vector<Part>& parts) const {
  frame::Share share{.name = "u", .shape = extent_};
  if (!parts.empty()) {
    const Part& part = parts.front();
    share.mine = part.points;
    share.data = const_cast<double*>(part.data);  // which only `load` writes
    share.stride = {part.plane, part.row, 1};
  }
  return {share};
}

nlohmann::ordered_json KeptState::progress(const Past& now) {
  nlohmann::ordered_json history = nlohmann::ordered_json::array();
  for (const Check& check : now.history)
    history.push_back({check.iteration, check.seconds, check.residual});
  return {{"seconds", now.seconds}, {"convergence", std::move(history)}};
}

KeptState::Past KeptState::load(const std::vector<Part>& parts) {
  Past past;
  if (checkpoints_ == nullptr) return past;
  if (const frame::StateFile* const state = checkpoints_->restart()) {
    state->read(comm_, shares(parts));
    past.iterations = state->progress<std::int64_t>("iteration");
    past.seconds = state->progress<double>("seconds");
    using Checks = std::vector<std::tuple<std::int64_t, double, double>>;
    for (const auto& [iteration, seconds, residual] : state->progress<Checks>("convergence"))
      past.history.push_back({iteration, seconds, residual});
  }
  checkpoints_->begin(comm_, past.iterations);
  return past;
}

}  // namespace laplace
