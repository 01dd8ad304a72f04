// Neighbourhood collectives that are started and completed apart, nonblocking and persistent ones,
// which check what they receive: `overlapped SCENARIO [SEED]`.

#include "graph.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace checked;

namespace {

Graph ring() {
  Graph edges;
  for (int rank = 0; rank < ranks; ++rank) edges.add(rank, (rank + 1) % ranks, 0);
  edges.make();
  return edges;
}

std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

enum class Function { alltoall, alltoallv, alltoallw, allgather, allgatherv };

/// One call with its buffers. Between numbers that are received lies one that nobody writes.
class Call {
 public:
  /// `largest`: elements of an edge, at most. They depend on the edge and on `variant` alone.
  Call(const Graph& edges, Function function, int variant, int largest)
      : edges_(edges), function_(function) {
    const bool same = function == Function::alltoall || function == Function::allgather;
    const auto length = [&](int from, int to, int edge) {
      if (same) return 1 + variant % largest;
      if (function == Function::allgatherv) return (from * 7 + variant) % largest;
      return (from * 7 + to * 3 + edge + variant) % largest;
    };
    for (auto* numbers : {&sent_, &sent_at_, &received_, &received_at_})
      numbers->reserve(1);  // Open MPI wants to see some even if it reads none
    int all = 0;
    for (std::size_t i = 0; i < edges.out.size(); ++i) {
      sent_.push_back(length(me, edges.out[i], edges.out_edge[i]));
      sent_at_.push_back(all);
      all += sent_.back();
    }
    if (gathers()) all = length(me, 0, 0);
    out_.resize(at(all) + 1);
    all = 0;
    for (std::size_t i = 0; i < edges.in.size(); ++i) {
      received_.push_back(length(edges.in[i], me, edges.in_edge[i]));
      received_at_.push_back(all);
      all += spread() * received_.back() + (same ? 0 : 1);
    }
    in_.resize(at(all) + 1);
  }

  ~Call() {
    if (held_ != MPI_DATATYPE_NULL) MPI_Type_free(&held_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void fill(int step) {
    step_ = step;
    for (std::size_t i = 0; i < edges_.out.size(); ++i)
      for (int j = 0; j < sent_[i]; ++j)
        if (gathers())
          out_[at(j)] = value(me, 0, 0, step, j);
        else
          out_[at(sent_at_[i] + j)] = value(me, edges_.out[i], edges_.out_edge[i], step, j);
    std::ranges::fill(in_, -2);
  }

  void start(int step, MPI_Request* request) {
    fill(step);
    begin(false, request);
  }
  void init(MPI_Request* request) { begin(true, request); }

  void check() const {
    std::vector<double> right(in_.size(), -2);
    for (std::size_t i = 0; i < edges_.in.size(); ++i)
      for (int j = 0; j < received_[i]; ++j)
        right[at(received_at_[i] + spread() * j)] =
            gathers() ? value(edges_.in[i], 0, 0, step_, j)
                      : value(edges_.in[i], me, edges_.in_edge[i], step_, j);
    for (std::size_t i = 0; i < in_.size(); ++i) expect(in_[i], right[i], "received", step_);
  }

 private:
  bool gathers() const {
    return function_ == Function::allgather || function_ == Function::allgatherv;
  }
  int spread() const { return function_ == Function::alltoallw ? 2 : 1; }

  /// What it has made but its buffers is gone when it has been called.
  void begin(bool persistent, MPI_Request* request) {
    const auto make = [&](auto nonblocking, auto init, auto... arguments) {
      if (persistent)
        init(arguments..., edges_.comm, MPI_INFO_NULL, request);
      else
        nonblocking(arguments..., edges_.comm, request);
    };
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define BOTH(name) MPI_Ineighbor_##name, MPI_Neighbor_##name##_init
#else
#define BOTH(name) MPI_Ineighbor_##name, [](auto...) {}
#define NONE_PERSISTENT
#endif
    const int one = sent_.empty() ? 0 : sent_.front();
    const int one_in = received_.empty() ? one : received_.front();
    switch (function_) {
      case Function::alltoall:
        make(BOTH(alltoall), out_.data(), sent_.empty() ? one_in : one, MPI_DOUBLE, in_.data(),
             one_in, MPI_DOUBLE);
        break;
      case Function::allgather:
        make(BOTH(allgather), out_.data(), sent_.empty() ? one_in : one, MPI_DOUBLE, in_.data(),
             one_in, MPI_DOUBLE);
        break;
      case Function::alltoallv:
        make(BOTH(alltoallv), out_.data(), sent_.data(), sent_at_.data(), MPI_DOUBLE, in_.data(),
             received_.data(), received_at_.data(), MPI_DOUBLE);
        break;
      case Function::allgatherv:
        make(BOTH(allgatherv), out_.data(), one, MPI_DOUBLE, in_.data(), received_.data(),
             received_at_.data(), MPI_DOUBLE);
        break;
      case Function::alltoallw: {
        MPI_Datatype apart = MPI_DATATYPE_NULL;
        MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &apart);
        MPI_Type_commit(&apart);
        outs_.assign(sent_.size(), MPI_DOUBLE), ins_.assign(received_.size(), apart);
        out_places_.clear(), in_places_.clear();
        for (const int place : sent_at_)
          out_places_.push_back(place * static_cast<MPI_Aint>(sizeof(double)));
        for (const int place : received_at_)
          in_places_.push_back(place * static_cast<MPI_Aint>(sizeof(double)));
        make(BOTH(alltoallw), out_.data(), sent_.data(), out_places_.data(), outs_.data(),
             in_.data(), received_.data(), in_places_.data(), ins_.data());
        // Open MPI 5.0.11 does not hold those of persistent requests.
        if (persistent)
          held_ = apart;
        else
          MPI_Type_free(&apart);
        break;
      }
    }
  }

  const Graph& edges_;
  Function function_;
  int step_ = 0;
  std::vector<int> sent_, sent_at_, received_, received_at_;
  std::vector<MPI_Aint> out_places_, in_places_;
  std::vector<MPI_Datatype> outs_, ins_;
  MPI_Datatype held_ = MPI_DATATYPE_NULL;
  std::vector<double> out_, in_;
};

// ---- completing ---------------------------------------------------------------------------------

/// Completes all, each in another way than the rank beside does. MPICH 5.0.2 fails in MPI_Testall
/// of persistent collectives.
void complete(std::vector<MPI_Request>& requests, Stream& own, bool persistent = false) {
  const auto count = static_cast<int>(requests.size());
  std::vector<int> indices(requests.size() + 1);
  std::vector<MPI_Status> statuses(requests.size() + 1);
  int index = 0, flag = 0, done = 0;
  MPI_Status status;
  const int way = own.below(8);
  switch (persistent && way == 4 ? 0 : way) {
    case 0: MPI_Waitall(count, requests.data(), statuses.data()); break;
    case 1:
      for (int i = count - 1; i >= 0; --i) MPI_Wait(&requests[at(i)], &status);
      break;
    case 2:
      do MPI_Waitany(count, requests.data(), &index, &status);
      while (index != MPI_UNDEFINED);
      break;
    case 3:
      do MPI_Waitsome(count, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
      while (done != MPI_UNDEFINED);
      break;
    case 4:
      do MPI_Testall(count, requests.data(), &flag, MPI_STATUSES_IGNORE);
      while (!flag);
      break;
    case 5:
      do MPI_Testany(count, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
      while (!flag || index != MPI_UNDEFINED);
      break;
    case 6:
      do MPI_Testsome(count, requests.data(), &done, indices.data(), statuses.data());
      while (done != MPI_UNDEFINED);
      break;
    default:
      for (MPI_Request& one : requests) {
        do MPI_Request_get_status(one, &flag, &status);
        while (!flag);
        do MPI_Test(&one, &flag, &status);
        while (!flag);
      }
  }
}

/// A message around the ring, with a request of its own.
class Message {
 public:
  void start(int step, std::vector<MPI_Request>& requests) {
    step_ = step;
    out_ = value(me, 0, 0, step, 0);
    requests.resize(requests.size() + 2);
    MPI_Irecv(&in_, 1, MPI_DOUBLE, (me + ranks - 1) % ranks, 3, MPI_COMM_WORLD,
              &requests[requests.size() - 2]);
    MPI_Isend(&out_, 1, MPI_DOUBLE, (me + 1) % ranks, 3, MPI_COMM_WORLD, &requests.back());
  }
  void check() const {
    expect(in_, value((me + ranks - 1) % ranks, 0, 0, step_, 0), "message", step_);
  }

 private:
  double out_ = 0, in_ = 0;
  int step_ = 0;
};

Function random_function(Stream& stream) {
  return static_cast<Function>(stream.below(5));
}

// ---- scenarios ----------------------------------------------------------------------------------

/// PETSc's way: one at a time, with work in between.
void same(Stream stream) {
  Graph edges = random_graph(stream);
  Call call(edges, Function::alltoallv, 3, 200);
  for (int step = 0; step < 200; ++step) {
    MPI_Request request = MPI_REQUEST_NULL;
    call.start(step, &request);
    pause_at_random();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    call.check();
  }
  MPI_Comm_free(&edges.comm);
}

/// All functions in any order and lengths, on two communicators, up to six at a time, with messages
/// and blocking collectives in between; completed in any order.
void mixed(Stream stream) {
  Graph edges[2] = {random_graph(stream), random_graph(stream)};
  Stream own(static_cast<std::uint64_t>(me) * 77 + stream.next());
  own.next();
  for (int step = 0; step < 120; ++step) {
    std::deque<Call> calls;
    std::vector<MPI_Request> requests;
    Message message;
    const bool with_message = stream.below(2) == 0;
    if (with_message) message.start(step, requests);
    const int count = 1 + stream.below(step < 40 ? 1 : 6);
    for (int i = 0; i < count; ++i) {
      const Graph& here = edges[stream.below(2)];
      const Function function = random_function(stream);
      const int variant = stream.below(50), largest = stream.below(20) == 0 ? 30000 : 60;
      pause_at_random();
      calls.emplace_back(here, function, variant, largest);
      requests.push_back(MPI_REQUEST_NULL);
      calls.back().start(step, &requests.back());
    }
    if (stream.below(4) == 0) MPI_Barrier(MPI_COMM_WORLD);
    pause_at_random();
    for (std::size_t i = requests.size(); i > 1; --i)
      std::swap(requests[i - 1], requests[at(own.below(static_cast<int>(i)))]);
    complete(requests, own);
    for (const Call& call : calls) call.check();
    if (with_message) message.check();
  }
  for (Graph& one : edges) MPI_Comm_free(&one.comm);
}

/// One rank starts all its steps before any other starts one, and completes the last one first.
void ahead(Stream stream) {
  constexpr int count = 40;
  Graph edges = random_graph(stream);
  for (int round = 0; round < 3; ++round) {
    const int first = round % ranks;
    if (me != first) MPI_Recv(nullptr, 0, MPI_INT, first, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::deque<Call> calls;
    std::vector<MPI_Request> requests(count, MPI_REQUEST_NULL);
    for (int step = 0; step < count; ++step) {
      calls.emplace_back(edges, Function::alltoallv, step % 3, step % 7 == 0 ? 20000 : 50);
      calls.back().start(round * count + step, &requests[at(step)]);
    }
    if (me == first)
      for (int rank = 0; rank < ranks; ++rank)
        if (rank != me) MPI_Send(nullptr, 0, MPI_INT, rank, 4, MPI_COMM_WORLD);
    for (int step = count - 1; step >= 0; --step) {
      MPI_Wait(&requests[at(step)], MPI_STATUS_IGNORE);
      calls[at(step)].check();
    }
  }
  MPI_Comm_free(&edges.comm);
}

/// Between start and completion a rank waits for a message that another sends after it has
/// completed.
void between(Stream) {
  Graph edges;
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) edges.add(from, to, 0);
  edges.make();
  Call call(edges, Function::alltoallv, 5, 30000);
  for (int step = 0; step < 60; ++step) {
    const int last = step % ranks;
    MPI_Request request = MPI_REQUEST_NULL;
    call.start(step, &request);
    if (me == last)
      for (int i = 1; i < ranks; ++i)
        MPI_Recv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pause_at_random();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    call.check();
    if (me != last) MPI_Send(nullptr, 0, MPI_INT, last, 4, MPI_COMM_WORLD);
  }
  MPI_Comm_free(&edges.comm);
}

/// Whatever MPI takes for the ends of an edge of a small periodic grid.
void grid(Stream) {
  int dims[2] = {0, 0};
  const int periods[2] = {1, 0};
  MPI_Dims_create(ranks, 2, dims);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
  double first[4] = {};
  for (int step = 0; step < 60; ++step) {
    double out[4], in[4] = {-1, -1, -1, -1};
    for (int i = 0; i < 4; ++i) out[i] = value(me, 0, i, step, 0);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ineighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; ++i)
      if (step == 0)
        first[i] = in[i];
      else
        expect(in[i], first[i] < 0 ? -1 : first[i] + value(0, 0, 0, step, 0), "grid", step);
  }
  MPI_Comm_free(&comm);
}

/// Communicators come and go, some while their last step is open, which Open MPI 4 does not
/// survive.
void many(Stream stream) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  const bool early = false;
#else
  const bool early = true;
#endif
  for (int i = 0; i < 30; ++i) {
    Graph edges = random_graph(stream);
    const int count = 1 + stream.below(30);
    Call call(edges, random_function(stream), i, 40);
    for (int step = 0; step < count; ++step) {
      MPI_Request request = MPI_REQUEST_NULL;
      call.start(step, &request);
      if (early && step == count - 1 && i % 2) MPI_Comm_free(&edges.comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      call.check();
    }
    if (edges.comm != MPI_COMM_NULL) MPI_Comm_free(&edges.comm);
  }
}

/// Two blocks that are received overlap: nobody can say what is right, but that it is one of them.
void overlapping(Stream) {
  Graph edges;
  for (int rank = 0; rank < ranks; ++rank)
    for (int edge = 0; edge < 2; ++edge) edges.add(rank, (rank + 1) % ranks, edge);
  edges.make();
  for (int step = 0; step < 60; ++step) {
    const double out[2] = {1, 2};
    double in = 0;
    const int counts[2] = {1, 1}, places[2] = {0, 1}, same_place[2] = {0, 0};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ineighbor_alltoallv(out, counts, places, MPI_DOUBLE, &in, counts, same_place, MPI_DOUBLE,
                            edges.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(in == 1 || in == 2 ? 1 : in, 1, "overlapping", step);
  }
  MPI_Comm_free(&edges.comm);
}

/// No program may do this, and not all MPIs let it: a request is freed while its step is open.
void freed(Stream stream) {
  Graph edges = random_graph(stream);
  Call call(edges, Function::alltoallv, 3, 200), other(edges, Function::alltoallv, 9, 20);
  for (int step = 0; step < 60; ++step) {
    MPI_Request request = MPI_REQUEST_NULL;
    call.start(step, &request);
    if (step < 20)
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    else
      MPI_Request_free(&request);
    other.start(step, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    call.check();
    other.check();
  }
  MPI_Comm_free(&edges.comm);
}

/// Persistent requests of all functions, started in another order by each rank, with persistent
/// messages among them.
void persistent(Stream stream) {
#if defined(NONE_PERSISTENT)
  if (me == 0) std::puts("this MPI has none");
  return;
#endif
  Stream own(static_cast<std::uint64_t>(me) * 77 + stream.next());
  own.next();
  for (int round = 0; round < 3; ++round) {
    Graph edges[2] = {random_graph(stream), random_graph(stream)};
    std::deque<Call> calls;
    std::vector<MPI_Request> requests;
    for (int i = 0; i < 4; ++i) {
      const Graph& here = edges[stream.below(2)];
      const Function function = random_function(stream);
      calls.emplace_back(here, function, stream.below(50), i == 0 ? 20000 : 40);
      requests.push_back(MPI_REQUEST_NULL);
      calls.back().init(&requests.back());
    }
    double out = 0, in = 0;
    requests.resize(6);
    MPI_Send_init(&out, 1, MPI_DOUBLE, (me + 1) % ranks, 6, MPI_COMM_WORLD, &requests[4]);
    MPI_Recv_init(&in, 1, MPI_DOUBLE, (me + ranks - 1) % ranks, 6, MPI_COMM_WORLD, &requests[5]);
    for (int step = 0; step < 60; ++step) {
      for (Call& call : calls) call.fill(step);
      out = value(me, 0, 0, step, 0);
      // All requests are in the array; those that wait are passed over.
      std::vector<int> order = {0, 1, 2, 3};
      for (int i = 4; i > 1; --i) std::swap(order[at(i - 1)], order[at(own.below(i))]);
      if (own.below(2)) {
        MPI_Startall(6, requests.data());
      } else {
        for (const int i : order) MPI_Start(&requests[at(i)]);
        MPI_Startall(2, requests.data() + 4);
      }
      pause_at_random();
      complete(requests, own, true);
      for (const Call& call : calls) call.check();
      expect(in, value((me + ranks - 1) % ranks, 0, 0, step, 0), "message", step);
    }
    for (MPI_Request& one : requests) MPI_Request_free(&one);
    for (Graph& one : edges) MPI_Comm_free(&one.comm);
  }
}

/// Two threads, each with a communicator of its own.
void threads(Stream stream) {
  Graph edges[2] = {random_graph(stream), random_graph(stream)};
  const auto steps = [&](int which) {
    Call call(edges[which], Function::alltoallv, which, 300);
    for (int step = 0; step < 100; ++step) {
      MPI_Request request = MPI_REQUEST_NULL;
      call.start(step, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      call.check();
    }
  };
  std::thread other(steps, 1);
  steps(0);
  other.join();
  for (Graph& one : edges) MPI_Comm_free(&one.comm);
}

/// More is sent than there is room for. MPICH 5.0.2 keeps that to itself, and Open MPI aborts.
void truncated(Stream) {
  Graph edges = ring();
  MPI_Comm_set_errhandler(edges.comm, MPI_ERRORS_RETURN);
  for (int step = 0; step < 30; ++step) {
    const double out[2] = {1, 2};
    double in[2] = {-1, -1};
    const int two = 2, there = step < 20 ? 2 : 1, none = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ineighbor_alltoallv(out, &two, &none, MPI_DOUBLE, in, &there, &none, MPI_DOUBLE, edges.comm,
                            &request);
    const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    int kind = MPI_SUCCESS;
    MPI_Error_class(code, &kind);
    expect(kind, step < 20 ? MPI_SUCCESS : MPI_ERR_TRUNCATE, "error", step);
    expect(in[1], step < 20 ? 2 : -1, "beyond", step);
  }
  MPI_Comm_free(&edges.comm);
}

/// A rank ends the job in the middle.
void abort(Stream) {
  const Graph edges = ring();
  Call call(edges, Function::alltoall, 3, 20);
  for (int step = 0; step < 1000; ++step) {
    if (step == 60 && me == ranks - 1) end_job();
    MPI_Request request = MPI_REQUEST_NULL;
    call.start(step, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)(Stream)> scenarios = {
      {"same", same},       {"mixed", mixed},
      {"ahead", ahead},     {"between", between},
      {"grid", grid},       {"many", many},
      {"freed", freed},     {"overlapping", overlapping},
      {"abort", abort},     {"persistent", persistent},
      {"threads", threads}, {"truncated", truncated}};
  begin(argc, argv, MPI_THREAD_MULTIPLE);
  const auto chosen = scenarios.find(argc > 1 ? argv[1] : "");
  if (chosen == scenarios.end()) MPI_Abort(MPI_COMM_WORLD, 2);
  chosen->second(Stream(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1));
  return end();
}
