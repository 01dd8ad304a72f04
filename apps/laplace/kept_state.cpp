#include "kept_state.hpp"

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
    const auto& told = state->head().progress;
    past.iterations = told.at("iteration");
    past.seconds = told.at("seconds");
    for (const auto& check : told.at("convergence"))
      past.history.push_back({check.at(0), check.at(1), check.at(2)});
  }
  checkpoints_->begin(comm_, past.iterations);
  return past;
}

}  // namespace laplace
