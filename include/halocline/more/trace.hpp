#pragma once
// Traces: what each rank and thread does when, for a few nanoseconds an event.
//
// Between `trace::begin(comm)` and `trace::write(comm, "run.trace")` exchanges say what they do,
// and the application what it does, by `trace::Region sweep("sweep");` (events.hpp). All ranks
// write one file, which `halocline trace` reads: docs/reference/trace-file.md.

#include <halocline/more/events.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline::trace {

struct Options {
  std::size_t bytes = 16 << 20;  ///< memory of a thread's events
  /// Begin without recording; `record(true)` does.
  bool paused = false;
};

/// Describes exchanges that are made from now on, and records. Synchronises clocks. Collective.
void begin(MPI_Comm comm, const Options& options = {});
/// Goes on recording, or pauses; the same on all ranks.
void record(bool on) noexcept;
/// What a reader should know of the job: `json` is a JSON object that goes into the file's head.
void describe_job(std::string json);
/// Writes all ranks' events into one file, which they all must reach, and ends the trace. What was
/// in a file of that name stays until the new one is whole. Collective; throws Error on all ranks.
void write(MPI_Comm comm, const std::string& file);

namespace detail {

/// A number for an exchange or a communicator, the same wherever it is known. Collective.
std::uint64_t agreed_number(MPI_Comm comm);
/// Bytes to or from a peer in each step.
struct Link {
  int peer;
  std::size_t bytes;
};
/// The exchange's place in this rank's table; 0 if nothing is traced. Collective over `comm`.
/// `waits`: how its ranks wait for each other, in the words of the trace file's reference.
std::uint16_t describe(MPI_Comm comm, std::string_view what, std::vector<Link> sends = {},
                       std::vector<Link> receives = {}, std::string_view waits = "messages");
/// The same for what a communicator is used for time and again, with how often it was.
struct Use {
  std::uint16_t number;
  std::uint32_t count;
};
Use use_of(MPI_Comm comm, const char* what);

}  // namespace detail

/// A collective of all ranks of `comm` in which each waits for all: `Together t(comm, "sum");`.
/// The first one on a communicator is itself collective.
class Together {
 public:
  Together(MPI_Comm comm, const char* what) noexcept(false) {
    if (!detail::on) [[likely]]
      return;
    const detail::Use use = detail::use_of(comm, what);
    if (detail::Thread* const t = detail::thread(); t != nullptr && use.number != 0) {
      exchange_ = t->exchange;
      step_ = t->step;
      t->exchange = use.number;
      t->step = use.count;
      maybe_.open = detail::Open(*t, Activity::reduce, detail::now());
      is_open_ = true;
    }
  }
  ~Together() {
    if (!is_open_) [[likely]]
      return;
    detail::Thread& t = maybe_.open.thread();
    maybe_.open.finish(nobody, 0, 0, detail::now());
    t.exchange = exchange_;
    t.step = step_;
  }
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;

 private:
  detail::Maybe maybe_{};
  bool is_open_ = false;
  std::uint16_t exchange_ = 0;
  std::uint32_t step_ = 0;
};

}  // namespace halocline::trace

#pragma GCC visibility pop
