// Calls that complete requests, or ask whether they are.

#include "hooks.hpp"

namespace recorder {

#if defined(OMPI_MAJOR_VERSION)
constexpr bool kBothSay = true;

std::int64_t bytes_in(const MPI_Status& status) {
  return static_cast<std::int64_t>(status._ucount);
}
#elif defined(MPICH_NUMVERSION) && !defined(MPI_ABI_VERSION)
constexpr bool kBothSay = false;

std::int64_t bytes_in(const MPI_Status& status) {
  auto high = static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1;
  return static_cast<std::int64_t>(high) << 32 | static_cast<std::uint32_t>(status.count_lo);
}
#else
constexpr bool kBothSay = false;

std::int64_t bytes_in(const MPI_Status& status) {
  static const MPI_Datatype byte = MPI_BYTE;
  MPI_Count bytes = 0;
  if (PMPI(Get_elements_x)(&status, byte, &bytes) != MPI_SUCCESS || bytes < 0) return -1;
  return bytes;
}
#endif

namespace {

MPI_Request null_request() {
  static const MPI_Request null = MPI_REQUEST_NULL;
  return null;
}

}  // namespace

Completion::Completion(Call& call, std::int64_t count, const MPI_Request* requests,
                       MPI_Status* statuses, std::uint32_t finish, bool several)
    : call_(call),
      count_(count < 0 ? 0 : count),
      requests_(call.thread().scratch->requests),
      statuses_(statuses),
      finish_(finish) {
  requests_.shrink(0);
  MPI_Request* room =
      count_ > Scratch::kMost ? nullptr : requests_.add_many(static_cast<std::uint32_t>(count_));
  if (!room) {
    count_ = 0;
    return;
  }
  bool ignored = statuses == (several ? MPI_STATUSES_IGNORE : MPI_STATUS_IGNORE);
  bool wanted = false;
  const MPI_Request null = null_request();
  for (std::int64_t at = 0; at < count_; ++at) {
    room[at] = requests[at];
    if (!ignored || wanted || requests[at] == null) continue;
    std::int32_t place = call.run().requests.find(requests[at]);
    if (place < 0) continue;
    const Request& request = call.run().requests[place];
    wanted = request.kind == RequestKind::kMessage && request.link.kind == LinkKind::kReceive;
  }
  if (wanted) statuses_ = call.thread().scratch->statuses.begin();
}

void Completion::complete(std::int64_t index, const MPI_Status* status) {
  MPI_Request handle = requests_[static_cast<std::uint32_t>(index)];
  if (handle == null_request()) return;
  Recording& run = call_.run();
  std::int32_t place = run.requests.find(handle);
  if (place < 0) return;
  Request& request = run.requests[place];
  if (!request.active) return;
  bool ignored = status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE;
  Episode* episode =
      request.episode && request.episode->open() && request.episode->serial() == request.serial
          ? request.episode
          : nullptr;
  switch (request.kind) {
    case RequestKind::kMessage: {
      if (request.no_peer) break;
      Link link = request.link;
      bool receives = link.kind == LinkKind::kReceive && !ignored && !request.partitioned;
      bool nothing = false;
      if (receives && request.cancelled) {
        int cancelled = 0;
        PMPI(Test_cancelled)(status, &cancelled);
        nothing = cancelled != 0;
      }
      if (nothing) {
        link.kind = LinkKind::kCancelled;
        if (episode) episode->cancelled();
        if (request.wildcard) {
          run.messages.withdrawn(request.posting);
        } else {
          run.messages.withdrawn({link.comm, request.peer, link.tag, 0, 0}, request.number,
                                 request.posted);
        }
        request.ticket = {};
      } else if (receives) {
        // MPICH does not say how much an Isendrecv has received: it stays what it takes at most.
        std::int64_t bytes = request.both && !kBothSay ? -1 : bytes_in(*status);
        if (bytes >= 0) link.bytes = bytes;
        if (request.wildcard) {
          link.tag = status->MPI_TAG;
          link.peer = link.comm < 0 ? -1
                                    : run.communicators.world_rank(run.communicators[link.comm],
                                                                   status->MPI_SOURCE);
          request.ticket =
              run.messages.met(request.posting, {link.comm, status->MPI_SOURCE, link.tag, 0, 0},
                               link.peer, request.posted);
          if (Message* message = run.messages.find(request.ticket)) {
            message->posted = request.posted;
            if (episode) episode->kept(request.ticket);
          }
        }
      }
      if (Message* message = run.messages.find(request.ticket)) {
        message->waited = call_.entered();
        message->done = call_.left();
      }
      if (Message* message = run.messages.find(request.second_ticket)) {
        message->waited = call_.entered();
        message->done = call_.left();
      }
      if (episode) {
        if (request.second >= 0)
          episode->link(static_cast<std::uint32_t>(request.second)).complete = 1;
        Link& own = episode->link(request.place);
        link.call = own.call;
        link.complete = 1;
        own = link;
        episode->add_under_way(-1);
        run.calls[static_cast<std::uint32_t>(link.call)].completed_in = episode->serial();
      }
      break;
    }
    case RequestKind::kExchange:
      if (episode) {
        episode->add_under_way(-1);
        if (request.links > 0) {
          std::int32_t started_by = episode->link(request.place).call;
          if (started_by >= 0)
            run.calls[static_cast<std::uint32_t>(started_by)].completed_in = episode->serial();
        }
      }
      if (Meeting* meeting = run.meetings.find(request.ticket)) meeting->leave = call_.left();
      break;
    case RequestKind::kCollective:
      if (Meeting* meeting = run.meetings.find(request.ticket)) meeting->leave = call_.left();
      break;
    case RequestKind::kAccess: break;
    case RequestKind::kNewComm:
      run.communicators.made(*request.comm, request.link.comm, Function::Comm_idup, request.key,
                             false);
      break;
  }
  if (episode) {
    bool known = false;
    for (std::uint32_t at = 0; at < touched_count_; ++at) known = known || touched_[at] == episode;
    if (!known && touched_count_ < 4) touched_[touched_count_++] = episode;
  }
  if (request.persistent) {
    request.active = request.cancelled = 0;
  } else {
    run.requests.remove(place);
  }
}

void Completion::end() {
  for (std::uint32_t at = 0; at < touched_count_; ++at) {
    Episode& episode = *touched_[at];
    if (!episode.open()) continue;
    episode.finishing(at == 0 ? call_.time() : 0, finish_);
    episode.called(call_.number(), call_.own());
    episode.touched();
    // A window's ends where its epoch does.
    if (episode.under_way() == 0 && !episode.of_window()) episode.close();
  }
}

void Completion::all() {
  bool ignored = statuses_ == MPI_STATUSES_IGNORE || statuses_ == MPI_STATUS_IGNORE;
  for (std::int64_t at = 0; at < count_; ++at) complete(at, ignored ? statuses_ : statuses_ + at);
  end();
}

void Completion::one(std::int64_t index) {
  if (index >= 0 && index < count_) complete(index, statuses_);
  end();
}

void Completion::some(std::int64_t count, const int* indices) {
  bool ignored = statuses_ == MPI_STATUSES_IGNORE;
  for (std::int64_t at = 0; at < count && indices[at] >= 0 && indices[at] < count_; ++at) {
    complete(indices[at], ignored ? statuses_ : statuses_ + at);
  }
  end();
}

void Completion::none() {
  for (std::uint32_t at = 0; at < count_; ++at) {
    std::int32_t place =
        requests_[at] == null_request() ? -1 : call_.run().requests.find(requests_[at]);
    if (place < 0) continue;
    const Request& request = call_.run().requests[place];
    if (!request.active || !request.episode || !request.episode->open() ||
        request.episode->serial() != request.serial) {
      continue;
    }
    request.episode->finishing(call_.time(), finish_);
    request.episode->asked(call_.own());
    request.episode->touched();
    return;
  }
}

void cancelled(Call& call, MPI_Request handle) {
  std::int32_t place = call.run().requests.find(handle);
  if (place >= 0) call.run().requests[place].cancelled = 1;
}

void dropped(Call& call, MPI_Request handle) {
  Requests& requests = call.run().requests;
  // If several requests have one handle, the program frees the one that it has just made.
  std::int32_t before = -1;
  std::int32_t place = requests.find_last(handle, &before);
  if (place < 0) return;
  Request& request = requests[place];
  if (request.active && request.wildcard) call.run().messages.lost(request.posting);
  if (request.active && request.episode && request.episode->open() && request.serial != 0 &&
      request.episode->serial() == request.serial) {
    request.episode->add_under_way(-1);
    request.episode->called(call.number(), call.own());
    request.episode->touched();
    if (request.episode->under_way() == 0) request.episode->close();
  }
  requests.remove_last(place, before);
}

}  // namespace recorder
