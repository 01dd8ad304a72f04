#include <halocline/ragged_exchange.hpp>

#include "exchange/core/consensus.hpp"
#include "frames.hpp"
#include "on_device.hpp"

#include <halocline/more/trace.hpp>
#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <cstring>

namespace halocline {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 62;

constexpr std::size_t with_nobody = std::size_t(-1), with_me = std::size_t(-2);

/// A message of several links: how many bytes each has, and then those, each from a whole word on.
constexpr std::size_t word = sizeof(std::uint64_t);
constexpr std::size_t words(std::size_t bytes) {
  return (bytes + word - 1) / word * word;
}

void check_link(std::size_t link, std::size_t links, const char* list) {
  if (link >= links)
    throw Error("ragged exchange: link " + std::to_string(link) + ", but there are " +
                std::to_string(links) + " " + list);
}

/// Why these links cannot be; empty if they can. That each has its other end is not known here.
std::string links_complaint(MPI_Comm comm, const std::vector<int>& to, const std::vector<int>& from,
                            std::size_t element_bytes, std::size_t capacity) {
  const int ranks = mpi::size(comm), me = mpi::rank(comm);
  const std::string who = "ragged exchange: rank " + std::to_string(me);
  if (element_bytes == 0) return "ragged exchange: elements of 0 bytes";
  if (capacity > most_bytes / element_bytes)
    return "ragged exchange: " + std::to_string(capacity) + " elements of " +
           std::to_string(element_bytes) + " bytes are more than there can be";
  for (const auto* peers : {&to, &from})
    for (const int peer : *peers)
      if (peer >= ranks)
        return who + " names rank " + std::to_string(peer) + ", but there are only " +
               std::to_string(ranks) + " ranks";
  const auto sent = std::ranges::count(to, me), received = std::ranges::count(from, me);
  if (sent != received)
    return who + " names itself " + std::to_string(sent) + " times among its targets and " +
           std::to_string(received) + " times among its sources";
  return {};
}

/// Throws the same Error on all ranks unless ranks name each other equally often. Collective.
void check_counts(MPI_Comm comm, const std::vector<int>& targets,
                  const std::vector<std::size_t>& sent, const std::vector<int>& sources,
                  const std::vector<std::size_t>& received) {
  const auto numbers = [](const std::vector<int>& peers, const std::vector<std::size_t>& links) {
    detail::Numbers all;
    for (std::size_t i = 0; i < peers.size(); ++i)
      all[peers[i]] = static_cast<std::int64_t>(links[i]);
    return all;
  };
  const detail::Numbers theirs =
      detail::sparse_exchange(detail::Channel::on(comm), numbers(targets, sent));
  const detail::Numbers mine = numbers(sources, received);
  std::string wrong;
  const auto compare = [&](int peer) {
    const auto count = [peer](const detail::Numbers& all) {
      const auto found = all.find(peer);
      return found == all.end() ? 0 : found->second;
    };
    if (count(mine) != count(theirs) && wrong.empty())
      wrong = "ragged exchange: rank " + std::to_string(mpi::rank(comm)) + " names rank " +
              std::to_string(peer) + " " + std::to_string(count(mine)) +
              " times among its sources, which names it " + std::to_string(count(theirs)) +
              " times among its targets";
  };
  for (const detail::Numbers* all : {&mine, &theirs})
    for (const auto& [peer, count] : *all) compare(peer);
  mpi::agree(comm, wrong);
}

}  // namespace

RaggedExchange::Links::Links(const std::vector<int>& named, int me) : beside(named.size()) {
  for (const int peer : named) {
    if (peer < 0) {
      places.push_back({with_nobody, 0});
    } else if (peer == me) {
      places.push_back({with_me, with_itself++});
    } else {
      const auto known = std::ranges::find(peers, peer);
      const auto frame = static_cast<std::size_t>(known - peers.begin());
      if (known == peers.end()) peers.push_back(peer), sharing.push_back(0);
      places.push_back({frame, sharing[frame]++});
    }
  }
}

RaggedExchange::RaggedExchange(MPI_Comm comm, const std::vector<int>& targets,
                               const std::vector<int>& sources, std::size_t element_bytes,
                               std::size_t capacity, const Scheme& scheme)
    : element_bytes_(element_bytes), out_(targets, mpi::rank(comm)), in_(sources, mpi::rank(comm)) {
  const auto one_each = [](const Links& links) {
    return std::ranges::all_of(links.sharing, [](std::size_t count) { return count == 1; });
  };
  const std::string wrong = links_complaint(comm, targets, sources, element_bytes, capacity);
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  const auto least = mpi::agree(comm, wrong,
                                {wrong.empty() ? -static_cast<std::int64_t>(capacity) : 0,
                                 one_each(out_) && one_each(in_), bytes, -bytes});
  if (least[2] != -least[3])
    throw Error("ragged exchange: elements have " + std::to_string(least[2]) +
                " bytes on one rank and " + std::to_string(-least[3]) +
                " on another; give the same on all of them");
  if (least[1] == 0) check_counts(comm, out_.peers, out_.sharing, in_.peers, in_.sharing);

  const std::size_t room = static_cast<std::size_t>(-least[0]) * element_bytes;
  const auto frames = [room](const Links& links) {
    detail::FrameLinks all{links.peers, {}};
    for (const std::size_t count : links.sharing)
      all.rooms.push_back(count == 1 ? room : count * (word + words(room)));
    return all;
  };
  frames_ = detail::ended_as_it_must(std::make_shared<detail::Frames>(
      comm, frames(out_), frames(in_), scheme, detail::Lengths::told));
  const auto links = [](const detail::FrameLinks& all) {
    std::vector<trace::detail::Link> traced;
    for (std::size_t i = 0; i < all.peers.size(); ++i)
      traced.push_back({all.peers[i], all.rooms[i]});
    return traced;
  };
  traced_ =
      trace::detail::describe(comm, this->scheme().str(), links(frames(out_)), links(frames(in_)),
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
  pack_shared();
  frames_->start();
}

void RaggedExchange::pack_shared() {
  for (std::size_t frame = 0; frame < out_.sharing.size(); ++frame) {
    if (out_.sharing[frame] == 1) continue;
    std::size_t bytes = out_.sharing[frame] * word;
    const auto each = [&](const auto& visit) {
      for (std::size_t link = 0; link < out_.places.size(); ++link)
        if (out_.places[link].frame == frame) visit(out_.beside[link]);
    };
    each([&](const auto& elements) { bytes += words(elements.size()); });
    std::byte* length = frames_->message(frame, bytes);
    std::byte* at = length + out_.sharing[frame] * word;
    each([&](const auto& elements) {
      const std::uint64_t size = elements.size();
      std::memcpy(length, &size, word);
      std::ranges::copy(elements, at);
      length += word, at += words(size);
    });
  }
}

void RaggedExchange::finish() {
  frames().step.finish(scheme());
  maybe_delay();
  {
    const trace::detail::StepPart part(Activity::end_step, traced_, step_);
    detail::naming_awaited(frames_->method(), [&] { frames_->finish(); });
  }
  // In the order of both lists.
  std::size_t from_me = 0;
  for (std::size_t link = 0; link < out_.places.size(); ++link) {
    if (out_.places[link].frame == with_me) {
      while (in_.places[from_me].frame != with_me) ++from_me;
      std::swap(in_.beside[from_me++], out_.beside[link]);
    }
    out_.beside[link].clear();
  }
  frames_->step.end();
  maybe_delay();
}

MPI_Comm RaggedExchange::comm() const {
  return frames().setup().comm;
}
const Scheme& RaggedExchange::scheme() const {
  return frames().setup().scheme;
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
  check_link(link, out_.places.size(), "targets");
  const auto frame = out_.places[link].frame;
  const std::size_t bytes = count * element_bytes;
  if (frame < out_.peers.size() && out_.sharing[frame] == 1) return frames_->message(frame, bytes);
  out_.beside[link].resize(bytes);
  return out_.beside[link].data();
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
  check_link(link, in_.places.size(), "sources");
  const auto [frame, number] = in_.places[link];
  const detail::Frames& all = frames();
  if (frame == with_nobody) return {};
  if (frame == with_me) return in_.beside[link];
  const std::span<const std::byte> message = all.received(frame);
  const std::size_t count = in_.sharing[frame];
  if (count == 1 || message.empty()) return message;
  std::size_t begin = count * word;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i <= number; ++i) {
    begin += words(bytes);
    std::memcpy(&bytes, message.data() + i * word, word);
  }
  return message.subspan(begin, bytes);
}

}  // namespace halocline
