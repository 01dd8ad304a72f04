#include "framed.hpp"

#include "combine.hpp"
#include "exchange/core/pattern_check.hpp"
#include "frames.hpp"

#include <algorithm>

namespace halocline::detail {

namespace {

/// `capacity`: the most elements that are expected on a link, where all are of one part.
FrameLinks rooms_of(const std::vector<Link>& links, const Setup& setup, std::size_t capacity) {
  FrameLinks rooms;
  const std::size_t expected = setup.several ? 0 : capacity * setup.element_bytes();
  for (const Link& link : links) {
    rooms.peers.push_back(link.peer);
    rooms.rooms.push_back(std::max(expected, setup.bytes(link)));
  }
  return rooms;
}

class Framed final : public Method {
 public:
  Framed(MPI_Comm comm, Setup all, const ExchangeOptions& options)
      : Method(std::move(all)),
        options_(options),
        frames_(comm, rooms_of(pattern().sends(), setup(), options.capacity),
                rooms_of(pattern().receives(), setup(), options.capacity), scheme()) {
    become(frames_.method().setup().scheme);
    if (options.combine != Combine::replace) check_numbers(setup());
    use(frames_.targets(), pattern().sends(), sends_, "to");
    use(frames_.sources(), pattern().receives(), receives_, "from");
  }

  void start() override {
    {
      const auto time = packing();
      for (std::size_t i = 0; i < sends_.size(); ++i)
        if (std::byte* const message = frames_.message(i, bytes_of(sends_[i])); sends_[i])
          pack(*sends_[i], setup().send_fields(), message);
    }
    frames_.method().measuring = measuring;
    frames_.start();
    // Cells that something is added to must not be sent as well; those may.
    const auto time = packing();
    local_.resize(bytes_of(&pattern().copies_from()));
    pack(pattern().copies_from(), setup().send_fields(), local_.data());
    if (options_.combine == Combine::replace) take(pattern().copies_to(), local_.data());
  }

  void finish() override {
    frames_.finish();
    times += std::exchange(frames_.method().times, {});
    const auto time = packing();
    if (options_.combine != Combine::replace) take(pattern().copies_to(), local_.data());
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      const auto message = frames_.received(i);
      if (message.size() != bytes_of(receives_[i])) refuse(i, message.size());
      if (receives_[i]) take(*receives_[i], message.data());
    }
  }

  Pattern change(Pattern pattern, std::vector<Field> fields) override {
    if (!options_.changes) return Method::change(std::move(pattern), std::move(fields));
    std::vector<const Link*> sends, receives;
    use(frames_.targets(), pattern.sends(), sends, "to");
    use(frames_.sources(), pattern.receives(), receives, "from");
    // The links stay where they are when the pattern is moved.
    sends_ = std::move(sends), receives_ = std::move(receives);
    Pattern before = replace(std::move(pattern), std::move(fields));
    return before;
  }

 private:
  /// The links in the order of the frames, which is that of the first pattern; null: nothing.
  void use(const std::vector<int>& peers, const std::vector<Link>& links,
           std::vector<const Link*>& used, const char* direction) const {
    used.assign(peers.size(), nullptr);
    for (std::size_t i = 0; i < links.size(); ++i) {
      // Usually they come in that order.
      const auto place = i < peers.size() && peers[i] == links[i].peer
                             ? peers.begin() + static_cast<std::ptrdiff_t>(i)
                             : std::find(peers.begin(), peers.end(), links[i].peer);
      if (place == peers.end())
        throw Error(scheme().str() + ": rank " + std::to_string(mpi::rank(comm())) +
                    ": the new pattern has a link " + direction + " rank " +
                    std::to_string(links[i].peer) +
                    ", which the first one had not; name all peers there "
                    "(Pattern::send_nothing, receive_nothing)");
      used[static_cast<std::size_t>(place - peers.begin())] = &links[i];
    }
  }

  std::size_t bytes_of(const Link* link) const noexcept {
    return link == nullptr ? 0 : setup().bytes(*link);
  }

  void take(const Link& link, const std::byte* message) {
    if (options_.combine == Combine::replace)
      unpack(link, setup().receive_fields(), message);
    else
      combine(setup().receive_layout(link), bases(), message, options_.combine, setup().fields);
  }

  [[noreturn]] void refuse(std::size_t link, std::size_t bytes) const {
    throw Error(scheme().str() + ": rank " + std::to_string(mpi::rank(comm())) + " expects " +
                std::to_string(bytes_of(receives_[link])) + " bytes from rank " +
                std::to_string(frames_.sources()[link]) + ", which sent " + std::to_string(bytes) +
                "; both ends of a link must change together");
  }

  ExchangeOptions options_;
  Frames frames_;
  std::vector<const Link*> sends_, receives_;  // in the pattern
  std::vector<std::byte> local_;               // what stays on this rank, on its way
};

}  // namespace

bool goes_in_frames(const ExchangeOptions& options, const Scheme& scheme, bool several) {
  const bool by_itself = facts(scheme).combines && !several;
  return options.changes || (options.combine != Combine::replace && !by_itself);
}

std::unique_ptr<Method> make_framed(MPI_Comm comm, Setup setup, const ExchangeOptions& options) {
  return std::make_unique<Framed>(comm, std::move(setup), options);
}

/// A frame for each link, one block, in which the cells are packed, and from which they are taken.
model::Step describe_framed(const model::Chosen& chosen, const model::Links& links, bool combines) {
  const MethodFacts* const method = find_method(chosen.method);
  if (combines && method != nullptr && method->combines) return describe(chosen, links);
  model::Step step;
  model::Links frames = links;
  frames.kept_bytes = frames.kept_pieces = 0;
  frames.stages.clear();
  for (model::Links& hop : frames.hops) {
    hop.kept_bytes = hop.kept_pieces = 0;
    for (auto* const side : {&hop.sends, &hop.receives})
      for (model::LinkSize& link : *side) link.pieces = 1, link.lines = 0;
  }
  for (auto* const side : {&frames.sends, &frames.receives})
    for (model::LinkSize& link : *side) {
      const std::size_t most = Framing::header + std::max(link.bytes, link.capacity);
      step.buffer_bytes += most;
      const bool whole = method != nullptr && method->whole_frames;
      link.bytes = whole ? most : Framing::header + link.bytes;
      link.pieces = 1;
      link.lines = 0;
    }
  const model::Step inner = describe(chosen, frames);
  model::Script start(step.start), finish(step.finish);
  for (const model::LinkSize& link : links.sends) start.pack(link);
  start.then(inner.start);
  start.keep(links);
  finish.then(inner.finish);
  for (const model::LinkSize& link : links.receives)
    finish.unpack(link, combines ? "unpack:combine" : "unpack");
  step.buffer_bytes += inner.buffer_bytes;
  step.window_bytes += inner.window_bytes;
  return step;
}

}  // namespace halocline::detail
