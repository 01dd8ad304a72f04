#include "sequence.hpp"

#include <algorithm>

namespace recorder {

std::int64_t Bodies::number(const Step* steps, std::uint32_t length) {
  std::uint64_t hash = hash_of(steps, length * sizeof(Step));
  std::int64_t found = index_.find(hash, [&](std::uint32_t at) {
    return hashes_[at] == hash && bodies_[at].length == length &&
           std::equal(steps, steps + length, &steps_[bodies_[at].first]);
  });
  if (found >= 0) return found;
  if (bodies_.full()) return -1;
  std::uint32_t first = steps_.size();
  Step* room = steps_.add_many(length);
  if (!room) return -1;
  std::copy(steps, steps + length, room);
  hashes_.add(hash);
  bodies_.add({first, length});
  index_.insert(hash, bodies_.size() - 1);
  return bodies_.size() - 1;
}

// From the place on top to the next call: into loops.
void Sequence::descend() {
  for (;;) {
    const Place& top = places_[depth_ - 1];
    Step step = bodies_.steps(top.body)[top.at];
    if (step.body == 0) {
      expected_ = step;
      return;
    }
    if (depth_ == kDeepest) {
      write_out();
      return;
    }
    places_[depth_++] = {step.body - 1, 0, 0};
  }
}

// The call came that was expected.
void Sequence::advance() {
  for (;;) {
    Place& top = places_[depth_ - 1];
    if (++top.at < bodies_.length(top.body)) break;
    if (depth_ == 1) {  // one more turn of the last loop
      ++steps_.back().value;
      top.at = 0;
      break;
    }
    Place& outer = places_[depth_ - 2];
    if (++top.turn < bodies_.steps(outer.body)[outer.at].value) {
      top.at = 0;
      break;
    }
    --depth_;  // all turns of this loop: the step after it
  }
  descend();
}

// The cursor leaves the loop: what it has passed of one more turn stands behind the loop.
void Sequence::write_out() {
  Place places[kDeepest];
  std::uint32_t depth = depth_;
  std::copy(places_, places_ + depth, places);
  depth_ = 0;
  for (std::uint32_t level = 0; level < depth; ++level) {
    const Place& place = places[level];
    if (level > 0 && place.turn > 1) append({place.body + 1, place.turn});
    if (level > 0 && place.turn == 1) {
      for (std::uint32_t at = 0; at < bodies_.length(place.body); ++at) {
        append(bodies_.steps(place.body)[at]);
      }
    }
    for (std::uint32_t at = 0; at < place.at; ++at) append(bodies_.steps(place.body)[at]);
  }
  depth_ = 0;
}

void Sequence::append(Step step) {
  if (steps_.size() >= 2 && step.body != 0 && steps_.back().body == step.body) {
    steps_.back().value += step.value;
    return;
  }
  if (!steps_.add(step)) {
    ++left_out_;
    return;
  }
  bool folded = false;
  while (fold()) folded = true;
  if (folded) follow();
}

// Makes the end shorter if it repeats itself.
bool Sequence::fold() {
  std::uint32_t size = steps_.size();
  Step* end = steps_.end();
  std::uint32_t longest = std::min(size - 1, kLongest);
  for (std::uint32_t length = 1; length <= longest; ++length) {
    const Step& before = *(end - length - 1);
    // One more turn of the loop that stands before?
    if (before.body != 0 && bodies_.length(before.body - 1) == length &&
        std::equal(end - length, end, bodies_.steps(before.body - 1))) {
      ++(end - length - 1)->value;
      steps_.shrink(size - length);
      return true;
    }
    // The second turn of a new one?
    if (before == end[-1] && 2 * length <= size &&
        std::equal(end - 2 * length, end - length, end - length)) {
      if (length == 1 && before.body != 0) {  // a loop twice is a loop of twice as many turns
        (end - 2)->value += end[-1].value;
        steps_.shrink(size - 1);
        return true;
      }
      std::int64_t body = bodies_.number(end - length, length);
      if (body < 0) return false;
      *(end - 2 * length) = {static_cast<std::uint32_t>(body) + 1, 2};
      steps_.shrink(size - 2 * length + 1);
      return true;
    }
  }
  return false;
}

// The end is a loop: from here on a cursor walks along it.
void Sequence::follow() {
  if (steps_.size() == 0 || steps_.back().body == 0) return;
  places_[0] = {steps_.back().body - 1, 0, 0};
  depth_ = 1;
  descend();
}

}  // namespace recorder
