// p2p:nonblocking, asynchronous: every link has a ring of R sends and a ring of R receives.
//
//   MPI_Issend   into the ring if its oldest request is complete, else the cells are not sent;
//                synchronous, so that a slow receiver does not pile messages up inside MPI
//   MPI_Irecv    R posted all the time, completed in order; the newest complete one is unpacked
//
// No receive is ever cancelled. To come to rest, every sender sends R empty messages at the end.
// They use up the receives that are posted, and the receiver posts no others for them.
//
// Racy: a receive buffer may not be read before its receive is complete, so a link is cut into
// parts that travel by themselves and are unpacked as they come.

#include "mpi/under_way.hpp"

#include <halocline/more/async_method.hpp>
#include <halocline/more/waiting.hpp>

#include <algorithm>

namespace halocline::detail {

namespace {

using Buffer = std::vector<std::byte>;

struct Slot {
  Buffer buffer{};
  MPI_Request request = MPI_REQUEST_NULL;

  bool complete(MPI_Status* status = MPI_STATUS_IGNORE) {
    int done = 0;
    HALOCLINE_MPI(MPI_Test, &request, &done, status);
    return done != 0;
  }
};

/// One direction of a link, or of a part of it.
struct Stream {
  Stream(std::size_t link_, int peer_, MPI_Comm comm_, int tag_, Layout cells_, int buffers,
         std::size_t header)
      : link(link_),
        peer(peer_),
        comm(comm_),
        tag(tag_),
        cells(std::move(cells_)),
        bytes(header + cells.bytes()),
        ring(static_cast<std::size_t>(buffers)) {
    for (Slot& slot : ring) slot.buffer.resize(header + cells.bytes());
  }

  Slot& oldest() { return ring[turn]; }
  void advance() { turn = (turn + 1) % ring.size(); }

  std::size_t link;
  int peer;
  MPI_Comm comm;
  int tag;
  Layout cells;
  mpi::Bytes bytes;
  std::vector<Slot> ring;
  std::size_t turn = 0;
};

struct Incoming : Stream {
  using Stream::Stream;
  Buffer newest = ring.front().buffer;  ///< room for one message more than are posted
  std::size_t empty_ones = 0;           ///< messages that have come since receives were posted
  std::uint64_t iteration = 0;
};

class AsyncP2p final : public PartedMethod {
 public:
  AsyncP2p(Setup s, const AsyncOptions& options) : PartedMethod(std::move(s), options) {
    // A tag for each part.
    for (std::size_t tags = Channel::tags; racy() && tags < most_parts; tags += Channel::tags)
      further_.push_back(setup().comm.another());
    open(pattern().sends(), outgoing(), sends_);
    open(pattern().receives(), incoming(), receives_);
  }

  ~AsyncP2p() override {
    if (come_to_rest() || !mpi::running()) return;
    // Messages may still come in.
    keep(std::make_shared<std::vector<Stream>>(std::move(sends_)));
    keep(std::make_shared<std::vector<Incoming>>(std::move(receives_)));
    for (const Channel& channel : further_) channel.keep();
  }

 private:
  template <class S>
  void open(const std::vector<Link>& links, const std::vector<Layout>& layouts,
            std::vector<S>& streams) {
    for (std::size_t link = 0; link < links.size(); ++link) {
      std::size_t number = 0;
      for (Layout& part : parts_of(layouts[link])) {
        const std::size_t channel = number / Channel::tags;
        const Channel& by = channel == 0 ? setup().comm : further_[channel - 1];
        const auto tag = by.tag(static_cast<int>(number++ % Channel::tags));
        streams.emplace_back(link, links[link].peer, by, tag, std::move(part), buffers(), header);
      }
    }
  }

  void post(Incoming& stream, Slot& slot) {
    HALOCLINE_MPI(MPI_Irecv, slot.buffer.data(), stream.bytes.count(), stream.bytes.type(),
                  stream.peer, stream.tag, stream.comm, &slot.request);
  }

  void post_all() {
    if (posted_) return;
    for (Incoming& stream : receives_) {
      stream.empty_ones = 0;
      for (std::size_t i = 0; i < stream.ring.size(); ++i, stream.advance())
        post(stream, stream.oldest());
    }
    posted_ = true;
  }

  void offer(std::uint64_t iteration) override {
    post_all();
    for (Stream& stream : sends_) {
      Slot& slot = stream.oldest();
      if (!slot.complete()) {
        ++counts_.skipped;
        continue;
      }
      pack(stream.cells, iteration, slot.buffer.data());
      const trace::Event event(Activity::send, stream.peer, slot.buffer.size());
      HALOCLINE_MPI(MPI_Issend, slot.buffer.data(), stream.bytes.count(), stream.bytes.type(),
                    stream.peer, stream.tag, stream.comm, &slot.request);
      stream.advance();
      ++counts_.sent;
    }
  }

  std::size_t collect() override {
    post_all();
    return collect_parts(receives_, [&](std::size_t i) { return take(receives_[i]); });
  }

  bool take(Incoming& stream) {
    std::uint64_t arrived = 0;
    // Those in my ring and in the sender's, and no more: it may send faster than I can read.
    for (std::size_t i = 0; i < 2 * stream.ring.size(); ++i) {
      if (stream.empty_ones == stream.ring.size()) break;
      Slot& slot = stream.oldest();
      MPI_Status status;
      if (!slot.complete(&status)) break;
      stream.advance();
      int count = 0;
      HALOCLINE_MPI(MPI_Get_count, &status, stream.bytes.type(), &count);
      if (count == 0) {
        ++stream.empty_ones;
      } else {
        ++arrived;
        std::swap(slot.buffer, stream.newest);
        post(stream, slot);
      }
    }
    if (arrived == 0) return false;
    ++counts_.received;
    counts_.superseded += arrived - 1;
    stream.iteration = unpack(stream.cells, stream.newest.data(), stream.peer);
    return true;
  }

  void settle() override {
    std::vector<MPI_Request> empty_ones;
    for (const Stream& stream : sends_)
      for (std::size_t i = 0; i < stream.ring.size(); ++i)
        HALOCLINE_MPI(MPI_Isend, nullptr, 0, stream.bytes.type(), stream.peer, stream.tag,
                      stream.comm, &empty_ones.emplace_back(MPI_REQUEST_NULL));
    wait_until(what(), [&] {
      collect();
      return std::all_of(receives_.begin(), receives_.end(), [](const Incoming& stream) {
        return stream.empty_ones == stream.ring.size();
      });
    });
    for (Stream& stream : sends_)
      for (Slot& slot : stream.ring) wait_one(what(), slot.request);
    wait_all(what(), empty_ones);
    posted_ = false;
  }

  std::vector<Channel> further_;
  std::vector<Stream> sends_;
  std::vector<Incoming> receives_;
  bool posted_ = false;
};

}  // namespace

AsyncMethodFacts async_p2p() {
  return {
      .name = "p2p:nonblocking",
      .summary = "R MPI_Issend and R posted MPI_Irecv",
      .options = {"mode"},
      .make = make_async<AsyncP2p>,
      .describe =
          [](const model::Chosen&, const model::Links& links, model::Script& send,
             model::Script& receive) { describe_offers(links, send, receive, "send", "receive"); },
      .unread_racy = Unread::kept};
}

}  // namespace halocline::detail
