#include "neighbor.hpp"

#include <algorithm>

namespace halocline::detail {

namespace {

/// The peers of one side. With one-way links, each gets an empty one in the other direction:
/// MPICH 4.0.2 ignores all links of a rank that has none on one side (and may crash).
std::vector<int> peers(const Setup& setup, std::vector<int> one, const std::vector<int>& other) {
  if (!setup.two_way)
    for (int peer : other)
      if (std::find(one.begin(), one.end(), peer) == one.end()) one.push_back(peer);
  return one;
}

}  // namespace

Neighbors::Side::Side(std::vector<int> peers_, const std::vector<Message>& messages)
    : peers(std::move(peers_)),
      counts(peers.size(), 0),
      addresses(peers.size(), 0),
      types(peers.size(), MPI_BYTE) {
  for (const auto& [peer, data, count, type] : messages) {
    const auto i =
        static_cast<std::size_t>(std::find(peers.begin(), peers.end(), peer) - peers.begin());
    places_.push_back(i);
    counts[i] = count;
    types[i] = type;
  }
  find(messages);
}

void Neighbors::Side::find(const std::vector<Message>& messages) {
  for (std::size_t m = 0; m < messages.size(); ++m)
    // A datatype holds absolute addresses itself.
    if (messages[m].data != MPI_BOTTOM)
      HALOCLINE_MPI(MPI_Get_address, messages[m].data, &addresses[places_[m]]);
}

Neighbors::Neighbors(Setup s)
    : Method(std::move(s)),
      all_(std::make_shared<Messages>(setup(), bases(), scheme().is("pack", "on"),
                                      ReceiveInto::kept)),
      sends_(peers(setup(), setup().targets(), setup().sources()), messages_.sends),
      receives_(peers(setup(), setup().sources(), setup().targets()), messages_.receives),
      request_(Messages::others_of(all_, 1)) {
  const auto &sources = receives_.peers, &targets = sends_.peers;
  const std::vector<int> weights(std::max(sources.size(), targets.size()) + 1, 1);
  auto& graphs = setup().comm.shared<Graphs>("graphs");
  graph_ = graphs.find({sources, targets}, [&] {
    MPI_Comm raw = MPI_COMM_NULL;
    HALOCLINE_MPI(MPI_Dist_graph_create_adjacent, comm(), static_cast<int>(sources.size()),
                  sources.data(), weights.data(), static_cast<int>(targets.size()), targets.data(),
                  weights.data(), MPI_INFO_NULL, /*reorder=*/0, &raw);
    return mpi::Comm(raw);
  });
}

void Neighbors::rebound() {
  messages_.rebind(bases());
  sends_.find(messages_.sends);
  receives_.find(messages_.receives);
}

Neighbors::~Neighbors() {
  // A collective that has begun on this rank alone would meet the next one of others.
  if (abandoning() && mpi::running()) setup().comm.shared<Graphs>("graphs").forget(graph_);
}

model::Step describe_neighbor(const model::Chosen& chosen, const model::Links& links,
                              std::string_view call, bool blocks) {
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  DescribedMessages messages(chosen, step);
  for (const model::LinkSize& link : links.sends) messages.pack(start, link);
  start.keep(links);
  model::Script& begin = blocks ? finish : start;
  begin.call(call);
  for (const model::LinkSize& link : links.sends) begin.send(link, "send:neighbor");
  finish.whichever_first(links.receives, [&](const model::LinkSize& link) {
    finish.receive(link, "receive:neighbor");
  });
  for (const model::LinkSize& link : links.sends) finish.sent(link);
  for (const model::LinkSize& link : links.receives) messages.unpack(finish, link);
  return step;
}

}  // namespace halocline::detail
