// Exchanges as one collective call: with the neighbours of a graph, or with all ranks.

#include "contender.hpp"
#include "types.hpp"

#include <halocline/error.hpp>

#include <algorithm>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HALOREPLAY_HAS_PERSISTENT_COLLECTIVES 1
#pragma weak MPI_Alltoallv_init
#pragma weak MPI_Alltoallw_init
#pragma weak MPI_Neighbor_alltoallv_init
#pragma weak MPI_Neighbor_alltoallw_init
#endif

namespace haloreplay {

using namespace halocline;

namespace {

/// One direction, as the calls want it: an entry for each neighbour, or for each rank.
struct Direction {
  std::vector<int> peers;
  std::vector<int> counts, places;   // of ...v: bytes
  std::vector<MPI_Aint> far_places;  // of Neighbor_alltoallw
  std::vector<MPI_Datatype> types;   // of ...w
};

class Collective final : public AreaContender {
 public:
  Collective(const Ground& ground, bool on_graph, PlannedPattern::Calls calls)
      : AreaContender(ground.plain),
        on_graph_(on_graph),
        by_types_(!fits_into_v(ground.traffic)),
        calls_(calls) {
    const auto me = static_cast<std::size_t>(ground.me);
    fill(sends_, ground, ground.traffic.sent[me], true);
    fill(receives_, ground, ground.traffic.received[me], false);
    if (on_graph_) {
      MPI_Comm graph = MPI_COMM_NULL;
      HALOCLINE_MPI(MPI_Dist_graph_create_adjacent, ground.group.comm,
                    static_cast<int>(receives_.peers.size()), receives_.peers.data(),
                    MPI_UNWEIGHTED, static_cast<int>(sends_.peers.size()), sends_.peers.data(),
                    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
      comm_ = mpi::Comm(graph);
    } else {
      comm_ = mpi::Comm::duplicate(ground.group.comm);
      over_all_ranks(sends_, ground);
      over_all_ranks(receives_, ground);
    }
    if (calls_ == PlannedPattern::persistent) make_request();
  }

  void exchange(Step& step) override {
    if (calls_ == PlannedPattern::blocking) {
      call();
      step.compute_all();
      return;
    }
    if (calls_ == PlannedPattern::persistent)
      mpi::check(MPI_Start(request_.address()), "MPI_Start");
    else
      begin();
    step.compute_all();
    mpi::check(MPI_Wait(request_.address(), MPI_STATUS_IGNORE), "MPI_Wait");
  }

 private:
  /// Bytes between where sends and receives of ...v are counted from: a call that is given one
  /// address for both, Open MPI takes for one with MPI_IN_PLACE.
  static constexpr int apart = 1;

  static bool fits_into_v(const Traffic& traffic) {
    constexpr std::size_t most = std::size_t{1} << 31;
    return traffic.contiguous() &&
           std::ranges::all_of(traffic.memory, [](std::size_t bytes) { return bytes < most; });
  }

  void fill(Direction& direction, const Ground& ground, std::vector<std::size_t> messages,
            bool sending) {
    const auto peer = [&](std::size_t number) {
      const Message& message = traffic().messages[number];
      return ground.group[sending ? message.to : message.from];
    };
    // Both ends have what goes between them in one order.
    std::ranges::sort(messages);
    std::ranges::stable_sort(messages, {}, peer);
    for (const std::size_t number : messages) {
      const Message& message = traffic().messages[number];
      const Blocks& blocks = sending ? message.at_sender : message.at_receiver;
      const Typed typed = types_.of(blocks, traffic().unit);
      direction.peers.push_back(peer(number));
      direction.counts.push_back(by_types_ ? typed.count : static_cast<int>(message.most));
      direction.places.push_back(by_types_ ? 0
                                 : sending ? static_cast<int>(typed.place)
                                           : static_cast<int>(typed.place) - apart);
      direction.far_places.push_back(reinterpret_cast<MPI_Aint>(area().data()) + typed.place);
      direction.types.push_back(typed.type);
    }
  }

  /// One entry for each rank: what lies anywhere, from MPI_BOTTOM on, is in its type.
  void over_all_ranks(Direction& direction, const Ground& ground) {
    const auto ranks = static_cast<std::size_t>(mpi::size(ground.group.comm));
    Direction all{.peers = {},
                  .counts = std::vector<int>(ranks, 0),
                  .places = std::vector<int>(ranks, 0),
                  .far_places = {},
                  .types = std::vector<MPI_Datatype>(ranks, MPI_BYTE)};
    for (std::size_t i = 0; i < direction.peers.size(); ++i) {
      const auto peer = static_cast<std::size_t>(direction.peers[i]);
      all.counts[peer] = direction.counts[i];
      all.places[peer] = direction.places[i];
      all.types[peer] = direction.types[i];
      if (!by_types_) continue;
      MPI_Datatype made = MPI_DATATYPE_NULL;
      HALOCLINE_MPI(MPI_Type_create_hindexed, 1, &direction.counts[i], &direction.far_places[i],
                    direction.types[i], &made);
      HALOCLINE_MPI(MPI_Type_commit, &made);
      all.types[peer] = absolute_.emplace_back(made).get();
      all.counts[peer] = 1;
    }
    direction = std::move(all);
  }

  void call() {
    std::byte *const data = area().data(), *const halos = data + apart;
    if (on_graph_ && by_types_)
      mpi::check(MPI_Neighbor_alltoallw(MPI_BOTTOM, sends_.counts.data(), sends_.far_places.data(),
                                        sends_.types.data(), MPI_BOTTOM, receives_.counts.data(),
                                        receives_.far_places.data(), receives_.types.data(), comm_),
                 "MPI_Neighbor_alltoallw");
    else if (on_graph_)
      mpi::check(
          MPI_Neighbor_alltoallv(data, sends_.counts.data(), sends_.places.data(), MPI_BYTE, halos,
                                 receives_.counts.data(), receives_.places.data(), MPI_BYTE, comm_),
          "MPI_Neighbor_alltoallv");
    else if (by_types_)
      mpi::check(MPI_Alltoallw(MPI_BOTTOM, sends_.counts.data(), sends_.places.data(),
                               sends_.types.data(), MPI_BOTTOM, receives_.counts.data(),
                               receives_.places.data(), receives_.types.data(), comm_),
                 "MPI_Alltoallw");
    else
      mpi::check(MPI_Alltoallv(data, sends_.counts.data(), sends_.places.data(), MPI_BYTE, halos,
                               receives_.counts.data(), receives_.places.data(), MPI_BYTE, comm_),
                 "MPI_Alltoallv");
  }

  void begin() {
    std::byte *const data = area().data(), *const halos = data + apart;
    MPI_Request* const request = request_.address();
    if (on_graph_ && by_types_)
      mpi::check(MPI_Ineighbor_alltoallw(MPI_BOTTOM, sends_.counts.data(), sends_.far_places.data(),
                                         sends_.types.data(), MPI_BOTTOM, receives_.counts.data(),
                                         receives_.far_places.data(), receives_.types.data(), comm_,
                                         request),
                 "MPI_Ineighbor_alltoallw");
    else if (on_graph_)
      mpi::check(MPI_Ineighbor_alltoallv(data, sends_.counts.data(), sends_.places.data(), MPI_BYTE,
                                         halos, receives_.counts.data(), receives_.places.data(),
                                         MPI_BYTE, comm_, request),
                 "MPI_Ineighbor_alltoallv");
    else if (by_types_)
      mpi::check(MPI_Ialltoallw(MPI_BOTTOM, sends_.counts.data(), sends_.places.data(),
                                sends_.types.data(), MPI_BOTTOM, receives_.counts.data(),
                                receives_.places.data(), receives_.types.data(), comm_, request),
                 "MPI_Ialltoallw");
    else
      mpi::check(MPI_Ialltoallv(data, sends_.counts.data(), sends_.places.data(), MPI_BYTE, halos,
                                receives_.counts.data(), receives_.places.data(), MPI_BYTE, comm_,
                                request),
                 "MPI_Ialltoallv");
  }

  void make_request() {
#ifdef HALOREPLAY_HAS_PERSISTENT_COLLECTIVES
    if (&MPI_Neighbor_alltoallw_init == nullptr || &MPI_Alltoallw_init == nullptr)
      throw Error("this MPI has no persistent collectives");
    std::byte *const data = area().data(), *const halos = data + apart;
    MPI_Request* const request = request_.address();
    if (on_graph_ && by_types_)
      HALOCLINE_MPI(MPI_Neighbor_alltoallw_init, MPI_BOTTOM, sends_.counts.data(),
                    sends_.far_places.data(), sends_.types.data(), MPI_BOTTOM,
                    receives_.counts.data(), receives_.far_places.data(), receives_.types.data(),
                    comm_, MPI_INFO_NULL, request);
    else if (on_graph_)
      HALOCLINE_MPI(MPI_Neighbor_alltoallv_init, data, sends_.counts.data(), sends_.places.data(),
                    MPI_BYTE, halos, receives_.counts.data(), receives_.places.data(), MPI_BYTE,
                    comm_, MPI_INFO_NULL, request);
    else if (by_types_)
      HALOCLINE_MPI(MPI_Alltoallw_init, MPI_BOTTOM, sends_.counts.data(), sends_.places.data(),
                    sends_.types.data(), MPI_BOTTOM, receives_.counts.data(),
                    receives_.places.data(), receives_.types.data(), comm_, MPI_INFO_NULL, request);
    else
      HALOCLINE_MPI(MPI_Alltoallv_init, data, sends_.counts.data(), sends_.places.data(), MPI_BYTE,
                    halos, receives_.counts.data(), receives_.places.data(), MPI_BYTE, comm_,
                    MPI_INFO_NULL, request);
#else
    throw Error("this MPI has no persistent collectives");
#endif
  }

  bool on_graph_, by_types_;
  PlannedPattern::Calls calls_;
  Types types_;
  std::deque<mpi::Datatype> absolute_;
  Direction sends_, receives_;
  mpi::Comm comm_;
  mpi::Request request_;
};

}  // namespace

std::unique_ptr<Contender> make_neighbor(const Ground& ground, PlannedPattern::Calls calls) {
  return std::make_unique<Collective>(ground, true, calls);
}

std::unique_ptr<Contender> make_alltoall(const Ground& ground, PlannedPattern::Calls calls) {
  return std::make_unique<Collective>(ground, false, calls);
}

}  // namespace haloreplay
