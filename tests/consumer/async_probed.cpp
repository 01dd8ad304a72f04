// p2p:probed, asynchronous: MPI_Issend where an earlier one is complete, else the cells are not
// sent; the receiver takes what MPI_Improbe finds, and keeps the newest.

#include <halocline/more/async_method.hpp>
#include <halocline/more/under_way.hpp>
#include <halocline/more/waiting.hpp>

#include <algorithm>

namespace {

using namespace halocline;

using Message = std::vector<std::byte>;

class AsyncProbed final : public methods::AsyncMethod {
 public:
  AsyncProbed(methods::Setup s, const AsyncOptions& options) : AsyncMethod(std::move(s), options) {
    for (const methods::Layout& cells : outgoing()) {
      std::vector<mpi::Pending<Message>>& link = sends_.emplace_back();
      for (int i = 0; i < buffers(); ++i) link.emplace_back(Message(header + cells.bytes()));
    }
    for (const methods::Layout& cells : incoming()) newest_.emplace_back(header + cells.bytes());
    sent_.assign(outgoing().size(), 0);
    ended_.assign(incoming().size(), false);
  }
  ~AsyncProbed() override { come_to_rest(); }

 private:
  void offer(std::uint64_t iteration) override {
    for (std::size_t link = 0; link < sends_.size(); ++link) {
      mpi::Pending<Message>& message = sends_[link][sent_[link] % sends_[link].size()];
      int complete = 0;
      HALOCLINE_MPI(MPI_Test, &message.request(), &complete, MPI_STATUS_IGNORE);
      if (complete == 0) {
        ++counts_.skipped;
        continue;
      }
      pack(outgoing()[link], iteration, message->data());
      const mpi::Bytes bytes(message->size());
      HALOCLINE_MPI(MPI_Issend, message->data(), bytes.count(), bytes.type(),
                    pattern().sends()[link].peer, tag(), comm(), &message.request());
      ++sent_[link];
      ++counts_.sent;
    }
  }

  std::size_t collect() override {
    std::size_t links = 0;
    for (std::size_t link = 0; link < newest_.size(); ++link) links += collect_from(link);
    return links;
  }

  bool collect_from(std::size_t link) {
    const int source = pattern().receives()[link].peer;
    std::uint64_t arrived = 0;
    // As many as may be there, and no more: the source may send faster than I can read.
    for (int i = 0; i < buffers() && !ended_[link]; ++i) {
      MPI_Message found = MPI_MESSAGE_NULL;
      MPI_Status status;
      int there = 0, count = 0;
      HALOCLINE_MPI(MPI_Improbe, source, tag(), comm(), &there, &found, &status);
      if (there == 0) break;
      const mpi::Bytes bytes(newest_[link].size());
      HALOCLINE_MPI(MPI_Get_count, &status, bytes.type(), &count);
      HALOCLINE_MPI(MPI_Mrecv, newest_[link].data(), bytes.count(), bytes.type(), &found,
                    MPI_STATUS_IGNORE);
      if (count == 0)
        ended_[link] = true;
      else
        ++arrived;
    }
    if (arrived == 0) return false;
    ++counts_.received;
    counts_.superseded += arrived - 1;
    iterations_[link] = unpack(incoming()[link], newest_[link].data(), source);
    return true;
  }

  /// An empty message says that it is the last one.
  void settle() override {
    mpi::UnderWay last(mpi::UnderWay::others, sends_.size());
    for (std::size_t link = 0; link < sends_.size(); ++link)
      HALOCLINE_MPI(MPI_Isend, nullptr, 0, MPI_BYTE, pattern().sends()[link].peer, tag(), comm(),
                    &last[link]);
    wait_until(what(), [&] {
      collect();
      return std::find(ended_.begin(), ended_.end(), false) == ended_.end();
    });
    for (std::vector<mpi::Pending<Message>>& link : sends_)
      for (mpi::Pending<Message>& message : link) wait_one(what(), message.request());
    wait_all(what(), last);
    ended_.assign(ended_.size(), false);
  }

  std::vector<std::vector<mpi::Pending<Message>>> sends_;  // of each link, used in turn
  std::vector<std::size_t> sent_;                          // by each link
  std::vector<Message> newest_;                            // of each source
  std::vector<bool> ended_;                                // this source has sent its last one
};

/// In the words of the model: what is sent, and what is looked for.
void describe_probed(const model::Chosen&, const model::Links& links, model::Script& send,
                     model::Script& receive) {
  methods::describe_offers(links, send, receive, "send", "receive");
}

}  // namespace

extern "C" void halocline_methods() {
  register_async_method(
      {.name = "p2p:probed",
       .summary = "R MPI_Issend; the receiver takes messages as MPI_Improbe finds them",
       .options = {},
       .make = methods::make_async<AsyncProbed>,
       .describe = describe_probed});
}
