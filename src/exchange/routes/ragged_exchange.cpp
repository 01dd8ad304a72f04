#include <halocline/ragged_exchange.hpp>

#include "frames.hpp"
#include "on_device.hpp"

#include <halocline/trace.hpp>
#include <halocline/wait.hpp>

#include <algorithm>

namespace halocline {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 62;

/// The peers that are ranks, and of each link its place among them.
std::vector<int> ranks_of(const std::vector<int>& peers,
                          std::vector<std::optional<std::size_t>>& places) {
  std::vector<int> ranks;
  for (const int peer : peers) {
    places.push_back(peer < 0 ? std::nullopt : std::optional(ranks.size()));
    if (peer >= 0) ranks.push_back(peer);
  }
  return ranks;
}

std::optional<std::size_t> place(const std::vector<std::optional<std::size_t>>& places,
                                 std::size_t link, const char* list) {
  if (link >= places.size())
    throw Error("ragged exchange: link " + std::to_string(link) + ", but there are " +
                std::to_string(places.size()) + " " + list);
  return places[link];
}

/// What is wrong with one list of peers; empty if nothing is. That they exist, and that none is
/// this rank, is checked with the pattern.
std::string peers_complaint(std::vector<int> peers, const char* list, int me) {
  std::sort(peers.begin(), peers.end());
  const auto twice = std::adjacent_find(peers.begin(), peers.end());
  if (twice == peers.end()) return {};
  return "ragged exchange: rank " + std::to_string(me) + " names rank " + std::to_string(*twice) +
         " twice among its " + list + "; name each once";
}

}  // namespace

RaggedExchange::RaggedExchange(MPI_Comm comm, const std::vector<int>& to,
                               const std::vector<int>& from, std::size_t element_bytes,
                               std::size_t capacity, const Scheme& scheme)
    : element_bytes_(element_bytes) {
  const std::vector<int> targets = ranks_of(to, out_), sources = ranks_of(from, in_);
  const int me = mpi::rank(comm);
  std::string wrong = peers_complaint(targets, "targets", me);
  if (wrong.empty()) wrong = peers_complaint(sources, "sources", me);
  if (element_bytes == 0) wrong = "ragged exchange: elements of 0 bytes";
  if (element_bytes > 0 && capacity > most_bytes / element_bytes)
    wrong = "ragged exchange: " + std::to_string(capacity) + " elements of " +
            std::to_string(element_bytes) + " bytes are more than there can be";
  mpi::agree(comm, wrong);
  const std::size_t room = capacity * element_bytes;
  frames_ = std::make_unique<detail::Frames>(
      comm, detail::FrameLinks{targets, std::vector<std::size_t>(targets.size(), room)},
      detail::FrameLinks{sources, std::vector<std::size_t>(sources.size(), room)}, scheme);
  const auto links = [room](const std::vector<int>& peers) {
    std::vector<trace::detail::Link> all;
    for (const int peer : peers) all.push_back({peer, room});
    return all;
  };
  traced_ = trace::detail::describe(comm, this->scheme().str(), links(targets), links(sources),
                                    detail::facts(this->scheme()).waits(this->scheme()));
}

RaggedExchange::~RaggedExchange() {
  detail::end(frames_);
}
RaggedExchange::RaggedExchange(RaggedExchange&&) noexcept = default;
RaggedExchange& RaggedExchange::operator=(RaggedExchange&& other) noexcept {
  if (this == &other) return *this;
  detail::end(frames_);
  frames_ = std::move(other.frames_);
  element_bytes_ = other.element_bytes_;
  out_ = std::move(other.out_);
  in_ = std::move(other.in_);
  traced_ = other.traced_;
  step_ = other.step_;
  return *this;
}

detail::Frames& RaggedExchange::frames() const {
  if (!frames_)
    throw Error("ragged exchange: this one has been moved from; use the one it was moved to");
  return *frames_;
}

void RaggedExchange::start() {
  frames().step.begin(scheme());
  maybe_delay();
  const trace::detail::StepPart part(Activity::begin_step, traced_, ++step_);
  frames_->start();
}

void RaggedExchange::finish() {
  frames().step.finish(scheme());
  maybe_delay();
  {
    const trace::detail::StepPart part(Activity::end_step, traced_, step_);
    detail::naming_awaited(frames_->method(), [&] { frames_->finish(); });
  }
  frames_->step.end();
  maybe_delay();
}

const Scheme& RaggedExchange::scheme() const {
  return frames().method().setup().scheme;
}

void RaggedExchange::check_size(std::size_t element_bytes) const {
  if (element_bytes != element_bytes_)
    throw Error("ragged exchange: elements of " + std::to_string(element_bytes) +
                " bytes, but it was made for " + std::to_string(element_bytes_));
}

void* RaggedExchange::outgoing_bytes(std::size_t link, std::size_t count,
                                     std::size_t element_bytes) {
  check_size(element_bytes);
  if (frames().step.under_way())
    throw Error(scheme().str() +
                ", ragged: a step is under way; finish it before the next message");
  const auto frame = place(out_, link, "targets");
  if (frame) return frames_->message(*frame, count * element_bytes);
  for_nobody_.resize(count * element_bytes);
  return for_nobody_.data();
}

void RaggedExchange::send_bytes(std::size_t link, std::span<const std::byte> elements,
                                std::size_t element_bytes) {
  detail::must_be_on_host(elements.data(), scheme().str() + ", ragged", "ragged exchanges");
  void* const room = outgoing_bytes(link, elements.size() / element_bytes, element_bytes);
  std::copy(elements.begin(), elements.end(), static_cast<std::byte*>(room));
}

std::span<const std::byte> RaggedExchange::received_bytes(std::size_t link,
                                                          std::size_t element_bytes) const {
  check_size(element_bytes);
  const auto frame = place(in_, link, "sources");
  return frame ? frames().received(*frame) : std::span<const std::byte>();
}

}  // namespace halocline
