// Messages, from the call that starts them.

#include "hooks.hpp"

namespace recorder {

namespace {

// Blocking messages that follow each other no later than this are one exchange.
constexpr double kTogether = 20'000;  // ns
// An exchange that never comes to an end, for a receive stays open, is cut here.
constexpr std::uint32_t kLongest = 512;

void begin_episode(Call& call, Episode& episode) {
  episode.begin(call.thread(), ++call.run().serials);
}

// Does a row of blocking messages have one from the same place, with the same peer, already? Tags
// and sizes may be others each time.
bool goes_round(const Call& call, Episode& episode) {
  std::int32_t peer = call.world(call.rank());
  for (std::uint32_t at = 0; at < episode.links(); ++at) {
    const Link& link = episode.link(at);
    const Signature& other = call.run().calls[static_cast<std::uint32_t>(link.call)].signature;
    if (other.site == call.signature().site && other.function == call.signature().function &&
        (link.peer == peer || call.rank() < 0)) {
      return true;
    }
  }
  return false;
}

// The exchange that a call belongs to.
Episode& episode_of(Call& call, bool blocking) {
  Episode& episode = *call.thread().episode;
  bool again = call.run().calls[call.number()].completed_in == episode.serial();
  if (episode.lingering()) {
    if (!blocking || nanoseconds(call.gap()) > kTogether || goes_round(call, episode))
      episode.close();
  } else if (episode.open()) {
    // What is complete begins once more, though other requests are still open: the next time.
    if ((again && !blocking) || episode.links() >= kLongest) episode.close();
  }
  if (!episode.open()) begin_episode(call, episode);
  return episode;
}

Link link_of(const Call& call, LinkKind kind) {
  const Signature& signature = call.signature();
  Link link;
  link.kind = kind;
  link.comm = call.comm();
  link.peer = call.rank() == MPI_ANY_SOURCE ? kAny : call.world(call.rank());
  link.tag = signature.tag;
  link.layout = signature.layout;
  link.count = signature.count;
  link.bytes = signature.count * call.run().layouts.bytes(signature.layout);
  if (signature.partitions != kAbsent) {
    link.count *= signature.partitions;
    link.bytes *= signature.partitions;
  }
  link.call = static_cast<std::int32_t>(call.number());
  return link;
}

Link other_link_of(const Call& call, LinkKind kind) {
  const Signature& signature = call.signature();
  Link link = link_of(call, kind);
  link.peer = call.other_rank() == MPI_ANY_SOURCE ? kAny : call.world(call.other_rank());
  link.tag = signature.other_tag;
  if (signature.other_layout != kAbsent) {
    link.layout = signature.other_layout;
    link.count = signature.other_count;
    link.bytes = signature.other_count * call.run().layouts.bytes(signature.other_layout);
  }
  return link;
}

// What came, and whose it was.
void fill(const Call& call, Link& link, const MPI_Status& status) {
  link.peer = call.world(status.MPI_SOURCE);
  link.tag = status.MPI_TAG;
  if (std::int64_t bytes = bytes_in(status); bytes >= 0) link.bytes = bytes;
}

void kept_message(Call& call, Episode& episode, const Link& link, int peer) {
  Messages& messages = call.run().messages;
  Ticket ticket;
  std::uint64_t number = 0;
  if (link.kind == LinkKind::kSend) {
    ticket = messages.sent({link.comm, peer, link.tag, 1, 0}, link.peer);
  } else if (call.matched()) {
    ticket = call.matched()->ticket;
  } else {
    ticket = messages.received({link.comm, peer, link.tag, 0, 0}, link.peer, &number);
  }
  if (Message* message = call.run().messages.find(ticket)) {
    message->posted = message->waited = call.entered();
    message->done = call.left();
    episode.kept(ticket);
  }
}

void blocking_link(Call& call, Episode& episode, Link link) {
  link.complete = 1;
  if (episode.add(link, false) < 0) return;
  call.run().calls[call.number()].completed_in = episode.serial();
}

void end_blocking(Call& call, Episode& episode) {
  episode.started(call.time(), kBlocking);
  episode.called(call.number(), call.own());
  episode.touched();
}

}  // namespace

void sent(Call& call) {
  if (call.rank() == MPI_PROC_NULL) return;
  Episode& episode = episode_of(call, true);
  Link link = link_of(call, LinkKind::kSend);
  blocking_link(call, episode, link);
  kept_message(call, episode, link, call.rank());
  end_blocking(call, episode);
}

void received(Call& call, const MPI_Status& status) {
  if (call.rank() == MPI_PROC_NULL || status.MPI_SOURCE == MPI_PROC_NULL) return;
  Episode& episode = episode_of(call, true);
  Link link = link_of(call, LinkKind::kReceive);
  fill(call, link, status);
  blocking_link(call, episode, link);
  kept_message(call, episode, link, status.MPI_SOURCE);
  end_blocking(call, episode);
}

void exchanged(Call& call, const MPI_Status& status) {
  bool out = call.rank() != MPI_PROC_NULL;
  bool in = call.other_rank() != MPI_PROC_NULL;
  if (!out && !in) return;
  Episode& episode = episode_of(call, true);
  if (out) {
    Link link = link_of(call, LinkKind::kSend);
    blocking_link(call, episode, link);
    kept_message(call, episode, link, call.rank());
  }
  if (in && status.MPI_SOURCE != MPI_PROC_NULL) {
    Link link = other_link_of(call, LinkKind::kReceive);
    fill(call, link, status);
    blocking_link(call, episode, link);
    kept_message(call, episode, link, status.MPI_SOURCE);
  }
  end_blocking(call, episode);
}

namespace {

// Which message of its channel it is, as far as that is known when it begins.
void number_message(Call& call, Request& request) {
  if (request.matched) return;
  Messages& messages = call.run().messages;
  const Link& link = request.link;
  ChannelName name{link.comm, request.peer, link.tag, 0, request.partitioned};
  request.ticket = {};
  if (link.kind == LinkKind::kSend) {
    name.sent = 1;
    request.ticket = messages.sent(name, link.peer);
  } else if (request.wildcard) {
    std::int32_t source = request.peer == MPI_ANY_SOURCE ? kAny : request.peer;
    request.posting = messages.posted(link.comm, source, link.tag);
  } else {
    request.ticket = messages.received(name, link.peer, &request.number);
  }
}

// A request that is under way from now on.
void under_way(Call& call, Request& request, std::uint32_t way) {
  Episode& episode = episode_of(call, false);
  request.active = 1;
  request.posted = call.entered();
  request.episode = &episode;
  request.serial = 0;
  if (!request.no_peer) {
    Link link = request.link;
    link.complete = 0;
    link.call = static_cast<std::int32_t>(call.number());
    std::int64_t place = episode.add(link, true);
    if (place < 0) {
      episode.close();
      begin_episode(call, episode);
      place = episode.add(link, true);
    }
    request.place = static_cast<std::uint32_t>(place);
    request.serial = episode.serial();
    number_message(call, request);
    if (Message* message = call.run().messages.find(request.ticket)) {
      message->posted = call.entered();
      episode.kept(request.ticket);
    }
  }
  episode.started(0, way);
}

}  // namespace

void exchange_under_way(Call& call, Request& request, std::uint32_t way) {
  Episode& episode = episode_of(call, false);
  request.active = 1;
  request.posted = call.entered();
  request.episode = &episode;
  request.place = episode.links();
  request.serial = episode.serial();
  for (std::int32_t at = 0; at < request.links; ++at) {
    Link link = call.run().requests.link(request.first_link + at);
    link.call = static_cast<std::int32_t>(call.number());
    episode.add(link, false);
  }
  episode.add_under_way(1);
  episode.started(0, way);
}

void end_start(Call& call) {
  Episode& episode = *call.thread().episode;
  if (!episode.open()) return;
  episode.started(call.time(), 0);
  episode.called(call.number(), call.own());
  episode.touched();
}

namespace {

Request* message_request(Call& call, LinkKind kind, MPI_Request handle) {
  Request* request = call.run().requests.add(handle);
  if (!request) return nullptr;
  request->link = link_of(call, kind);
  request->peer = call.rank();
  request->no_peer = call.rank() == MPI_PROC_NULL;
  request->wildcard =
      kind == LinkKind::kReceive && (call.rank() == MPI_ANY_SOURCE || call.tag() == MPI_ANY_TAG);
  return request;
}

}  // namespace

void started(Call& call, LinkKind kind, MPI_Request handle) {
  Request* request = message_request(call, kind, handle);
  if (!request) return;
  if (const Probed::Found* found = call.matched()) {  // what it receives is known
    request->wildcard = 0;
    request->matched = 1;
    request->ticket = found->ticket;
    request->peer = found->met_source;
    request->link.peer = call.world(found->met_source);
    request->link.tag = found->met_tag;
  }
  if (!request->no_peer) {
    under_way(call, *request, kNonblocking);
  } else {
    request->active = 1;
  }
  end_start(call);
}

// What it receives is the request's message, if it receives at all; what it sends comes with it.
void started_both(Call& call, MPI_Request handle) {
  Request* request = call.run().requests.add(handle);
  if (!request) return;
  bool out = call.rank() != MPI_PROC_NULL;
  bool in = call.other_rank() != MPI_PROC_NULL;
  request->link = in ? other_link_of(call, LinkKind::kReceive) : link_of(call, LinkKind::kSend);
  request->peer = in ? call.other_rank() : call.rank();
  request->no_peer = !in && !out;
  request->both = 1;
  request->wildcard =
      in && (call.other_rank() == MPI_ANY_SOURCE || call.other_tag() == MPI_ANY_TAG);
  if (request->no_peer) {
    request->active = 1;
    return;
  }
  under_way(call, *request, kNonblocking);
  if (in && out) {
    Episode& episode = *request->episode;
    Link link = link_of(call, LinkKind::kSend);
    request->second = episode.add(link, false);
    request->second_ticket =
        call.run().messages.sent({link.comm, call.rank(), link.tag, 1, 0}, link.peer);
    if (Message* message = call.run().messages.find(request->second_ticket)) {
      message->posted = call.entered();
      episode.kept(request->second_ticket);
    }
  }
  end_start(call);
}

void defined(Call& call, LinkKind kind, MPI_Request handle, bool partitioned) {
  if (Request* request = message_request(call, kind, handle)) {
    request->persistent = 1;
    request->partitioned = partitioned;
  }
}

void begun(Call& call, std::int64_t count, const MPI_Request* handles) {
  Requests& requests = call.run().requests;
  for (std::int64_t at = 0; at < count; ++at) {
    std::int32_t place = requests.find(handles[at]);
    if (place < 0) continue;
    Request& request = requests[place];
    switch (request.kind) {
      case RequestKind::kMessage:
        if (request.no_peer) {
          request.active = 1;
        } else {
          under_way(call, request, request.partitioned ? kPartitioned : kPersistent);
        }
        break;
      case RequestKind::kExchange: exchange_under_way(call, request, kNeighborPersistent); break;
      case RequestKind::kCollective:
        request.active = 1;
        request.ticket = call.run().meetings.next(request.link.comm, false);
        if (Meeting* meeting = call.run().meetings.find(request.ticket)) {
          meeting->call = static_cast<std::int32_t>(call.number());
          meeting->bytes = request.link.bytes;
          meeting->enter = call.entered();
        }
        break;
      default: break;
    }
  }
  end_start(call);
}

void readied(Call& call, MPI_Request) {
  end_start(call);
}

void arrived(Call& call, MPI_Request) {
  Episode& episode = *call.thread().episode;
  if (!episode.open()) return;
  episode.finishing(call.time(), kTest);
  episode.called(call.number(), call.own());
  episode.touched();
}

}  // namespace recorder
