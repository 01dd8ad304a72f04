#include "messages.hpp"

namespace recorder {

namespace {

std::uint64_t channel_hash(std::int32_t comm, std::int32_t peer, std::int32_t tag, bool sent,
                           bool partitioned) {
  return mixed(
      mixed(static_cast<std::uint64_t>(comm) << 2 | (sent ? 2 : 0) | (partitioned ? 1 : 0)),
      static_cast<std::uint64_t>(peer) << 32 | static_cast<std::uint32_t>(tag));
}

}  // namespace

Channel* Messages::find_channel(std::uint64_t hash, std::int32_t comm, std::int32_t peer,
                                std::int32_t tag, bool sent, bool partitioned) {
  std::int64_t found = index_.find(hash, [&](std::uint32_t at) {
    const Channel& one = channels_[at];
    return one.comm == comm && one.peer == peer && one.tag == tag && (one.sent != 0) == sent &&
           (one.partitioned != 0) == partitioned;
  });
  return found < 0 ? nullptr : &channels_[static_cast<std::uint32_t>(found)];
}

void Messages::uncertain(std::int32_t comm, std::int32_t peer, std::int32_t tag) {
  Channel* channel =
      find_channel(channel_hash(comm, peer, tag, false, false), comm, peer, tag, false, false);
  if (channel) channel->wildcard = channel->named = 1;
}

Ticket Messages::next(std::int32_t comm, std::int32_t peer, std::int32_t world_peer,
                      std::int32_t tag, bool sent, bool partitioned, bool wildcard) {
  std::uint64_t hash = channel_hash(comm, peer, tag, sent, partitioned);
  Channel* known = find_channel(hash, comm, peer, tag, sent, partitioned);
  if (!known) {
    Channel fresh{};
    fresh.comm = comm;
    fresh.peer = peer;
    fresh.tag = tag;
    fresh.sent = sent;
    fresh.partitioned = partitioned;
    if (!channels_.add(fresh)) {
      ++left_out_;
      return {};
    }
    known = &channels_.back();
    index_.insert(hash, channels_.size() - 1);
  }
  Channel& channel = *known;
  (wildcard ? channel.wildcard : channel.named) = 1;
  if (!sent && channel.wildcard && channel.named) {
    ++channel.kept.count;
    return {};
  }
  std::uint64_t number = 0;
  Ticket ticket = next_kept(channel.kept, store_, &number);
  if (ticket.place < 0) return {};
  Message& message = store_[ticket.place];
  message = {};
  message.stamp = ticket.stamp;
  message.sent = sent;
  message.partitioned = partitioned;
  message.comm = comm;
  message.peer = world_peer;
  message.tag = tag;
  message.number = number;
  return ticket;
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
