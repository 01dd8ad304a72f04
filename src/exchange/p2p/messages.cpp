#include "messages.hpp"

namespace halocline::detail {

Message Messages::Staged::message(int peer, const Bases& bases, bool pack, bool in_field) {
  if (!layout.contiguous() && !pack) {
    type = layout.datatype(bases, nullptr);
    return {peer, MPI_BOTTOM, 1, type};
  }
  bytes = std::make_unique<mpi::Bytes>(layout.bytes());
  if (layout.contiguous() && in_field)
    return {peer, layout.address(bases), bytes->count(), bytes->type()};
  buffer.resize(layout.bytes());
  return {peer, buffer.data(), bytes->count(), bytes->type()};
}

Messages::Messages(const Setup& setup, const Bases& bases, bool pack, ReceiveInto into)
    : setup_(setup), bases_(bases), library_(setup.memory), framing_(setup.framing) {
  // Bare messages may lie anywhere.
  borrows_ = framing_ && framing_->bare;
  // Other memory is given back by all ranks together, when none of them needs it any more.
  for (const Field& field : setup.fields)
    if (field.memory.kind() == MemoryKind::plain) memory_.push_back(field.memory);
  const auto stage = [&](int peer, Layout layout, ReceiveInto where, std::vector<Staged>& staged,
                         std::vector<Message>& messages) {
    const bool kept = setup.keeps(layout);
    staged.push_back({.layout = std::move(layout), .buffer = {}, .type = {}, .bytes = {}});
    messages.push_back(
        staged.back().message(peer, bases_, pack, kept || where == ReceiveInto::anywhere));
    if (!kept && staged.back().buffer.empty()) borrows_ = true;
  };
  for (const Link& link : setup.pattern.sends())
    stage(link.peer, setup.send_layout(link), ReceiveInto::anywhere, sends_, sends);
  for (const Link& link : setup.pattern.receives())
    stage(link.peer, setup.receive_layout(link), into, receives_, receives);
}

void Messages::rebind(const Bases& bases) {
  bases_ = bases;
  for (std::size_t i = 0; i < sends.size(); ++i)
    if (sends_[i].buffer.empty()) sends[i].data = sends_[i].layout.address(bases_);
  for (std::size_t i = 0; i < receives.size(); ++i)
    if (receives_[i].buffer.empty()) receives[i].data = receives_[i].layout.address(bases_);
}

void Messages::pack() {
  for (Staged& staged : sends_) staged.pack(bases_);
}

void Messages::Staged::fit(Message& message, std::byte* data, std::size_t size) {
  *bytes = mpi::Bytes(size);
  message.data = data;
  message.count = bytes->count();
  message.type = bytes->type();
}

void Messages::fit() {
  if (!framing_) return;
  if (!framing_->bare) {
    for (std::size_t i = 0; i < sends.size(); ++i) {
      auto* const frame = static_cast<std::byte*>(sends[i].data);
      sends_[i].fit(sends[i], frame, setup_.in_use(frame, sends_[i].layout.bytes()));
    }
    return;
  }
  for (std::size_t i = 0; i < sends.size(); ++i)
    sends_[i].fit(sends[i], framing_->sends[i].data, framing_->sends[i].bytes);
  for (std::size_t i = 0; i < receives.size(); ++i)
    receives_[i].fit(receives[i], framing_->receives[i].data, framing_->receives[i].bytes);
}

void Messages::check_length(std::size_t receive, const MPI_Status& status) const {
  if (!framing_ || !framing_->bare) return;
  MPI_Count bytes = 0;
  HALOCLINE_MPI(MPI_Get_elements_x, &status, receives[receive].type, &bytes);
  if (const std::size_t expected = framing_->receives[receive].bytes;
      static_cast<std::size_t>(bytes) != expected)
    refuse_length(setup_, receives[receive].peer, expected, static_cast<std::size_t>(bytes));
}

void Messages::unpack() const {
  for (const Staged& staged : receives_) staged.unpack(bases_);
}

std::vector<int> Messages::awaited(std::span<const MPI_Request> requests) const {
  std::vector<int> peers;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    int done = 0;
    if (requests[i] != MPI_REQUEST_NULL)
      MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE);
    else
      done = 1;
    if (done == 0) peers.push_back(receives[i].peer);
  }
  return peers;
}

void DescribedMessages::pack(model::Script& script, const model::LinkSize& link) {
  if (link.pieces <= 1) return;  // it is sent from where it lies
  script.pack(link, typed_ ? "pack:datatype" : "pack");
  if (!typed_) step_.buffer_bytes += link.bytes;
}

void DescribedMessages::unpack(model::Script& script, const model::LinkSize& link) {
  if (link.pieces <= 1) return;
  script.unpack(link, typed_ ? "unpack:datatype" : "unpack");
  if (!typed_) step_.buffer_bytes += link.bytes;
}

}  // namespace halocline::detail
