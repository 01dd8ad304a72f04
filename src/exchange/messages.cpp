#include "messages.hpp"

namespace halocline::detail {

Message Messages::Staged::message(int peer, const Bases& bases, bool pack) {
  if (!layout.contiguous() && !pack) {
    type = layout.datatype(bases, nullptr);
    return {peer, MPI_BOTTOM, 1, type};
  }
  bytes = std::make_unique<mpi::Bytes>(layout.bytes());
  if (layout.contiguous()) return {peer, layout.address(bases), bytes->count(), bytes->type()};
  buffer.resize(layout.bytes());
  return {peer, buffer.data(), bytes->count(), bytes->type()};
}

Messages::Messages(const Setup& setup, const Bases& bases, bool pack) : bases_(bases) {
  const auto stage = [&](const std::vector<Link>& links, std::vector<Staged>& staged,
                         std::vector<Message>& messages) {
    for (const Link& link : links) {
      staged.push_back(
          {.layout = Layout(link.blocks, setup.fields), .buffer = {}, .type = {}, .bytes = {}});
      messages.push_back(staged.back().message(link.peer, bases_, pack));
    }
  };
  stage(setup.pattern.sends(), sends_, sends);
  stage(setup.pattern.receives(), receives_, receives);
}

void Messages::pack() {
  for (Staged& staged : sends_) staged.pack(bases_);
}

void Messages::unpack() const {
  for (const Staged& staged : receives_) staged.unpack(bases_);
}

}  // namespace halocline::detail
