// Windows: what is put and got in an epoch is an exchange that ends with it.

#include "windows.hpp"

#include "hooks.hpp"

#include <new>

namespace recorder {

bool Windows::has_episode(Window& window) {
  if (window.episode) return true;
  if (unused_.size() > 0) {
    window.episode = unused_.back();
    unused_.shrink(unused_.size() - 1);
  } else if (void* room = reserve(sizeof(Episode))) {
    window.episode = new (room) Episode;
    window.episode->set_of_window();
  } else {
    ++left_out_;
  }
  return window.episode != nullptr;
}

void window_made(Call& call, MPI_Win handle, const char* flavour, std::int64_t bytes) {
  Key key = call.run().communicators.child_key(call.comm());
  call.run().windows.made(handle, call.comm(), flavour, bytes, key);
}

namespace {

Window* window_of(Call& call) {
  Windows& windows = call.run().windows;
  return call.win() >= 0 && windows.has_episode(windows[call.win()]) ? &windows[call.win()]
                                                                     : nullptr;
}

Episode& epoch(Call& call, Window& window) {
  Episode& episode = *window.episode;
  if (episode.open() && episode.full()) episode.close();
  if (!episode.open()) episode.begin(call.thread(), ++call.run().serials);
  return episode;
}

void in_start(Call& call, Episode& episode, std::uint32_t way) {
  episode.started(call.time(), way);
  episode.called(call.number(), call.own());
  episode.touched();
}

void in_finish(Call& call, Episode& episode, std::uint32_t way) {
  episode.finishing(call.time(), kNone);
  episode.started(0, way);
  episode.called(call.number(), call.own());
  episode.touched();
}

std::uint32_t way_of(const Window& window) {
  if (window.accessing || window.exposing) return kPscw;
  return window.locked > 0 ? kLock : kFence;
}

}  // namespace

void accessed(Call& call, LinkKind kind, int target, const MPI_Request* handle) {
  Window* window = window_of(call);
  if (!window) return;
  if (target != MPI_PROC_NULL) {
    const Signature& signature = call.signature();
    Link link;
    link.kind = kind;
    link.comm = window->comm;
    link.peer = call.world(target);
    link.layout = signature.layout;
    link.count = signature.count;
    link.bytes = signature.count == kNoCount
                     ? 0
                     : signature.count * call.run().layouts.bytes(signature.layout);
    link.call = static_cast<std::int32_t>(call.number());
    Episode& episode = epoch(call, *window);
    episode.add(link, false);
    in_start(call, episode, way_of(*window));
  }
  if (!handle) return;
  if (Request* request = call.run().requests.add(*handle)) {
    request->kind = RequestKind::kAccess;
    request->active = 1;
    request->episode = window->episode;
    request->serial = window->episode ? window->episode->serial() : 0;
  }
}

void fenced(Call& call, int assertion) {
  Window* window = window_of(call);
  if (!window) return;
  Ticket ticket = call.run().meetings.next(call.win(), true);
  if (Meeting* meeting = call.run().meetings.find(ticket)) {
    meeting->call = static_cast<std::int32_t>(call.number());
    meeting->enter = call.entered();
    meeting->leave = call.left();
  }
  bool ends = window->fenced && !(assertion & MPI_MODE_NOPRECEDE);
  window->fenced = !(assertion & MPI_MODE_NOSUCCEED);
  if (!ends) return;
  Episode& episode = epoch(call, *window);
  in_finish(call, episode, kFence);
  episode.close();
}

void access_begins(Call& call) {
  Window* window = window_of(call);
  if (!window) return;
  in_start(call, epoch(call, *window), kPscw);
  window->accessing = true;
}

void access_ends(Call& call) {
  Window* window = window_of(call);
  if (!window) return;
  window->accessing = false;
  Episode& episode = epoch(call, *window);
  in_finish(call, episode, kPscw);
  if (!window->exposing) episode.close();
}

void exposure_begins(Call& call) {
  Window* window = window_of(call);
  if (!window) return;
  in_start(call, epoch(call, *window), kPscw);
  window->exposing = true;
}

void exposure_ends(Call& call, bool ended) {
  Window* window = window_of(call);
  if (!window) return;
  Episode& episode = epoch(call, *window);
  in_finish(call, episode, kPscw);
  if (!ended) return;
  window->exposing = false;
  if (!window->accessing) episode.close();
}

void locked(Call& call) {
  Window* window = window_of(call);
  if (!window) return;
  ++window->locked;
  window->fenced = false;
  in_start(call, epoch(call, *window), kLock);
}

void unlocked(Call& call) {
  Window* window = window_of(call);
  if (!window) return;
  if (window->locked > 0) --window->locked;
  // Between a flush and this one nothing need have happened.
  Episode& episode = *window->episode;
  if (!episode.open()) return;
  in_finish(call, episode, kLock);
  if (window->locked == 0) episode.close();
}

void flushed(Call& call, int target, bool all) {
  Window* window = window_of(call);
  if (!window || !window->episode->open()) return;
  Episode& episode = *window->episode;
  in_finish(call, episode, kLock);
  bool complete = true;
  std::int32_t peer = all ? -1 : call.world(target);
  for (std::uint32_t at = 0; at < episode.links(); ++at) {
    Link& link = episode.link(at);
    if (all || link.peer == peer) link.complete = 1;
    complete = complete && link.complete;
  }
  if (complete && episode.links() > 0) episode.close();
}

}  // namespace recorder
