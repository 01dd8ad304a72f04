// The places of the program that call MPI.
//
// The return address tells who calls. Where that is in MPI's own Fortran binding, or in the
// wrapper of another tool, the
// program's frame is found by unwinding the stack once for each place in the binding; from then on
// the word where it was found tells, and it is unwound again only if that is no place already
// known.
#pragma once

#include "bounded.hpp"
#include "texts.hpp"

namespace recorder {

struct Frame {
  std::uint64_t address;  // in the object file
  std::uint32_t object;   // of the texts, as is the symbol: 0 is none
  std::uint32_t symbol;
};

struct Site {
  std::uint32_t first_frame;
  std::uint32_t frames;
};

class Sites {
 public:
  Sites()
      : sites_(kMost),
        frames_(kMost * 8),
        named_(kMost * 4),
        names_(kMost * 4),
        texts_(1 << 21, 1 << 15),
        known_(kMost),
        bindings_(1024),
        binding_(1024) {}

  // `frame`: the address on the stack at which `caller` stands.
  std::int32_t number(void* caller, void** frame) {
    if (caller == last_caller_) return last_site_;
    return look_up(caller, frame);
  }

  std::uint32_t size() const { return sites_.size(); }
  const Site& operator[](std::uint32_t number) const { return sites_[number]; }
  const Frame& frame(std::uint32_t number) const { return frames_[number]; }
  const char* text(std::uint32_t place) const { return texts_[place]; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  static constexpr std::uint32_t kMost = 4096;
  // A place in a binding: how far up the stack the program's return address was.
  struct Binding {
    std::int64_t offset;  // 0: not always at the same place
  };

  std::int32_t look_up(void* caller, void** frame);
  std::int32_t behind_binding(std::uint32_t binding, void** frame);
  std::int32_t unwound(void** frame, std::int64_t* offset);
  bool name(char* call, Frame& frame);
  std::int32_t add(void* address, void* const* addresses, std::uint32_t count);

  Bounded<Site> sites_;
  Bounded<Frame> frames_;
  Bounded<Frame> named_;  // of addresses, for looking for their names takes long
  HandleMap names_;
  Texts texts_;
  HandleMap known_;  // return addresses to sites
  Bounded<Binding> bindings_;
  HandleMap binding_;  // return addresses in MPI to bindings
  void* last_caller_ = nullptr;
  std::int32_t last_site_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace recorder
