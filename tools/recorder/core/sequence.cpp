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
  // The loop has more turns now than when it was put into the chains.
  Step loop = steps_.back();
  pop(1);
  push(loop);
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

bool Sequence::push(Step step) {
  if (!steps_.add(step)) return false;
  std::uint32_t place = steps_.size() - 1;
  Chain chain{};
  chain.own_bucket = bucket(step);
  chain.own = own_[chain.own_bucket];
  own_[chain.own_bucket] = place + 1;
  if (step.body != 0) {
    std::uint32_t body = step.body - 1;
    chain.tail_bucket = bucket(bodies_.steps(body)[bodies_.length(body) - 1]);
    chain.tail = tails_[chain.tail_bucket];
    tails_[chain.tail_bucket] = place + 1;
  }
  chains_.shrink(place);
  chains_.add(chain);
  return true;
}

void Sequence::pop(std::uint32_t count) {
  for (std::uint32_t place = steps_.size(); count > 0; --count) {
    --place;
    const Chain& chain = chains_[place];
    own_[chain.own_bucket] = chain.own;
    if (steps_[place].body != 0) tails_[chain.tail_bucket] = chain.tail;
    steps_.shrink(place);
  }
}

void Sequence::append(Step step) {
  if (steps_.size() > 0 && step.body != 0 && steps_.back().body == step.body) {
    step.value += steps_.back().value;
    pop(1);
  }
  if (!push(step)) {
    ++left_out_;
    return;
  }
  bool folded = false;
  while (fold()) folded = true;
  if (folded) follow();
}

// Makes the end shorter if it repeats itself.
bool Sequence::fold() {
  return one_more_turn() || second_turn();
}

// Does the end complete one more turn of the loop that stands before it?
bool Sequence::one_more_turn() {
  const Step last = steps_.back();
  std::uint32_t size = steps_.size();
  std::uint32_t next = tails_[bucket(last)];
  for (int look = 0; look < kLooks && next != 0; ++look) {
    std::uint32_t place = next - 1;
    next = chains_[place].tail;
    Step loop = steps_[place];
    std::uint32_t length = bodies_.length(loop.body - 1);
    if (place + 1 + length != size) continue;
    if (!std::equal(steps_.end() - length, steps_.end(), bodies_.steps(loop.body - 1))) continue;
    pop(length + 1);
    ++loop.value;
    return push(loop);
  }
  return false;
}

// Is the end the same as what stands before it?
bool Sequence::second_turn() {
  const Step last = steps_.back();
  std::uint32_t size = steps_.size();
  std::uint32_t next = chains_[size - 1].own;
  for (int look = 0; look < kLooks && next != 0; ++look) {
    std::uint32_t place = next - 1;
    next = chains_[place].own;
    std::uint32_t length = size - 1 - place;
    if (length > kLongest || 2 * length > size) return false;
    if (!(steps_[place] == last)) continue;
    if (!std::equal(steps_.end() - 2 * length, steps_.end() - length, steps_.end() - length))
      continue;
    std::int64_t body = bodies_.number(steps_.end() - length, length);
    if (body < 0) return false;
    pop(2 * length);
    return push({static_cast<std::uint32_t>(body) + 1, 2});
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
