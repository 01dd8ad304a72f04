#include "shapes.hpp"

#include "recording.hpp"

#include <algorithm>

namespace recorder {

void Episode::begin(Thread& thread, std::uint32_t serial) {
  links_.shrink(0);
  calls_.shrink(0);
  tickets_.shrink(0);
  thread_ = &thread;
  open_ = true;
  serial_ = serial;
  under_way_ = 0;
  way_ = finish_ = 0;
  cancelled_ = false;
  start_ = finish_time_ = own_ = 0;
  before_ = thread.outside - thread.outside_at_shape;
  const Ticks timed = thread.timed - thread.timed_at_shape;
  processor_before_ = timed > before_ / 2
                          ? thread.processor - thread.processor_at_shape +
                                static_cast<std::int64_t>(nanoseconds(before_ - timed))
                          : -1;
  outside_at_begin_ = thread.outside;
  touched();
}

std::int64_t Episode::add(const Link& link, bool under_way) {
  if (!links_.add(link)) return -1;
  if (under_way) ++under_way_;
  return links_.size() - 1;
}

void Episode::tidy() {
  std::uint32_t left = 0;
  for (const Link& link : links_) {
    bool unmet = !link.complete && link.peer == kAny;
    if (link.kind != LinkKind::kCancelled && !unmet) links_[left++] = link;
  }
  links_.shrink(left);
}

void Episode::touched() {
  outside_at_touch_ = thread_->outside;
  timed_at_touch_ = thread_->timed;
  processor_at_touch_ = thread_->processor;
}

void Episode::close() {
  if (!open_) return;
  open_ = false;
  thread_->outside_at_shape = outside_at_touch_;
  thread_->timed_at_shape = timed_at_touch_;
  thread_->processor_at_shape = processor_at_touch_;
  if (under_way_ > 0 || cancelled_) tidy();
  if (links_.size() == 0 && !of_window_) return;
  Recording& run = *thread_->run;
  std::int32_t shape = run.shapes.add(*this);
  if (shape < 0) return;
  for (const Ticket& ticket : tickets_) {
    if (Message* message = run.messages.find(ticket)) message->shape = shape;
  }
}

std::int64_t Shapes::find(std::uint64_t hash, bool varied) const {
  return index_.find(hash, [&](std::uint32_t at) {
    return shapes_[at].hash == hash && (shapes_[at].varied != 0) == varied;
  });
}

std::int32_t Shapes::add(Episode& episode) {
  // Links are alike in whatever order they came: wildcards meet theirs in another one each time.
  std::uint64_t hash = 0, outline = 0;
  std::int64_t sent = 0;
  Calls& calls = episode.thread_->run->calls;
  for (const Link& link : episode.links_) {
    std::uint64_t whom = mixed(
        static_cast<std::uint64_t>(link.kind) << 32 | static_cast<std::uint32_t>(link.comm),
        static_cast<std::uint64_t>(link.peer) << 32 | static_cast<std::uint32_t>(link.layout));
    std::int32_t site =
        link.call >= 0 ? calls[static_cast<std::uint32_t>(link.call)].signature.site : -1;
    outline += mixed(whom, static_cast<std::uint64_t>(site));
    hash +=
        mixed(mixed(whom, static_cast<std::uint64_t>(link.bytes)),
              static_cast<std::uint64_t>(link.tag) << 32 | static_cast<std::uint32_t>(link.call));
    if (link.kind != LinkKind::kReceive) sent += link.bytes;
  }
  std::uint64_t how = static_cast<std::uint64_t>(episode.way_) << 32 | episode.finish_;
  outline = mixed(outline, how);
  hash = mixed(hash, how);
  if (episode.links_.size() ==
      0) {  // of an epoch in which this rank only is a target: by its calls
    hash = outline =
        mixed(hash, hash_of(episode.calls_.begin(), episode.calls_.size() * sizeof(std::uint32_t)));
  }

  std::int64_t found = find(hash, false);
  if (found < 0) {
    bool varied = false;
    std::int32_t known = outlines_.find(outline);
    if (known < 0 && variants_.add(0)) {
      known = static_cast<std::int32_t>(variants_.size() - 1);
      outlines_.set(outline, static_cast<std::uint32_t>(known));
    }
    if (known < 0 || ++variants_[static_cast<std::uint32_t>(known)] > kVariants) {
      varied = true;
      hash = outline;
      found = find(hash, true);
    }
    if (found < 0) {
      Shape fresh{};
      fresh.hash = hash;
      fresh.outline = outline;
      fresh.varied = varied;
      fresh.way = episode.way_;
      fresh.finish = episode.finish_;
      fresh.least = INT64_MAX;
      fresh.first_link = links_.size();
      fresh.links = episode.links_.size();
      fresh.first_call = calls_.size();
      fresh.calls = episode.calls_.size();
      fresh.samples.stride = 1;
      Link* links = shapes_.full() ? nullptr : links_.add_many(fresh.links);
      std::uint32_t* made_of = links ? calls_.add_many(fresh.calls) : nullptr;
      if (!made_of) {
        ++left_out_;
        return -1;
      }
      std::copy(episode.links_.begin(), episode.links_.end(), links);
      if (varied) {
        for (std::uint32_t at = 0; at < fresh.links; ++at) links[at].bytes = 0;
      }
      std::copy(episode.calls_.begin(), episode.calls_.end(), made_of);
      shapes_.add(fresh);
      found = shapes_.size() - 1;
      index_.insert(hash, static_cast<std::uint32_t>(found));
    }
  }
  Shape& shape = shapes_[static_cast<std::uint32_t>(found)];
  ++shape.times;
  shape.start += episode.start_;
  shape.finished += episode.finish_time_;
  Ticks inside = episode.outside_at_touch_ - episode.outside_at_begin_;
  shape.inside += inside;
  shape.before += episode.before_;
  shape.own += episode.own_;
  shape.least = std::min(shape.least, sent);
  shape.most = std::max(shape.most, sent);
  if (shape.varied) {  // the sum of all; their mean is written
    std::uint32_t links = std::min(shape.links, episode.links_.size());
    for (std::uint32_t at = 0; at < links; ++at)
      links_[shape.first_link + at].bytes += episode.links_[at].bytes;
  }
  shape.samples.add(static_cast<float>(episode.start_ + episode.finish_time_),
                    static_cast<float>(episode.before_),
                    static_cast<float>(episode.processor_before_));
  shape.longest.add({shape.times, episode.before_, episode.processor_before_});
  return static_cast<std::int32_t>(found);
}

}  // namespace recorder
