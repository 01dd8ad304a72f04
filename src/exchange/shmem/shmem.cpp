// shmem: OpenSHMEM's put and a signal after it (shmem_links.hpp), two slots for each link in turn.
// A sender reuses a slot when its receiver has said that it has read it.

#include "shmem_links.hpp"

#include <algorithm>
#include <cstring>
#include <halocline/more/waiting.hpp>

namespace halocline::detail {

namespace {

constexpr int slots = 2;

class Shmem final : public Method {
 public:
  explicit Shmem(Setup s)
      : Method(std::move(s)),
        outgoing_(layouts(pattern().sends(), &Setup::send_layout)),
        incoming_(layouts(pattern().receives(), &Setup::receive_layout)),
        links_(setup(), sizes(outgoing_), sizes(incoming_), slots) {
    std::size_t most = 0;
    for (const Layout& cells : outgoing_) most = std::max(most, cells.bytes());
    message_.resize(most);
  }

  void start() override {
    ++step_;
    for (std::size_t link = 0; link < outgoing_.size(); ++link) {
      {
        const auto time = waiting();
        wait_until(what(), [&] {
          return links_.read_of(link) + slots >= step_ || (let_progress(comm()), false);
        });
      }
      {
        const auto time = packing();
        outgoing_[link].pack(bases(), message_.data());
      }
      const auto time = transferring();
      links_.put(link, step_,
                 {message_.data(), setup().in_use(message_.data(), outgoing_[link].bytes())});
    }
    const auto time = packing();
    copy_local();
  }

  void finish() override {
    for (std::size_t link = 0; link < incoming_.size(); ++link) {
      {
        const auto time = waiting();
        wait_until(what(), [&] {
          return links_.newest_of(link) >= step_ || (let_progress(comm()), false);
        });
      }
      const auto time = packing();
      const std::byte* const message = links_.message(link, step_);
      if (setup().framing)
        std::memcpy(incoming_[link].address(bases()), message,
                    setup().in_use(message, incoming_[link].bytes()));
      else
        incoming_[link].unpack(bases(), message);
      links_.notify_read(link, step_);
    }
  }

 private:
  std::vector<Layout> layouts(const std::vector<Link>& links,
                              Layout (Setup::*in_fields)(const Link&) const) const {
    std::vector<Layout> all;
    for (const Link& link : links) all.push_back((setup().*in_fields)(link));
    return all;
  }
  static std::vector<std::size_t> sizes(const std::vector<Layout>& layouts) {
    std::vector<std::size_t> bytes;
    for (const Layout& cells : layouts) bytes.push_back(cells.bytes());
    return bytes;
  }

  std::vector<Layout> outgoing_, incoming_;
  ShmemLinks links_;
  std::vector<std::byte> message_;
  std::uint64_t step_ = 0;
};

}  // namespace

namespace {

/// A put, and a signal after it; two slots in turn, which the receiver gives back.
model::Step describe_shmem(const model::Chosen&, const model::Links& links) {
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  for (const model::LinkSize& link : links.sends) {
    start.await(link.peer, model::Word::permit, "seen", 2);
    start.pack(link);
    start.send(link, "put:shmem");  // after shmem_fence the signal, which never overtakes them
    step.buffer_bytes = std::max(step.buffer_bytes, link.bytes);
  }
  start.keep(links);
  for (const model::LinkSize& link : links.receives) {
    finish.receive(link, "seen");
    finish.unpack(link);
    finish.notify(link.peer, model::Word::permit, "signal:shmem");
    step.window_bytes += 2 * link.bytes;
  }
  return step;
}

}  // namespace

MethodFacts shmem() {
  return {.name = "shmem",
          .summary = "OpenSHMEM: shmem_putmem, shmem_fence, and an atomic set that signals it",
          .options = {},
          .make = make<Shmem>,
          .describe = describe_shmem,
          .missing = shmem_missing,
          .waits = [](const Scheme&) { return waits::for_puts; },
          .rebinds = [](const Scheme&) { return true; }};
}

}  // namespace halocline::detail
