// Requests under way, and what is known of each.
#pragma once

#include "bounded.hpp"
#include "communicators.hpp"
#include "mpi.hpp"
#include "shapes.hpp"

namespace recorder {

enum class RequestKind : std::uint8_t {
  kMessage,
  kExchange,    // a neighbourhood collective
  kCollective,  // another one
  kAccess,      // to a window
  kNewComm,     // a communicator that is being made
};

struct Request {
  std::uint64_t handle = 0;
  std::int32_t next = -1;  // another one with the same handle, begun later
  std::int32_t last = -1;  // of those, if this is the first
  RequestKind kind = RequestKind::kMessage;
  std::uint8_t persistent = 0;
  std::uint8_t partitioned = 0;
  std::uint8_t active = 0;
  std::uint8_t wildcard = 0;
  std::uint8_t cancelled = 0;  // somebody wanted that
  std::uint8_t no_peer = 0;    // MPI_PROC_NULL: nothing moves
  std::uint8_t both = 0;       // it sends, too
  std::uint8_t matched = 0;    // its message was met by a probe, and has its ticket
  std::int32_t peer = 0;       // of the communicator
  Link link;
  std::int32_t first_link = -1;  // of an exchange
  std::int32_t links = 0;
  std::uint32_t place = 0;  // of its first link in the episode
  Episode* episode = nullptr;
  std::uint32_t serial = 0;   // of the episode that it belongs to
  Ticket ticket;              // of its message or meeting
  std::uint64_t number = 0;   // of the message in its channel
  std::uint64_t posting = 0;  // of a receive with wildcards
  std::int64_t second = -1;   // the place in the episode of what it sends besides receiving
  Ticket second_ticket;
  Ticks posted = 0;
  MPI_Comm* comm = nullptr;  // where the new communicator will be
  Key key{};
};

class Requests {
 public:
  static constexpr std::uint32_t kMost = 32768;
  Requests()
      : requests_(kMost), free_(kMost), handles_(kMost), links_(1 << 16), known_links_(4096) {}

  // Null: there is no room.
  Request* add(MPI_Request handle) {
    std::uint32_t place;
    if (free_.size() > 0) {
      place = free_.back();
      free_.shrink(free_.size() - 1);
    } else if (requests_.add({})) {
      place = requests_.size() - 1;
    } else {
      ++left_out_;
      return nullptr;
    }
    Request& request = requests_[place];
    request = {};
    request.handle = number_of(handle);
    std::int32_t same = handles_.find(request.handle);
    if (same < 0) {
      handles_.set(request.handle, place);
    } else {  // MPICH has one handle for all sends that are complete as soon as they have begun
      Request& first = (*this)[same];
      (*this)[first.last >= 0 ? first.last : same].next = static_cast<std::int32_t>(place);
      first.last = static_cast<std::int32_t>(place);
    }
    return &request;
  }
  // The first one begun with this handle, or -1.
  std::int32_t find(MPI_Request handle) const { return handles_.find(number_of(handle)); }
  Request& operator[](std::int32_t place) { return requests_[static_cast<std::uint32_t>(place)]; }
  // It must be the first with its handle.
  void remove(std::int32_t place) {
    Request& request = (*this)[place];
    if (request.next >= 0) {
      if (request.next != request.last) (*this)[request.next].last = request.last;
      handles_.set(request.handle, static_cast<std::uint32_t>(request.next));
    } else {
      handles_.erase(request.handle);
    }
    request.handle = 0;
    free_.add(static_cast<std::uint32_t>(place));
  }

  // The last one begun with this handle, or -1; `before`: the one before it, or -1.
  std::int32_t find_last(MPI_Request handle, std::int32_t* before) {
    *before = -1;
    std::int32_t place = find(handle);
    while (place >= 0 && (*this)[place].next >= 0) {
      *before = place;
      place = (*this)[place].next;
    }
    return place;
  }
  void remove_last(std::int32_t place, std::int32_t before) {
    if (before < 0) {
      remove(place);
      return;
    }
    Request& first = (*this)[handles_.find((*this)[place].handle)];
    (*this)[before].next = -1;
    first.last = &first == &(*this)[before] ? -1 : before;
    (*this)[place].handle = 0;
    free_.add(static_cast<std::uint32_t>(place));
  }

  // Links of persistent exchanges, the same ones once: -1 if there is no room.
  std::int32_t add_links(const Link* links, std::uint32_t count) {
    std::uint64_t hash = hash_of(links, count * sizeof(Link));
    std::int32_t known = known_links_.find(hash);
    if (known >= 0) return known;
    std::uint32_t first = links_.size();
    Link* room = links_.add_many(count);
    if (!room) return -1;
    __builtin_memcpy(static_cast<void*>(room), links, count * sizeof(Link));
    known_links_.set(hash, first);
    return static_cast<std::int32_t>(first);
  }
  const Link& link(std::int32_t place) const { return links_[static_cast<std::uint32_t>(place)]; }
  std::uint32_t size() const { return requests_.size(); }
  std::uint64_t left_out() const { return left_out_; }

 private:
  Bounded<Request> requests_;
  Bounded<std::uint32_t> free_;
  HandleMap handles_;
  Bounded<Link> links_;
  HandleMap known_links_;
  std::uint64_t left_out_ = 0;
};

}  // namespace recorder
