#include "kept_state.hpp"

#include <algorithm>
#include <array>

namespace partdiff {

using namespace halocline;

frame::Share KeptState::share(double* array, bool halos) const {
  const std::int64_t points = domain_.problem().points();
  frame::Share share{.name = "u", .shape = {points, 1, points}};
  if (domain_.idle()) return share;
  const auto range = [&](int axis) { return halos ? domain_.held(axis) : domain_.points(axis); };
  share.mine = {range(0), Range{0, 1}, range(1)};
  share.data = array + domain_.offset(share.mine[0].begin, share.mine[2].begin);
  share.stride = {domain_.stride(), 0, 1};
  return share;
}

std::int64_t KeptState::load(double* array) const {
  const frame::StateFile* const state = checkpoints_ ? checkpoints_->restart() : nullptr;
  if (state == nullptr) return 0;
  const std::int64_t sweeps = state->progress<std::int64_t>("sweep");
  if (!settings_.to_accuracy() && !end() && sweeps >= settings_.iterations)
    throw Error("--restart " + state->file() + ": has " + std::to_string(sweeps) +
                " sweeps behind it; VALUE, here " + std::to_string(settings_.iterations) +
                ", must be more");
  state->read(domain_.grid().comm(), std::array{share(array, true)});
  return sweeps;
}

std::optional<Outcome> KeptState::end() const {
  const frame::StateFile* const state = checkpoints_ ? checkpoints_->restart() : nullptr;
  if (state == nullptr) return {};
  if (state->progress<nlohmann::ordered_json>("residuum").is_null()) return {};
  Outcome outcome;
  outcome.iterations = state->progress<std::int64_t>("sweep");
  outcome.residuum = state->progress<double>("residuum");
  const bool enough = settings_.to_accuracy() ? outcome.residuum < settings_.accuracy
                                              : outcome.iterations == settings_.iterations;
  return enough ? std::optional(outcome) : std::nullopt;
}

bool KeptState::save(std::int64_t sweeps, double* array) const {
  return checkpoints_->save(sweeps, nlohmann::ordered_json::object({{"residuum", nullptr}}),
                            std::array{share(array, false)});
}

void KeptState::finish(const Outcome& outcome, double* array) const {
  if (checkpoints_ == nullptr) return;
  checkpoints_->finish(outcome.iterations,
                       nlohmann::ordered_json::object({{"residuum", outcome.residuum}}),
                       std::array{share(array, false)});
}

}  // namespace partdiff
