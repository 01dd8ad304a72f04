// threads: how many small messages the threads of two ranks send each other: all by one thread, by
// all on one communicator, by all on a communicator of each. A step is a window of messages each
// way for every thread.

#include "kind.hpp"

#include <halocline/more/waiting.hpp>
#include <halocline/range.hpp>

#include <omp.h>

#include <algorithm>
#include <atomic>

namespace halometer {

using namespace halocline;

namespace {

constexpr const char* one_thread = "one-thread";
constexpr const char* one_communicator = "one-communicator";
constexpr const char* own_communicators = "own-communicators";

class Windows final : public Work {
 public:
  Windows(MPI_Comm comm, std::string how, int threads, int messages, std::size_t bytes)
      : how_(std::move(how)), threads_(threads), messages_(messages), bytes_(bytes) {
    for (int i = 0; i < (how_ == own_communicators ? threads : 1); ++i)
      comms_.push_back(mpi::Comm::duplicate(comm));
    if (mpi::rank(comm) > 1) return;
    peer_ = 1 - mpi::rank(comm);
    for (int thread = 0; thread < threads; ++thread) {
      of_threads_.emplace_back();
      of_threads_.back().requests.assign(2 * static_cast<std::size_t>(messages), MPI_REQUEST_NULL);
      of_threads_.back().sent.assign(bytes, std::byte{1});
      of_threads_.back().received.assign(bytes * static_cast<std::size_t>(messages), std::byte{0});
    }
  }

  bool timed() const override { return peer_ != MPI_PROC_NULL; }
  void step() override {
    if (peer_ == MPI_PROC_NULL) return;
    if (how_ == one_thread) {
      for (int thread = 0; thread < threads_; ++thread) window(thread, 0);
      return;
    }
    std::atomic<bool> failed{false};
#pragma omp parallel num_threads(threads_)
    {
      const int thread = omp_get_thread_num();
      try {
        window(thread, how_ == own_communicators ? static_cast<std::size_t>(thread) : 0);
      } catch (const std::exception&) {
        failed = true;
      }
    }
    if (failed) throw Error("threads: " + how_ + ": a message has failed");
  }
  std::string check() override {
    step();
    for (const OfThread& mine : of_threads_)
      if (!std::ranges::all_of(mine.received, [](std::byte b) { return b == std::byte{1}; }))
        return "a message is not what was sent";
    return {};
  }

 private:
  struct alignas(64) OfThread {
    std::vector<MPI_Request> requests;
    std::vector<std::byte> sent, received;
  };

  void window(int thread, std::size_t comm) {
    OfThread& mine = of_threads_[static_cast<std::size_t>(thread)];
    const int count = static_cast<int>(bytes_);
    auto request = mine.requests.begin();
    for (int i = 0; i < messages_; ++i)
      HALOCLINE_MPI(MPI_Irecv, mine.received.data() + static_cast<std::size_t>(i) * bytes_, count,
                    MPI_BYTE, peer_, thread, comms_[comm], &*request++);
    for (int i = 0; i < messages_; ++i)
      HALOCLINE_MPI(MPI_Isend, mine.sent.data(), count, MPI_BYTE, peer_, thread, comms_[comm],
                    &*request++);
    wait_all("threads: a window of messages", mine.requests);
  }

  std::string how_;
  int threads_, messages_;
  std::size_t bytes_;
  int peer_ = MPI_PROC_NULL;
  std::vector<mpi::Comm> comms_;
  std::vector<OfThread> of_threads_;
};

class Threads final : public Kind {
 public:
  std::string name() const override { return "threads"; }
  std::string summary() const override {
    return "small messages between the threads of two ranks: by one, or by all at once";
  }
  int threads() const override { return threads_; }
  int thread_level() const override { return MPI_THREAD_MULTIPLE; }

  void declare(frame::Arguments& app) override {
    add_sizes(app, "--sizes", sizes_, "bytes of a message");
    app.option("--threads", threads_, "OpenMP threads of each rank").range(1, 1024).shows_default();
    app.option("--messages", messages_, "of each thread in a step, either way")
        .range(1, 100'000)
        .shows_default();
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    if (mpi::size(comm) < 2) throw Error("threads needs 2 ranks");
    std::vector<Group> groups;
    for (const std::size_t bytes : sizes_) {
      Group group{.title = std::to_string(messages_) + " messages of " + shown_bytes(bytes) +
                           " either way by each of " + std::to_string(threads_) + " threads"};
      for (const std::string& how :
           chosen(patterns, {one_thread, one_communicator, own_communicators}))
        group.contenders.push_back(
            {.scheme = how,
             .parameters = {{"size", bytes}, {"threads", threads_}, {"messages", messages_}},
             .bytes = static_cast<double>(bytes) * threads_ * messages_,
             .make = [=, threads = threads_, messages = messages_]() -> std::unique_ptr<Work> {
               return std::make_unique<Windows>(comm, how, threads, messages, bytes);
             }});
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  std::vector<std::size_t> sizes_{8};
  int threads_ = 2, messages_ = 64;
};

}  // namespace

std::unique_ptr<Kind> threads() {
  return std::make_unique<Threads>();
}

}  // namespace halometer
