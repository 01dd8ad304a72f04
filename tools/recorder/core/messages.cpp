#include "messages.hpp"

#include "calls.hpp"

#include <algorithm>

namespace recorder {

namespace {

std::uint64_t hash_of_name(const ChannelName& name) {
  return mixed(mixed(static_cast<std::uint64_t>(name.comm) << 2 | (name.sent ? 2 : 0) |
                     (name.partitioned ? 1 : 0)),
               static_cast<std::uint64_t>(name.peer) << 32 | static_cast<std::uint32_t>(name.tag));
}

// May a receive with wildcards meet messages of this channel?
bool may_meet(const ChannelName& wildcards, const ChannelName& name) {
  return wildcards.comm == name.comm && !name.partitioned &&
         (wildcards.peer == kAny || wildcards.peer == name.peer) &&
         (wildcards.tag == kAny || wildcards.tag == name.tag);
}

}  // namespace

Channel* Messages::channel(const ChannelName& name) {
  std::uint32_t& recent = recent_[(static_cast<std::uint32_t>(name.peer) * 2 + name.sent +
                                   static_cast<std::uint32_t>(name.tag) * 32) %
                                  kRecent];
  if (recent < channels_.size() && channels_[recent].name == name) return &channels_[recent];
  Channel* found = look_up(name);
  if (found) recent = static_cast<std::uint32_t>(found - channels_.begin());
  return found;
}

Channel* Messages::look_up(const ChannelName& name) {
  std::uint64_t hash = hash_of_name(name);
  std::int64_t found =
      index_.find(hash, [&](std::uint32_t at) { return channels_[at].name == name; });
  if (found >= 0) return &channels_[static_cast<std::uint32_t>(found)];
  Channel fresh{};
  fresh.name = name;
  if (!channels_.add(fresh)) {
    ++left_out_;
    return nullptr;
  }
  index_.insert(hash, channels_.size() - 1);
  return &channels_.back();
}

Ticket Messages::record(const ChannelName& name, std::int32_t world_peer, Ticket ticket,
                        std::uint64_t number) {
  if (ticket.place < 0) return ticket;
  Message& message = store_[ticket.place];
  message = {};
  message.stamp = ticket.stamp;
  message.sent = name.sent;
  message.partitioned = name.partitioned;
  message.comm = name.comm;
  message.peer = world_peer;
  message.tag = name.tag;
  message.number = number;
  return ticket;
}

Ticket Messages::next(const ChannelName& name, std::int32_t world_peer, std::uint64_t* number) {
  if (name.comm < 0) return {};
  Channel* known = channel(name);
  if (!known || known->unknown) return {};
  Ticket ticket = next_kept(known->kept, store_, number);
  return record(name, world_peer, ticket, *number);
}

Ticket Messages::sent(const ChannelName& name, std::int32_t world_peer) {
  std::uint64_t number = 0;
  return next(name, world_peer, &number);
}

Ticket Messages::received(const ChannelName& name, std::int32_t world_peer, std::uint64_t* number) {
  *number = kUnnumbered;
  if (may_be_lost(name)) {
    if (Channel* known = channel(name)) known->unknown = 1;
    return {};
  }
  if (open_ == 0 || !waits(posted_.size(), name)) return next(name, world_peer, number);
  Posted* place = append(name, Posted::kHeld);
  if (!place) {
    if (Channel* known = channel(name)) known->unknown = 1;
    return {};
  }
  return hold(*place, name, world_peer);
}

Ticket Messages::hold(Posted& place, const ChannelName& name, std::int32_t world_peer) {
  place.name = name;
  place.state = Posted::kHeld;
  place.ticket = record(name, world_peer, store_.add(), kUnnumbered);
  ++held_;
  return place.ticket;
}

std::uint64_t Messages::posted(std::int32_t comm, std::int32_t peer, std::int32_t tag) {
  if (comm < 0) return 0;
  Posted* place = append({comm, peer, tag, 0, 0}, Posted::kOpen);
  if (!place) return 0;
  ++open_;
  return place->posting;
}

Ticket Messages::met(std::uint64_t posting, const ChannelName& name, std::int32_t world_peer,
                     Ticks since) {
  std::int64_t found = place_of(posting);
  if (found < 0) {
    uncertain(name, since);
    return {};
  }
  auto place = static_cast<std::uint32_t>(found);
  --open_;
  Ticket ticket;
  if (may_be_lost(name)) {
    if (Channel* known = channel(name)) known->unknown = 1;
    gone(place);
  } else if (open_ > 0 && waits(place, name)) {
    ticket = hold(posted_[place], name, world_peer);
  } else {
    std::uint64_t number = 0;
    gone(place);
    ticket = next(name, world_peer, &number);
  }
  number_from(place);
  return ticket;
}

void Messages::withdrawn(std::uint64_t posting) {
  std::int64_t found = place_of(posting);
  if (found < 0) return;
  --open_;
  gone(static_cast<std::uint32_t>(found));
  number_from(static_cast<std::uint32_t>(found));
}

void Messages::lost(std::uint64_t posting) {
  std::int64_t found = place_of(posting);
  if (found < 0) return;
  auto place = static_cast<std::uint32_t>(found);
  if (!lost_.add(posted_[place].name)) all_lost_ = true;
  --open_;
  gone(place);
  number_from(place);
}

void Messages::withdrawn(const ChannelName& name, std::uint64_t number, Ticks since) {
  Channel* known = name.comm < 0 ? nullptr : channel(name);
  if (!known) return;
  if (number == kUnnumbered) {
    uncertain(name, since);
    return;
  }
  // Those after it have met the messages before theirs.
  Kept& kept = known->kept;
  std::uint32_t left = 0;
  for (std::uint32_t at = 0; at < kept.kept; ++at) {
    std::uint64_t own = kept.numbers[at];
    auto place = static_cast<std::int32_t>(kept.places[at]);
    if (own == number || (own > number && !kept.keeps(own - 1))) {
      store_.drop(place);
      continue;
    }
    if (own > number) store_[place].number = --own;
    kept.numbers[left] = own;
    kept.places[left++] = static_cast<std::uint32_t>(place);
  }
  kept.kept = left;
  --kept.count;
}

// What was posted later may have the number of another one.
void Messages::uncertain(const ChannelName& name, Ticks since) {
  Channel* known = name.comm < 0 ? nullptr : channel(name);
  if (!known) return;
  known->unknown = 1;
  Kept& kept = known->kept;
  std::uint32_t left = 0;
  for (std::uint32_t at = 0; at < kept.kept; ++at) {
    auto place = static_cast<std::int32_t>(kept.places[at]);
    if (store_[place].posted >= since) {
      store_.drop(place);
      continue;
    }
    kept.numbers[left] = kept.numbers[at];
    kept.places[left++] = kept.places[at];
  }
  kept.kept = left;
}

bool Messages::may_be_lost(const ChannelName& name) const {
  if (all_lost_) return true;
  for (const ChannelName& wildcards : lost_) {
    if (may_meet(wildcards, name)) return true;
  }
  return false;
}

// Was one posted before this place that may have met a message of this channel?
bool Messages::waits(std::uint32_t place, const ChannelName& name) const {
  for (std::uint32_t at = 0; at < place; ++at) {
    if (posted_[at].state == Posted::kOpen && may_meet(posted_[at].name, name)) return true;
  }
  return false;
}

std::int64_t Messages::place_of(std::uint64_t posting) const {
  const Posted* found =
      std::lower_bound(posted_.begin(), posted_.end(), posting,
                       [](const Posted& one, std::uint64_t than) { return one.posting < than; });
  if (posting == 0 || found == posted_.end() || found->posting != posting) return -1;
  return found - posted_.begin();
}

Messages::Posted* Messages::append(const ChannelName& name, Posted::State state) {
  if (posted_.full() || posted_.size() > 2 * (open_ + held_) + 16) {  // without those gone
    std::uint32_t left = 0;
    for (const Posted& one : posted_) {
      if (one.state != Posted::kGone) posted_[left++] = one;
    }
    posted_.shrink(left);
  }
  if (!posted_.add({++postings_, name, state, {}})) return nullptr;
  return &posted_.back();
}

void Messages::gone(std::uint32_t place) {
  posted_[place].state = Posted::kGone;
  if (open_ == 0 && held_ == 0) posted_.shrink(0);
}

// Numbers of those that were held, from this place on.
void Messages::number_from(std::uint32_t place) {
  for (std::uint32_t at = place; held_ > 0 && at < posted_.size(); ++at) {
    Posted one = posted_[at];
    if (one.state != Posted::kHeld || waits(at, one.name)) continue;
    --held_;
    gone(at);
    Channel* known = channel(one.name);
    Message* message = store_.find(one.ticket);
    if (!known) continue;
    std::uint64_t number = known->kept.count++;
    if (!message) continue;
    if (!known->unknown && !may_be_lost(one.name) && make_room(known->kept, store_, number)) {
      message->number = number;
      keep(known->kept, number, one.ticket.place);
    } else {
      store_.drop(one.ticket.place);
    }
  }
}

Ticket Meetings::next(std::int32_t comm, bool window) {
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(comm) << 1 | (window ? 1 : 0));
  std::int64_t found = index_.find(hash, [&](std::uint32_t at) {
    return series_[at].comm == comm && (series_[at].window != 0) == window;
  });
  if (found < 0) {
    Series fresh{};
    fresh.comm = comm;
    fresh.window = window;
    if (!series_.add(fresh)) {
      ++left_out_;
      return {};
    }
    found = series_.size() - 1;
    index_.insert(hash, static_cast<std::uint32_t>(found));
  }
  std::uint64_t number = 0;
  Ticket ticket = next_kept(series_[static_cast<std::uint32_t>(found)].kept, store_, &number);
  if (ticket.place < 0) return {};
  Meeting& meeting = store_[ticket.place];
  meeting = {};
  meeting.stamp = ticket.stamp;
  meeting.comm = comm;
  meeting.window = window;
  meeting.number = number;
  return ticket;
}

}  // namespace recorder
