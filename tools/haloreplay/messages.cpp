// Messages of plain MPI: those of the present program in its order, and what it could do instead.

#include "contender.hpp"
#include "types.hpp"

#include <halocline/error.hpp>

#include <algorithm>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HALOREPLAY_HAS_PARTITIONED 1
#pragma weak MPI_Precv_init
#pragma weak MPI_Psend_init
#pragma weak MPI_Pready
#endif

namespace haloreplay {

using namespace halocline;

namespace {

/// One end of a message on this rank.
struct MessageEnd {
  std::size_t message;
  bool sends;
};

enum class Requests { made_anew, persistent, partitioned };

class Messages final : public AreaContender {
 public:
  /// `order` has numbers of `ends`.
  Messages(const Ground& ground, const std::vector<MessageEnd>& ends, std::vector<Action> order,
           Requests requests)
      : AreaContender(ground.plain),
        comm_(ground.group.comm),
        order_(std::move(order)),
        persistent_(requests != Requests::made_anew),
        partitioned_(requests == Requests::partitioned) {
    for (const MessageEnd& one : ends) {
      const Message& message = traffic().messages[one.message];
      const Typed typed =
          types_.of(one.sends ? message.at_sender : message.at_receiver, traffic().unit);
      ends_.push_back({.message = one.message,
                       .sends = one.sends,
                       .varies = message.varies(),
                       .synchronous = message.synchronous,
                       .peer = ground.group[one.sends ? message.to : message.from],
                       .tag = message.tag,
                       .address = area().data() + typed.place,
                       .count = typed.count,
                       .type = typed.type});
    }
    requests_.resize(ends_.size(), MPI_REQUEST_NULL);
    if (persistent_) make_requests();
    plan_waits();
  }

  void exchange(Step& step) override {
    std::size_t waits = 0, computed = 0;
    for (const Action& action : order_) {
      switch (action.what) {
        case Action::start: start(action, step.number()); break;
        case Action::block:
          for (const int link : action.links) block(end(link), step.number());
          break;
        case Action::sendrecv:
          sendrecv(end(action.links[0]), end(action.links[1]), step.number());
          break;
        case Action::compute: step.compute(computed++); break;
        case Action::wait: wait(action, waits_[waits++], step); break;
      }
    }
  }

 private:
  struct End {
    std::size_t message;
    bool sends, varies, synchronous;
    int peer, tag;
    std::byte* address;
    int count;
    MPI_Datatype type;
  };
  /// The requests of an Action::wait, beside each other as calls want them.
  struct Wait {
    std::vector<MPI_Request> requests;
    std::vector<int> done;
  };

  const End& end(int link) const { return ends_[static_cast<std::size_t>(link)]; }
  int count(const End& end, std::size_t step) const {
    return end.varies && end.sends
               ? static_cast<int>(traffic().bytes(end.message, step) / traffic().unit)
               : end.count;
  }

  void make_requests() {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const End& one = ends_[i];
      MPI_Request* const request = own_requests_.emplace_back().address();
      if (partitioned_) {
#ifdef HALOREPLAY_HAS_PARTITIONED
        if (&MPI_Psend_init == nullptr) throw Error("this MPI has no MPI_Psend_init");
        if (one.sends)
          HALOCLINE_MPI(MPI_Psend_init, one.address, 1, one.count, one.type, one.peer, one.tag,
                        comm_, MPI_INFO_NULL, request);
        else
          HALOCLINE_MPI(MPI_Precv_init, one.address, 1, one.count, one.type, one.peer, one.tag,
                        comm_, MPI_INFO_NULL, request);
#else
        throw Error("this MPI has no MPI_Psend_init");
#endif
      } else if (!one.sends) {
        HALOCLINE_MPI(MPI_Recv_init, one.address, one.count, one.type, one.peer, one.tag, comm_,
                      request);
      } else if (one.synchronous) {
        HALOCLINE_MPI(MPI_Ssend_init, one.address, one.count, one.type, one.peer, one.tag, comm_,
                      request);
      } else {
        HALOCLINE_MPI(MPI_Send_init, one.address, one.count, one.type, one.peer, one.tag, comm_,
                      request);
      }
      requests_[i] = *request;
    }
  }

  void plan_waits() {
    for (const Action& action : order_) {
      if (action.what != Action::wait) continue;
      Wait& wait = waits_.emplace_back();
      wait.requests.resize(action.links.size(), MPI_REQUEST_NULL);
      wait.done.resize(action.links.size());
    }
  }

  void start(const Action& action, std::size_t step) {
    if (persistent_) {
      auto& requests = starting_;
      requests.clear();
      for (const int link : action.links)
        requests.push_back(requests_[static_cast<std::size_t>(link)]);
      mpi::check(MPI_Startall(static_cast<int>(requests.size()), requests.data()), "MPI_Startall");
#ifdef HALOREPLAY_HAS_PARTITIONED
      if (partitioned_)
        for (const int link : action.links)
          if (end(link).sends)
            mpi::check(MPI_Pready(0, requests_[static_cast<std::size_t>(link)]), "MPI_Pready");
#endif
      return;
    }
    for (const int link : action.links) {
      const End& one = end(link);
      MPI_Request& request = requests_[static_cast<std::size_t>(link)];
      if (!one.sends)
        mpi::check(MPI_Irecv(one.address, one.count, one.type, one.peer, one.tag, comm_, &request),
                   "MPI_Irecv");
      else if (one.synchronous)
        mpi::check(
            MPI_Issend(one.address, count(one, step), one.type, one.peer, one.tag, comm_, &request),
            "MPI_Issend");
      else
        mpi::check(
            MPI_Isend(one.address, count(one, step), one.type, one.peer, one.tag, comm_, &request),
            "MPI_Isend");
    }
  }

  void block(const End& one, std::size_t step) {
    if (!one.sends)
      mpi::check(
          MPI_Recv(one.address, one.count, one.type, one.peer, one.tag, comm_, MPI_STATUS_IGNORE),
          "MPI_Recv");
    else if (one.synchronous)
      mpi::check(MPI_Ssend(one.address, count(one, step), one.type, one.peer, one.tag, comm_),
                 "MPI_Ssend");
    else
      mpi::check(MPI_Send(one.address, count(one, step), one.type, one.peer, one.tag, comm_),
                 "MPI_Send");
  }

  void sendrecv(const End& out, const End& in, std::size_t step) {
    mpi::check(MPI_Sendrecv(out.address, count(out, step), out.type, out.peer, out.tag, in.address,
                            in.count, in.type, in.peer, in.tag, comm_, MPI_STATUS_IGNORE),
               "MPI_Sendrecv");
  }

  void wait(const Action& action, Wait& wait, Step& step) {
    auto& requests = wait.requests;
    const int all = static_cast<int>(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i)
      requests[i] = requests_[static_cast<std::size_t>(action.links[i])];
    // Those that look at single messages read what has arrived at once.
    const auto arrived = [&](int i) {
      const End& one = end(action.links[static_cast<std::size_t>(i)]);
      if (!one.sends) step.arrived(area(), one.message);
    };
    switch (action.how) {
      case How::wait:
        for (MPI_Request& request : requests)
          mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        break;
      case How::waitany:
        for (int left = all; left > 0; --left) {
          int which = 0;
          mpi::check(MPI_Waitany(all, requests.data(), &which, MPI_STATUS_IGNORE), "MPI_Waitany");
          arrived(which);
        }
        break;
      case How::waitsome:
        for (int left = all; left > 0;) {
          int found = 0;
          mpi::check(
              MPI_Waitsome(all, requests.data(), &found, wait.done.data(), MPI_STATUSES_IGNORE),
              "MPI_Waitsome");
          for (int i = 0; i < found; ++i) arrived(wait.done[static_cast<std::size_t>(i)]);
          left -= found;
        }
        break;
      case How::test:
        for (MPI_Request& request : requests)
          for (int done = 0; done == 0;)
            mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        break;
      default: mpi::check(MPI_Waitall(all, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    }
  }

  MPI_Comm comm_;
  std::vector<Action> order_;
  bool persistent_, partitioned_;
  Types types_;
  std::vector<End> ends_;
  std::deque<mpi::Request> own_requests_;
  std::vector<MPI_Request> requests_, starting_;
  std::deque<Wait> waits_;
};

/// All ends of this rank: those received first.
std::vector<MessageEnd> receives_first(const Ground& ground) {
  const auto me = static_cast<std::size_t>(ground.me);
  std::vector<MessageEnd> ends;
  for (const std::size_t message : ground.traffic.received[me]) ends.push_back({message, false});
  for (const std::size_t message : ground.traffic.sent[me]) ends.push_back({message, true});
  return ends;
}

}  // namespace

std::unique_ptr<Contender> make_present_messages(const Ground& ground) {
  const auto me = static_cast<std::size_t>(ground.me);
  const PlannedRank& rank = ground.pattern.ranks[me];
  std::vector<MessageEnd> ends;
  for (std::size_t i = 0; i < rank.links.size(); ++i)
    ends.push_back({ground.traffic.of_link[me][i], rank.links[i].kind == Kind::send});
  const Requests requests = ground.pattern.family == Family::partitioned  ? Requests::partitioned
                            : ground.pattern.family == Family::persistent ? Requests::persistent
                                                                          : Requests::made_anew;
  return std::make_unique<Messages>(ground, ends, rank.order, requests);
}

std::unique_ptr<Contender> make_messages(const Ground& ground, How how, bool persistent) {
  const std::vector<MessageEnd> ends = receives_first(ground);
  std::vector<int> all;
  for (std::size_t i = 0; i < ends.size(); ++i) all.push_back(static_cast<int>(i));
  std::vector<Action> order{{.what = Action::start, .links = all}};
  const auto& planned = ground.pattern.ranks[static_cast<std::size_t>(ground.me)].order;
  for (const Action& action : planned)
    if (action.what == Action::compute) order.push_back(action);
  if (planned.empty()) order.push_back({.what = Action::compute});
  order.push_back({.what = Action::wait, .links = all, .how = how});
  return std::make_unique<Messages>(ground, ends, std::move(order),
                                    persistent ? Requests::persistent : Requests::made_anew);
}

}  // namespace haloreplay
