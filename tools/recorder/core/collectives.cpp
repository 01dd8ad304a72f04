// Collectives: when this rank came to each, and what it brought; and those between neighbours,
// which are exchanges, too.

#include "hooks.hpp"

namespace recorder {

namespace {

std::int64_t contribution(const Call& call) {
  const Signature& signature = call.signature();
  if (signature.count == kNoCount) return 0;
  // Datatypes that differ are counted in bytes.
  return signature.layout == kAbsent ? signature.count
                                     : signature.count * call.run().layouts.bytes(signature.layout);
}

Ticket meet(Call& call, Ticks leave) {
  Ticket ticket = call.run().meetings.next(call.comm(), false);
  if (Meeting* meeting = call.run().meetings.find(ticket)) {
    meeting->call = static_cast<std::int32_t>(call.number());
    meeting->bytes = contribution(call);
    meeting->enter = call.entered();
    meeting->leave = leave;
  }
  return ticket;
}

}  // namespace

void all_data(Call& call, Counts counts, MPI_Datatype type) {
  if (!counts || call.comm() < 0) return;
  const Communicator& comm = call.communicator();
  std::int32_t ranks = comm.remote_size > 0 ? comm.remote_size : comm.size;
  std::int64_t sum = 0;
  for (std::int32_t at = 0; at < ranks; ++at) sum += counts[at];
  call.data(sum, type);
}

void all_data(Call& call, Counts counts, const MPI_Datatype* types) {
  if (!counts || call.comm() < 0) return;
  const Communicator& comm = call.communicator();
  std::int32_t ranks = comm.remote_size > 0 ? comm.remote_size : comm.size;
  std::int64_t sum = 0;
  for (std::int32_t at = 0; at < ranks; ++at) {
    if (counts[at] > 0)
      sum += counts[at] * call.run().layouts.bytes(call.run().layouts.number(types[at]));
  }
  call.data(sum);
}

void met(Call& call) {
  if (call.comm() >= 0) meet(call, call.left());
}

void met_later(Call& call, MPI_Request handle) {
  if (call.comm() < 0) return;
  Ticket ticket = meet(call, 0);
  if (Request* request = call.run().requests.add(handle)) {
    request->kind = RequestKind::kCollective;
    request->active = 1;
    request->ticket = ticket;
  }
}

void met_often(Call& call, MPI_Request handle) {
  if (call.comm() < 0) return;
  if (Request* request = call.run().requests.add(handle)) {
    request->kind = RequestKind::kCollective;
    request->persistent = 1;
    request->link.comm = call.comm();
    request->link.bytes = contribution(call);
  }
}

namespace {

void put_link(Call& call, Bounded<Link>& links, LinkKind kind, std::int32_t neighbor,
              std::int32_t at, const Side& side) {
  if (neighbor == MPI_PROC_NULL) return;
  Layouts& layouts = call.run().layouts;
  Link link;
  link.kind = kind;
  link.comm = call.comm();
  link.peer = call.world(neighbor);
  link.layout = layouts.number(side.several ? side.type[at] : *side.type);
  link.count = side.counts ? side.counts[at] : side.count;
  link.bytes = link.count * layouts.bytes(link.layout);
  link.call = static_cast<std::int32_t>(call.number());
  links.add(link);
}

Bounded<Link>& links_of(Call& call, MPI_Comm comm, const Side& out, const Side& in) {
  Bounded<Link>& links = call.thread().scratch->links;
  links.shrink(0);
  Communicators& all = call.run().communicators;
  Communicator& own = call.communicator();
  all.find_neighbors(comm, own);
  for (std::int32_t at = 0; at < own.destinations; ++at) {
    put_link(call, links, LinkKind::kSend, all.member(own.first_destination + at), at, out);
  }
  for (std::int32_t at = 0; at < own.sources; ++at) {
    put_link(call, links, LinkKind::kReceive, all.member(own.first_source + at), at, in);
  }
  return links;
}

Request* exchange_request(Call& call, const Bounded<Link>& links, MPI_Request handle) {
  Request* request = call.run().requests.add(handle);
  if (!request) return nullptr;
  request->kind = RequestKind::kExchange;
  request->link.comm = call.comm();
  request->first_link = call.run().requests.add_links(links.begin(), links.size());
  request->links = request->first_link < 0 ? 0 : static_cast<std::int32_t>(links.size());
  return request;
}

}  // namespace

void neighbors(Call& call, MPI_Comm comm, const Side& out, const Side& in) {
  if (call.comm() < 0) return;
  meet(call, call.left());
  Bounded<Link>& links = links_of(call, comm, out, in);
  Episode& episode = *call.thread().whole;
  episode.begin(call.thread(), ++call.run().serials);
  for (Link& link : links) {
    link.complete = 1;
    episode.add(link, false);
  }
  episode.started(call.time(), kNeighbor);
  episode.called(call.number(), call.own());
  episode.touched();
  episode.close();
}

void neighbors_later(Call& call, MPI_Comm comm, const Side& out, const Side& in,
                     MPI_Request handle) {
  if (call.comm() < 0) return;
  Ticket ticket = meet(call, 0);
  Request* request = exchange_request(call, links_of(call, comm, out, in), handle);
  if (!request) return;
  exchange_under_way(call, *request, kNeighborNonblocking);
  request->ticket = ticket;
  end_start(call);
}

void neighbors_often(Call& call, MPI_Comm comm, const Side& out, const Side& in,
                     MPI_Request handle) {
  if (call.comm() < 0) return;
  if (Request* request = exchange_request(call, links_of(call, comm, out, in), handle)) {
    request->persistent = 1;
  }
}

}  // namespace recorder
