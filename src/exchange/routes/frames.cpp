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
  return facts(scheme).frames.made_alone && scheme.is("heads", "off");
}

bool takes_any_message(const Scheme& scheme) {
  return facts(scheme).frames.any_message && scheme.is("heads", "off");
}

}  // namespace

std::uint64_t Frames::Frame::bytes() const noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, begin, sizeof value);
  return value;
}

Frames::Frames(MPI_Comm comm, FrameLinks sends, FrameLinks receives, const Scheme& scheme,
               Lengths lengths)
    : sends_(std::move(sends)),
      receives_(std::move(receives)),
      out_(sends_.peers.size()),
      in_(receives_.peers.size()) {
  Setup setup{Channel::on(comm), {}, {}, scheme};
  framing_->bare = lengths == Lengths::known && takes_any_message(scheme);
  framing_->sends.resize(out_.size());
  framing_->receives.resize(in_.size());
  setup.framing = framing_;
  // How frames lie within a rank's memory is its own affair: the check needs the sizes alone.
  Pattern sizes;
  for (std::size_t i = 0; i < out_.size(); ++i)
    sizes.send(sends_.peers[i], {.count = {1, 1, Framing::header + sends_.rooms[i]}});
  for (std::size_t i = 0; i < in_.size(); ++i)
    sizes.receive(receives_.peers[i], {.count = {1, 1, Framing::header + receives_.rooms[i]}});
  setup.two_way = check_pattern(setup.comm, sizes, 1);
  if (framing_->bare)
    for (FrameLinks* const links : {&sends_, &receives_})
      links->rooms.assign(links->rooms.size(), 0);
  make(std::move(setup));
}

void Frames::make(Setup setup) {
  LinkMemory memory;
  for (std::size_t i = 0; i < out_.size(); ++i)
    memory.send(sends_.peers[i], Framing::header + sends_.rooms[i]);
  for (std::size_t i = 0; i < in_.size(); ++i)
    memory.receive(receives_.peers[i], Framing::header + receives_.rooms[i]);
  memory.provide(setup);
  for (std::size_t i = 0; i < out_.size(); ++i) out_[i].home = out_[i].begin = memory.sent(i);
  for (std::size_t i = 0; i < in_.size(); ++i) in_[i].home = in_[i].begin = memory.received(i);
  memory_ = std::move(memory);
  if (framing_->bare) {
    // Late messages come to what is received in.
    std::vector<std::shared_ptr<std::vector<std::byte>>> buffers;
    for (const auto* const frames : {&out_, &in_})
      for (const Frame& frame : *frames) buffers.push_back(frame.all);
    setup.memory = std::make_shared<decltype(buffers)>(std::move(buffers));
  }

  const bool chooses = chosen_while_running(setup.scheme);
  framing_->on = false;
  method_ = make_method(std::move(setup));
  framing_->on = true;
  lent_ = method_->lend_frames();
  // What `auto` has become may be made alone, but not windows on the memory that it wanted; nor
  // what it tries while the program runs.
  alone_ = made_alone(method_->setup().scheme) && memory_.is_plain() && !chooses;
  short_of_room_ = false;
}

void Frames::set_length(std::size_t send, std::size_t bytes) {
  Frame& frame = out_[send];
  frame.is_written = true;
  if (std::byte* const lent = lent_ ? method_->frame_to(sends_.peers[send]) : nullptr)
    frame.begin = lent;
  const std::uint64_t value = bytes;
  std::memcpy(frame.begin, &value, sizeof value);
  frame.most = std::max(frame.most, bytes);
}

std::byte* Frames::message(std::size_t send, std::size_t bytes) {
  Frame& frame = out_[send];
  if (framing_->bare) {
    frame.all->resize(bytes);
    send_from(send, frame.all->data(), bytes);
    return frame.all->data();
  }
  set_length(send, bytes);
  if (bytes <= sends_.rooms[send]) return frame.message();
  frame.all->resize(bytes);
  return frame.all->data();
}

bool Frames::streams(std::size_t send, std::size_t bytes) const noexcept {
  return lent_ && bytes > *lent_ && bytes <= sends_.rooms[send] &&
         out_[send].begin != out_[send].home;
}

void Frames::send_from(std::size_t send, std::byte* there, std::size_t bytes) {
  framing_->sends[send] = {there, bytes};
  out_[send].is_written = true;
}

void Frames::expect(std::size_t receive, std::size_t bytes, std::byte* there) {
  std::vector<std::byte>& own = *in_[receive].all;
  if (there == nullptr) own.resize(bytes);
  framing_->receives[receive] = {there != nullptr ? there : own.data(), bytes};
}

void Frames::start() {
  for (std::size_t i = 0; i < out_.size(); ++i)
    if (!out_[i].is_written) framing_->bare ? send_from(i, nullptr, 0) : set_length(i, 0);
  if (!framing_->bare) send_rests();
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
                  setup().comm.tag(rest), setup().comm, &request[0]);
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
                  receives_.peers[i], setup().comm.tag(rest), setup().comm, &request[0]);
    short_of_room_ = true;
  }
}

void Frames::finish_method() {
  try {
    method_->finish();
  } catch (const mpi::CallFailed& failed) {
    int what = MPI_SUCCESS;
    MPI_Error_class(failed.code(), &what);
    if (framing_->bare && what == MPI_ERR_TRUNCATE) refuse_long_message(method_->setup());
    throw;
  }
}

void Frames::finish() {
  finish_method();
  for (Frame& frame : out_) frame.is_written = false;
  if (framing_->bare) {
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const Framing::Message come = std::exchange(framing_->receives[i], {});
      in_[i].arrived = {come.data, come.bytes};
    }
    return;
  }
  if (lent_)
    for (std::size_t i = 0; i < in_.size(); ++i)
      if (std::byte* const lent = method_->frame_from(receives_.peers[i])) in_[i].begin = lent;
  receive_rests();
  if (!rests_.empty()) {
    const std::string what = setup().scheme.str();
    for (UnderWay& one : rests_) wait_all(what.c_str(), one);
  }
  for (std::size_t i = 0; i < in_.size(); ++i) {
    Frame& frame = in_[i];
    const std::size_t bytes = frame.bytes();
    frame.arrived = {bytes <= receives_.rooms[i] ? frame.message() : frame.all->data(), bytes};
  }
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
  HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, &**wanted_, 1, MPI_INT, MPI_MAX, setup().comm,
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
