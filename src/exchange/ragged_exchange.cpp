#include <halocline/ragged_exchange.hpp>

#include "frames.hpp"
#include "on_device.hpp"

#include <halocline/wait.hpp>

#include <algorithm>

namespace halocline {

namespace {

/// What is wrong with one list of peers; empty if nothing is. That they exist, and that none is
/// this rank, is checked with the pattern.
std::string complaint(std::vector<int> peers, const char* list, int me) {
  std::sort(peers.begin(), peers.end());
  const auto twice = std::adjacent_find(peers.begin(), peers.end());
  if (twice == peers.end()) return {};
  return "ragged exchange: rank " + std::to_string(me) + " names rank " + std::to_string(*twice) +
         " twice among its " + list + "; name each once";
}

}  // namespace

RaggedExchange::RaggedExchange(MPI_Comm comm, const std::vector<int>& targets,
                               const std::vector<int>& sources, std::size_t element_bytes,
                               std::size_t capacity, const Scheme& scheme)
    : element_bytes_(element_bytes) {
  const int me = mpi::rank(comm);
  std::string wrong = complaint(targets, "targets", me);
  if (wrong.empty()) wrong = complaint(sources, "sources", me);
  if (element_bytes == 0) wrong = "ragged exchange: elements of 0 bytes";
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
  traced_ = trace::detail::describe(comm, this->scheme().str(), links(targets), links(sources));
}

RaggedExchange::~RaggedExchange() = default;
RaggedExchange::RaggedExchange(RaggedExchange&&) noexcept = default;
RaggedExchange& RaggedExchange::operator=(RaggedExchange&&) noexcept = default;

void RaggedExchange::start() {
  maybe_delay();
  const trace::detail::StepPart part(Activity::begin_step, traced_, ++step_);
  frames_->start();
}

void RaggedExchange::finish() {
  maybe_delay();
  {
    const trace::detail::StepPart part(Activity::end_step, traced_, step_);
    frames_->finish();
  }
  maybe_delay();
}

const Scheme& RaggedExchange::scheme() const noexcept {
  return frames_->method().setup().scheme;
}

void RaggedExchange::check_size(std::size_t element_bytes) const {
  if (element_bytes != element_bytes_)
    throw Error("ragged exchange: elements of " + std::to_string(element_bytes) +
                " bytes, but it was made for " + std::to_string(element_bytes_));
}

void* RaggedExchange::outgoing_bytes(std::size_t link, std::size_t count,
                                     std::size_t element_bytes) {
  check_size(element_bytes);
  return frames_->message(link, count * element_bytes);
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
  return frames_->received(link);
}

}  // namespace halocline
