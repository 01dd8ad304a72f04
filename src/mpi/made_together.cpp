#include "made_together.hpp"

#include "collectives.hpp"
#include "under_way.hpp"

#include <utility>

namespace halocline::mpi {

void MadeTogether::Thing::let_go() noexcept {
  const std::shared_ptr<MadeTogether> all = all_.lock();
  if (within_abandoning() || !running()) {
    state_ = left;
    object_.reset();
  } else {
    state_ = let_go_of;
    if (!all)  // the communicator has been freed before: its ranks meet no more
      halocline::detail::keep(std::move(object_));
    else if ((all->alone_ || all->closed_) && !abandoning())
      object_.reset();
  }
  if (all) ++all->let_go_of_;
}

MadeTogether::~MadeTogether() {
  for (const auto& thing : things_)
    if (thing->state_ == Thing::let_go_of) halocline::detail::keep(std::move(thing->object_));
}

std::shared_ptr<MadeTogether::Thing> MadeTogether::add(std::shared_ptr<void> object) {
  auto thing = std::make_shared<Thing>(std::move(object), weak_from_this());
  const std::lock_guard lock(mutex_);
  things_.push_back(thing);
  return thing;
}

std::size_t MadeTogether::end() {
  // What ends may agree on something itself.
  if (ending_ || things_.empty()) return 0;
  ending_ = true;
  std::vector<std::uint8_t> states;
  for (const auto& thing : things_) states.push_back(thing->state_);
  try {
    states = reduced(own_, std::move(states), MPI_MIN);
  } catch (...) {
    ending_ = false;
    throw;
  }
  std::vector<std::shared_ptr<Thing>> used, ended;
  std::vector<bool> whole;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (states[i] != Thing::in_use) whole.push_back(states[i] == Thing::let_go_of);
      (states[i] == Thing::in_use ? used : ended).push_back(std::move(things_[i]));
    }
    things_ = std::move(used);
  }
  let_go_of_ -= static_cast<std::int64_t>(ended.size());
  for (std::size_t i = ended.size(); i-- > 0;) {
    const Abandoning in_the_middle(!whole[i]);
    ended[i]->object_.reset();
  }
  ending_ = false;
  return ended.size();
}

}  // namespace halocline::mpi
