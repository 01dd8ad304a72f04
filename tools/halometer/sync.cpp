// sync: synchronisation alone, no data. After a step of fence and barrier a rank knows that all
// have come; of pscw, message and signal, that its neighbours in a ring have. lock and flush are
// here for their cost: they complete what a rank does at its neighbours, and tell these nothing.
// flush-all-barrier takes a fence's place where there is none: all is complete, and all know it.
// After one of maximum or sum, every rank knows that of a number of each.

#include "kind.hpp"

#include <machine/shared_words.hpp>

#include <halocline/more/reduction.hpp>
#include <halocline/range.hpp>

#include <algorithm>
#include <array>

namespace halometer {

using namespace halocline;

namespace {

/// The ranks beside mine in a ring, each once.
std::vector<int> beside(MPI_Comm comm) {
  const int rank = mpi::rank(comm), size = mpi::size(comm);
  std::vector<int> ranks;
  for (const int other : {(rank + size - 1) % size, (rank + 1) % size})
    if (other != rank && std::find(ranks.begin(), ranks.end(), other) == ranks.end())
      ranks.push_back(other);
  return ranks;
}

struct Variant {
  bool created = false;  ///< MPI_Win_create rather than MPI_Win_allocate
  bool asserts = false;
};

/// A window with a word of each rank that nobody uses.
class OnWindow : public Work {
 protected:
  OnWindow(MPI_Comm comm, Variant variant) : comm_(comm), variant_(variant) {
    constexpr MPI_Aint bytes = sizeof unused_;
    void* ignored = nullptr;
    if (variant.created)
      HALOCLINE_MPI(MPI_Win_create, &unused_, bytes, 1, MPI_INFO_NULL, comm, window_.address());
    else
      HALOCLINE_MPI(MPI_Win_allocate, bytes, 1, MPI_INFO_NULL, comm, &ignored, window_.address());
    HALOCLINE_MPI(MPI_Win_set_errhandler, window_, MPI_ERRORS_RETURN);
  }
  /// An assertion, where assertions are wanted.
  int if_asserted(int assertion) const { return variant_.asserts ? assertion : 0; }

  MPI_Comm comm_;
  mpi::Window window_;

 private:
  Variant variant_;
  std::array<std::uint64_t, 8> unused_{};
};

class Fence final : public OnWindow {
 public:
  Fence(MPI_Comm comm, Variant variant) : OnWindow(comm, variant) {}
  void step() override {
    const Blocking guard("sync: fence");
    HALOCLINE_MPI(
        MPI_Win_fence,
        if_asserted(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED),
        window_);
  }
};

class Pscw final : public OnWindow {
 public:
  Pscw(MPI_Comm comm, Variant variant)
      : OnWindow(comm, variant), beside_(mpi::subgroup(comm, beside(comm))) {}
  void step() override {
    const Blocking guard("sync: pscw");
    HALOCLINE_MPI(MPI_Win_post, beside_, if_asserted(MPI_MODE_NOSTORE | MPI_MODE_NOPUT), window_);
    HALOCLINE_MPI(MPI_Win_start, beside_, 0, window_);
    HALOCLINE_MPI(MPI_Win_complete, window_);
    HALOCLINE_MPI(MPI_Win_wait, window_);
  }

 private:
  mpi::Group beside_;
};

class Lock final : public OnWindow {
 public:
  Lock(MPI_Comm comm, Variant variant) : OnWindow(comm, variant), beside_(beside(comm)) {}
  void step() override {
    const Blocking guard("sync: lock");
    for (const int rank : beside_) {
      HALOCLINE_MPI(MPI_Win_lock, MPI_LOCK_SHARED, rank, if_asserted(MPI_MODE_NOCHECK), window_);
      HALOCLINE_MPI(MPI_Win_unlock, rank, window_);
    }
  }

 private:
  std::vector<int> beside_;
};

class Flush final : public OnWindow {
 public:
  Flush(MPI_Comm comm, Variant variant) : OnWindow(comm, variant), beside_(beside(comm)) {
    HALOCLINE_MPI(MPI_Win_lock_all, if_asserted(MPI_MODE_NOCHECK), window_);
  }
  ~Flush() override {
    if (std::uncaught_exceptions() == 0) MPI_Win_unlock_all(window_);
  }
  void step() override {
    const Blocking guard("sync: flush");
    for (const int rank : beside_) HALOCLINE_MPI(MPI_Win_flush, rank, window_);
  }

 private:
  std::vector<int> beside_;
};

class FlushAllBarrier final : public OnWindow {
 public:
  FlushAllBarrier(MPI_Comm comm, Variant variant) : OnWindow(comm, variant) {
    HALOCLINE_MPI(MPI_Win_lock_all, if_asserted(MPI_MODE_NOCHECK), window_);
  }
  ~FlushAllBarrier() override {
    if (std::uncaught_exceptions() == 0) MPI_Win_unlock_all(window_);
  }
  void step() override {
    const Blocking guard("sync: flush-all-barrier");
    HALOCLINE_MPI(MPI_Win_flush_all, window_);
    HALOCLINE_MPI(MPI_Barrier, comm_);
    HALOCLINE_MPI(MPI_Win_sync, window_);
  }
};

class EmptyMessages final : public Work {
 public:
  explicit EmptyMessages(MPI_Comm comm)
      : comm_(mpi::Comm::duplicate(comm)),
        beside_(beside(comm)),
        requests_(2 * beside_.size(), MPI_REQUEST_NULL) {}
  void step() override {
    constexpr int tag = 24;
    auto request = requests_.begin();
    for (const int rank : beside_)
      HALOCLINE_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, rank, tag, comm_, &*request++);
    for (const int rank : beside_)
      HALOCLINE_MPI(MPI_Isend, nullptr, 0, MPI_BYTE, rank, tag, comm_, &*request++);
    wait_all("sync: message", requests_);
  }

 private:
  mpi::Comm comm_;
  std::vector<int> beside_;
  std::vector<MPI_Request> requests_;
};

/// A counter of steps of each rank, in shared memory.
class Signal final : public Work {
 public:
  explicit Signal(MPI_Comm comm)
      : rank_(mpi::rank(comm)), beside_(beside(comm)), words_(comm, "sync: signal", beside_) {}
  void step() override {
    words_.of(rank_, 0).store(++step_, std::memory_order_release);
    for (const int rank : beside_) words_.await(words_.of(rank, 0), step_);
  }

 private:
  int rank_;
  std::vector<int> beside_;
  machine::SharedWords words_;
  std::uint64_t step_ = 0;
};

class Barrier final : public Work {
 public:
  explicit Barrier(MPI_Comm comm) : comm_(mpi::Comm::duplicate(comm)) {}
  void step() override {
    const Blocking guard("sync: barrier");
    HALOCLINE_MPI(MPI_Barrier, comm_);
  }

 private:
  mpi::Comm comm_;
};

/// MPI_Ibarrier, polled: where ranks outnumber cores it gives the core away.
class PolledBarrier final : public Work {
 public:
  explicit PolledBarrier(MPI_Comm comm) : comm_(mpi::Comm::duplicate(comm)) {}
  void step() override {
    MPI_Request request = MPI_REQUEST_NULL;
    HALOCLINE_MPI(MPI_Ibarrier, comm_, &request);
    wait_one("sync: ibarrier", request);
  }

 private:
  mpi::Comm comm_;
};

class Maximum final : public Work {
 public:
  Maximum(MPI_Comm comm, ReductionKind kind) : maximum_(make_max_reduction(comm, kind, 2)) {}
  void step() override {
    maximum_->contribute(1);
    maximum_->everywhere();
  }

 private:
  std::shared_ptr<MaxReduction> maximum_;
};

/// A round of a sum that need not be waited for, waited for.
class Sum final : public Work {
 public:
  Sum(MPI_Comm comm, AsyncSumKind kind) : sum_(make_async_sum(comm, kind)) {}
  void step() override {
    wait_until("sync: sum", [&] { return sum_->advance([] { return 1.0; }).has_value(); });
  }

 private:
  std::shared_ptr<AsyncSum> sum_;
};

/// The threads of each rank by themselves.
class OpenMpBarrier final : public Work {
 public:
  explicit OpenMpBarrier(int threads) : threads_(threads) {}
  void step() override { steps(1); }
  void steps(std::size_t count) override {
#pragma omp parallel num_threads(threads_)
    for (std::size_t i = 0; i < count; ++i) {
#pragma omp barrier
    }
  }

 private:
  int threads_;
};

class Sync final : public Kind {
 public:
  std::string name() const override { return "sync"; }
  std::string summary() const override { return "synchronisation alone, without data"; }

  void declare(frame::Arguments& app) override {
    app.option("--threads", threads_, "OpenMP threads of each rank, for openmp-barrier")
        .range(1, 1024)
        .shows_default();
  }
  int threads() const override { return threads_; }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    Group group{.title = "synchronisation of " + std::to_string(mpi::size(comm)) + " ranks"};
    std::vector<std::string> names;
    std::vector<Contender> every = contenders(comm);
    for (const Contender& one : every) names.push_back(one.scheme);
    for (const std::string& name : chosen(patterns, names))
      group.contenders.push_back(*std::find_if(
          every.begin(), every.end(), [&](const Contender& one) { return one.scheme == name; }));
    return {std::move(group)};
  }

 private:
  std::vector<Contender> contenders(MPI_Comm comm) const {
    std::vector<Contender> list;
    const auto add = [&]<class W>(const std::string& name, std::type_identity<W>,
                                  const auto&... arguments) {
      list.push_back(
          {.scheme = name,
           .parameters = {{"threads", threads_}},
           .make = [=]() -> std::unique_ptr<Work> { return std::make_unique<W>(arguments...); }});
    };
    add("barrier", std::type_identity<Barrier>(), comm);
    add("ibarrier", std::type_identity<PolledBarrier>(), comm);
    add("message", std::type_identity<EmptyMessages>(), comm);
    add("signal", std::type_identity<Signal>(), comm);
    add("openmp-barrier", std::type_identity<OpenMpBarrier>(), threads_);
    for (const ReductionKind kind : reduction_kinds)
      add(std::string("maximum:") + halocline::name(kind), std::type_identity<Maximum>(), comm,
          kind);
    for (const AsyncSumKind kind : async_sum_kinds)
      add(std::string("sum:") + halocline::name(kind), std::type_identity<Sum>(), comm, kind);
    for (const bool created : {false, true})
      for (const bool asserts : {false, true}) {
        const std::string options =
            std::string(created ? "+alloc=create" : "") + (asserts ? "+asserts=on" : "");
        const Variant variant{created, asserts};
        add("fence" + options, std::type_identity<Fence>(), comm, variant);
        add("pscw" + options, std::type_identity<Pscw>(), comm, variant);
        add("lock" + options, std::type_identity<Lock>(), comm, variant);
        add("flush" + options, std::type_identity<Flush>(), comm, variant);
        add("flush-all-barrier" + options, std::type_identity<FlushAllBarrier>(), comm, variant);
      }
    return list;
  }

  int threads_ = 1;
};

}  // namespace

std::unique_ptr<Kind> sync() {
  return std::make_unique<Sync>();
}

}  // namespace halometer
