// Windows, and where each is in its epochs.
#pragma once

#include "bounded.hpp"
#include "communicators.hpp"
#include "mpi.hpp"
#include "shapes.hpp"

namespace recorder {

struct Window {
  Key key;
  std::int32_t comm;
  const char* flavour;
  std::int64_t bytes;
  std::uint32_t times;  // it was made, and freed before it was made again
  bool alive;
  // Its epochs:
  bool fenced;          // a fence has begun one
  bool accessing;       // between start and complete
  bool exposing;        // between post and wait
  std::int32_t locked;  // how many targets
  Episode* episode;     // null: none yet
};

class Windows {
 public:
  Windows() : windows_(1024), handles_(2048) {}
  std::int32_t number(MPI_Win window) const { return handles_.find(number_of(window)); }
  Window& operator[](std::int32_t number) { return windows_[static_cast<std::uint32_t>(number)]; }
  std::uint32_t size() const { return windows_.size(); }
  std::uint64_t left_out() const { return left_out_; }
  void made(MPI_Win handle, std::int32_t comm, const char* flavour, std::int64_t bytes,
            const Key& key) {
    Window window{};
    window.key = key;
    window.comm = comm;
    window.flavour = flavour;
    window.bytes = bytes;
    window.times = 1;
    window.alive = true;
    std::uint32_t place = key.shares() ? like(window) : windows_.size();
    if (place < windows_.size()) {
      Window& old = windows_[place];
      window.key = old.key;
      window.times = old.times + 1;
      window.bytes = bytes > old.bytes ? bytes : old.bytes;
      old = window;
    } else if (!windows_.add(window)) {
      ++left_out_;
      return;
    }
    handles_.set(number_of(handle), place);
  }
  void freed(MPI_Win handle) {
    std::int32_t known = number(handle);
    if (known < 0) return;
    Window& window = (*this)[known];
    if (window.episode) unused_.add(window.episode);
    window.episode = nullptr;
    window.alive = false;
    handles_.erase(number_of(handle));
  }
  // Has it an episode, which it gets when it is used first? False: there is no room.
  bool has_episode(Window& window);

 private:
  // The first that is freed and was made alike, by the same members; else behind the last.
  std::uint32_t like(const Window& wanted) const {
    std::uint32_t place = 0;
    while (place < windows_.size() &&
           (windows_[place].alive || windows_[place].comm != wanted.comm ||
            windows_[place].flavour != wanted.flavour)) {
      ++place;
    }
    return place;
  }

  Bounded<Window> windows_;
  HandleMap handles_;
  Bounded<Episode*> unused_{1024};
  std::uint64_t left_out_ = 0;
};

}  // namespace recorder
