#include "frames.hpp"

#include "exchange/core/pattern_check.hpp"
#include "exchange/core/registry.hpp"

#include <algorithm>
#include <cstring>

namespace halocline::detail {

namespace {

constexpr int rest = 7;               // Channel::tag of messages with what did not fit
constexpr std::uint64_t period = 16;  // steps from asking whether to grow to the answer
const char* const growing = "an exchange that grows: the other ranks";

/// To go by heads takes others, too.
bool made_alone(const Scheme& scheme) {
  return facts(scheme).made_alone && scheme.is("heads", "off");
}

}  // namespace

std::uint64_t Frames::Frame::bytes() const noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, begin, sizeof value);
  return value;
}

Frames::Frames(MPI_Comm comm, FrameLinks sends, FrameLinks receives, const Scheme& scheme)
    : sends_(std::move(sends)),
      receives_(std::move(receives)),
      out_(sends_.peers.size()),
      in_(receives_.peers.size()) {
  Setup setup{Channel::on(comm), {}, {}, scheme};
  setup.framing = framing_;
  // How frames lie within a rank's memory is its own affair: the check needs the sizes alone.
  Pattern sizes;
  for (std::size_t i = 0; i < out_.size(); ++i)
    sizes.send(sends_.peers[i], {.count = {1, 1, Framing::header + sends_.rooms[i]}});
  for (std::size_t i = 0; i < in_.size(); ++i)
    sizes.receive(receives_.peers[i], {.count = {1, 1, Framing::header + receives_.rooms[i]}});
  setup.two_way = check_pattern(setup.comm, sizes, 1);
  make(std::move(setup));
}

void Frames::make(Setup setup) {
  LinkMemory memory;
  for (std::size_t i = 0; i < out_.size(); ++i)
    memory.send(sends_.peers[i], Framing::header + sends_.rooms[i]);
  for (std::size_t i = 0; i < in_.size(); ++i)
    memory.receive(receives_.peers[i], Framing::header + receives_.rooms[i]);
  memory.provide(setup);
  for (std::size_t i = 0; i < out_.size(); ++i) out_[i].begin = memory.sent(i);
  for (std::size_t i = 0; i < in_.size(); ++i) in_[i].begin = memory.received(i);
  memory_ = std::move(memory);

  framing_->on = false;
  method_ = make_method(std::move(setup));
  framing_->on = true;
  for (Frame& frame : out_) set_length(frame, 0);
  // What `auto` has become may be made alone, but not windows on the memory that it wanted.
  alone_ = made_alone(method_->setup().scheme) && memory_.is_plain();
  short_of_room_ = false;
}

void Frames::set_length(Frame& frame, std::size_t bytes) {
  const std::uint64_t value = bytes;
  std::memcpy(frame.begin, &value, sizeof value);
  frame.most = std::max(frame.most, bytes);
}

std::byte* Frames::message(std::size_t send, std::size_t bytes) {
  Frame& frame = out_[send];
  set_length(frame, bytes);
  if (bytes <= sends_.rooms[send]) return frame.message();
  frame.all->resize(bytes);
  return frame.all->data();
}

void Frames::start() {
  send_rests();
  method_->start();
}

void Frames::send_rests() {
  rests_.clear();
  for (std::size_t i = 0; i < out_.size(); ++i) {
    const std::size_t room = sends_.rooms[i], all = out_[i].bytes();
    if (all <= room) continue;
    std::memcpy(out_[i].message(), out_[i].all->data(), room);
    const mpi::Bytes left(all - room);
    UnderWay& request = rests_.emplace_back(UnderWay::others, 1, out_[i].all);
    HALOCLINE_MPI(MPI_Isend, out_[i].all->data() + room, left.count(), left.type(), sends_.peers[i],
                  method_->setup().comm.tag(rest), comm(), &request[0]);
    short_of_room_ = true;
  }
}

void Frames::receive_rests() {
  for (std::size_t i = 0; i < in_.size(); ++i) {
    const std::size_t room = receives_.rooms[i], all = in_[i].bytes();
    in_[i].most = std::max(in_[i].most, all);
    if (all <= room) continue;
    in_[i].all->resize(all);
    std::memcpy(in_[i].all->data(), in_[i].message(), room);
    const mpi::Bytes left(all - room);
    UnderWay& request = rests_.emplace_back(UnderWay::receives, 1, in_[i].all);
    HALOCLINE_MPI(MPI_Irecv, in_[i].all->data() + room, left.count(), left.type(),
                  receives_.peers[i], method_->setup().comm.tag(rest), comm(), &request[0]);
    short_of_room_ = true;
  }
}

void Frames::finish() {
  method_->finish();
  receive_rests();
  if (!rests_.empty()) {
    const std::string what = method_->setup().scheme.str();
    for (UnderWay& one : rests_) wait_all(what.c_str(), one);
  }
  for (std::size_t i = 0; i < in_.size(); ++i) {
    Frame& frame = in_[i];
    const std::size_t bytes = frame.bytes();
    frame.arrived = {bytes <= receives_.rooms[i] ? frame.message() : frame.all->data(), bytes};
  }
  for (Frame& frame : out_) set_length(frame, 0);
  grow_in_time();
}

void Frames::grow_in_time() {
  if (alone_) {
    if (short_of_room_) grow();
    return;
  }
  if (++step_ % period != 0) return;
  if (wanted_) {
    wait_one(growing, wanted_->request());
    if (**wanted_ != 0) grow();
  }
  wanted_.emplace(short_of_room_ ? 1 : 0);
  HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, &**wanted_, 1, MPI_INT, MPI_MAX, comm(),
                &wanted_->request());
}

/// Both ends of a link have seen the same messages, so they come to the same room.
void Frames::grow() {
  const auto enlarge = [](FrameLinks& links, std::vector<Frame>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const std::size_t most = std::exchange(frames[i].most, 0);
      if (most > links.rooms[i]) links.rooms[i] = most + most / 2;
    }
  };
  enlarge(sends_, out_);
  enlarge(receives_, in_);
  for (Frame& frame : in_)
    if (frame.arrived.data() != frame.all->data()) {
      frame.all->assign(frame.arrived.begin(), frame.arrived.end());
      frame.arrived = *frame.all;
    }
  Setup setup = method_->take_setup();
  method_.reset();
  make(std::move(setup));
}

}  // namespace halocline::detail
