// progress: a put or get of rank 0 towards rank 1, which computes outside MPI, or, for comparison,
// waits inside. What counts is rank 0's time: with true passive progress the target's computation
// does not show in it. The libraries' own settings (MPIR_CVAR_ASYNC_PROGRESS=1 and the like) come
// from the environment and are recorded with the result.

#include "busy.hpp"
#include "kind.hpp"
#include "measure.hpp"

#include <halocline/more/waiting.hpp>
#include <halocline/range.hpp>

#include <algorithm>

namespace halometer {

using namespace halocline;

namespace {

/// MPI_Put or MPI_Get under a lock of the target, or under MPI_Win_lock_all with MPI_Win_flush.
class Passive final : public Work {
 public:
  Passive(MPI_Comm comm, const Scheme& scheme, std::size_t bytes, double busy_s)
      : comm_(comm),
        rank_(mpi::rank(comm)),
        put_(scheme.part(1) == "put"),
        lock_(scheme.part(2) == "lock"),
        assertion_(scheme.is("asserts", "on") ? MPI_MODE_NOCHECK : 0),
        busy_(comm, busy_s),
        target_is_busy_(busy_s > 0),
        message_(bytes),
        data_(bytes) {
    const auto size = static_cast<MPI_Aint>(bytes);
    // Only rank 1 is accessed.
    const MPI_Aint mine = rank_ == 1 ? size : 0;
    if (scheme.is("alloc", "create")) {
      own_.resize(bytes);
      memory_ = own_.data();
      HALOCLINE_MPI(MPI_Win_create, memory_, mine, 1, MPI_INFO_NULL, comm, window_.address());
    } else {
      HALOCLINE_MPI(MPI_Win_allocate, mine, 1, MPI_INFO_NULL, comm, &memory_, window_.address());
    }
    HALOCLINE_MPI(MPI_Win_set_errhandler, window_, MPI_ERRORS_RETURN);
    if (!lock_ && rank_ == 0) HALOCLINE_MPI(MPI_Win_lock_all, assertion_, window_);
  }
  ~Passive() override {
    if (!lock_ && rank_ == 0 && std::uncaught_exceptions() == 0) MPI_Win_unlock_all(window_);
  }

  bool timed() const override { return rank_ == 0; }
  bool alone() const override { return true; }

  void step() override {
    if (rank_ == 1 && target_is_busy_) busy_.run();
    if (rank_ != 0) return;
    const Blocking guard("halometer: progress");
    if (lock_) HALOCLINE_MPI(MPI_Win_lock, MPI_LOCK_SHARED, 1, assertion_, window_);
    const mpi::Bytes& m = message_;
    if (put_)
      HALOCLINE_MPI(MPI_Put, data_.data(), m.count(), m.type(), 1, 0, m.count(), m.type(), window_);
    else
      HALOCLINE_MPI(MPI_Get, data_.data(), m.count(), m.type(), 1, 0, m.count(), m.type(), window_);
    if (lock_)
      HALOCLINE_MPI(MPI_Win_unlock, 1, window_);
    else
      HALOCLINE_MPI(MPI_Win_flush, 1, window_);
  }

  std::string check() override {
    const auto value = [](std::size_t i) { return static_cast<std::byte>(7 * i + 3); };
    const auto target = [&](const auto& work) {
      // The owner accesses its memory as an origin does: under a lock.
      if (rank_ != 1) return;
      HALOCLINE_MPI(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, 1, 0, window_);
      work(static_cast<std::byte*>(memory_));
      HALOCLINE_MPI(MPI_Win_unlock, 1, window_);
    };
    if (!lock_ && rank_ == 0) HALOCLINE_MPI(MPI_Win_unlock_all, window_);
    for (std::size_t i = 0; put_ && rank_ == 0 && i < data_.size(); ++i) data_[i] = value(i);
    target([&](std::byte* memory) {
      for (std::size_t i = 0; i < data_.size(); ++i) memory[i] = put_ ? std::byte{} : value(i);
    });
    HALOCLINE_MPI(MPI_Barrier, comm_);
    if (!lock_ && rank_ == 0) HALOCLINE_MPI(MPI_Win_lock_all, assertion_, window_);
    step();
    if (!lock_ && rank_ == 0) HALOCLINE_MPI(MPI_Win_unlock_all, window_);
    HALOCLINE_MPI(MPI_Barrier, comm_);
    std::vector<std::byte> arrived = data_;
    target([&](std::byte* memory) {
      if (put_) std::copy_n(memory, data_.size(), arrived.data());
    });
    HALOCLINE_MPI(MPI_Barrier, comm_);
    if (!lock_ && rank_ == 0) HALOCLINE_MPI(MPI_Win_lock_all, assertion_, window_);
    if (rank_ == (put_ ? 1 : 0))
      for (std::size_t i = 0; i < arrived.size(); ++i)
        if (arrived[i] != value(i))
          return "rank " + std::to_string(rank_) + " holds a wrong byte " + std::to_string(i);
    return {};
  }

 private:
  MPI_Comm comm_;
  int rank_;
  bool put_, lock_;
  int assertion_;
  Busy busy_;
  bool target_is_busy_;
  mpi::Bytes message_;
  std::vector<std::byte> data_, own_;
  void* memory_ = nullptr;
  mpi::Window window_;
};

/// Adds to every result with a busy target the share of the target's computation that the origin
/// waited for: 0 with true passive progress, 1 where nothing moves before the target calls MPI.
void add_waited(std::vector<Measured>& results) {
  for (Measured& busy : results)
    for (const Measured& idle : results) {
      const double computed = busy.parameters["busy_us"].get<double>() * 1e-6;
      if (computed == 0 || idle.parameters["busy_us"].get<double>() > 0 ||
          busy.scheme != idle.scheme || !busy.measured() || !idle.measured())
        continue;
      const std::span<const double> sets[] = {busy.counted(busy.samples),
                                              idle.counted(idle.samples)};
      busy.shares = {{"waited_for_target", bootstrap(sets, [=](std::span<const double> medians) {
                        return (medians[0] - medians[1]) / computed;
                      })}};
    }
}

class Progress final : public Kind {
 public:
  std::string name() const override { return "progress"; }
  std::string summary() const override { return "a put or get towards a rank busy outside MPI"; }
  std::string default_schemes() const override { return "rma:*:lock,rma:*:flush"; }

  void declare(frame::Arguments& app) override {
    add_sizes(app, "--sizes", sizes_, "bytes put or got");
    app.option("--busy", busy_us_, "how long the target computes, in microseconds")
        .range(1.0, 1e7)
        .shows_default();
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    if (mpi::size(comm) < 2) throw Error("progress needs 2 ranks");
    const std::vector<Scheme> schemes = chosen_schemes(patterns);
    for (const Scheme& scheme : schemes) {
      const bool passive = scheme.has("notify");
      if (!passive || !(scheme.is("alloc", "allocate") || scheme.is("alloc", "create")))
        throw Error(scheme.str() +
                    ": progress measures rma:put or rma:get with lock or flush, and " +
                    "alloc=allocate or alloc=create");
    }
    std::vector<Group> groups;
    for (const std::size_t bytes : sizes_) {
      Group group{.title = "progress, " + shown_bytes(bytes) + " towards a rank",
                  .conclude = add_waited};
      for (const Scheme& scheme : schemes)
        for (const bool busy : {false, true})
          group.contenders.push_back(
              {.scheme = scheme.str(),
               .parameters = {{"size", bytes},
                              {"target", busy ? "busy" : "in MPI"},
                              {"busy_us", busy ? busy_us_ : 0.0}},
               .bytes = static_cast<double>(bytes),
               .make = [=, us = busy ? busy_us_ : 0.0]() -> std::unique_ptr<Work> {
                 return std::make_unique<Passive>(comm, scheme, bytes, us * 1e-6);
               }});
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  std::vector<std::size_t> sizes_{8, 65536};
  double busy_us_ = 10'000;
};

}  // namespace

std::unique_ptr<Kind> progress() {
  return std::make_unique<Progress>();
}

}  // namespace halometer
