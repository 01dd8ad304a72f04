#include "mpi/collectives.hpp"
#include "mpi/comm_key.hpp"
#include "recorder.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace halocline::trace {

namespace detail {

namespace {

/// The counter runs at one rate in all states of the processor, and this kernel trusts it.
bool is_steady() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) == 0 || (d & (1U << 8)) == 0) return false;
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  return file >> source && source == "tsc";
#else
  return false;
#endif
}

}  // namespace

Recorder& Recorder::instance() {
  static Recorder recorder;
  return recorder;
}

Anchor Anchor::now() {
  // The closest of a few: the system may take the core away between one clock and the other.
  Anchor best;
  Ticks shortest = -1;
  for (int i = 0; i < 10; ++i) {
    const Ticks before = detail::now();
    const double seconds = steady_seconds();
    const Ticks between = detail::now() - before;
    if (shortest >= 0 && between >= shortest) continue;
    shortest = between;
    best = {before + between / 2, seconds};
  }
  return best;
}

// ---- who exchanges with whom -----------------------------------------------------------------

std::uint64_t agreed_number(MPI_Comm comm) {
  Recorder& recorder = Recorder::instance();
  std::uint64_t number = 0;
  if (mpi::rank(comm) == 0)
    number = static_cast<std::uint64_t>(mpi::rank(recorder.comm)) << 32 | ++recorder.numbers_given;
  return mpi::from_rank(comm, 0, number);
}

std::uint16_t describe(MPI_Comm comm, std::string_view what, std::vector<Link> sends,
                       std::vector<Link> receives, std::string_view waits) {
  Recorder& recorder = Recorder::instance();
  constexpr std::size_t most = 0xffff;
  if (!recorder.described) return 0;
  const std::uint64_t number = agreed_number(comm);
  if (recorder.exchanges.size() == most) return 0;
  int same = MPI_UNEQUAL;
  HALOCLINE_MPI(MPI_Comm_compare, comm, recorder.comm, &same);
  std::vector<int> ranks;
  if (same != MPI_IDENT && same != MPI_CONGRUENT) {
    for (int rank = 0; rank < mpi::size(comm); ++rank) ranks.push_back(rank);
    ranks = mpi::translate(comm, ranks, recorder.comm);
  }
  recorder.exchanges.push_back({number, std::string(what), std::string(waits), std::move(ranks),
                                std::move(sends), std::move(receives)});
  return static_cast<std::uint16_t>(recorder.exchanges.size());
}

namespace {

/// What an attribute of a communicator points to.
struct Counted {
  std::uint64_t trace;
  Use use;
};

int free_counted(MPI_Comm, int, void* counted, void*) {
  delete static_cast<Counted*>(counted);
  return MPI_SUCCESS;
}

int key_of_counts() {
  static const int key = mpi::comm_key(free_counted);
  return key;
}

}  // namespace

Use use_of(MPI_Comm comm, const char* what) {
  const std::uint64_t trace = current;
  Counted* counted = mpi::held_by<Counted>(comm, key_of_counts());
  if (counted == nullptr || counted->trace != trace) {
    auto fresh = std::make_unique<Counted>(Counted{trace, {describe(comm, what), 0}});
    HALOCLINE_MPI(MPI_Comm_set_attr, comm, key_of_counts(), fresh.get());
    counted = fresh.release();
  }
  ++counted->use.count;
  return counted->use;
}

}  // namespace detail

using detail::Recorder;

void begin(MPI_Comm comm, const Options& options) {
  Recorder& recorder = Recorder::instance();
#ifdef HALOCLINE_WITHOUT_TRACE
  throw Error("trace: this build records nothing; build it without HALOCLINE_WITHOUT_TRACE");
#endif
  if (recorder.described) throw Error("trace: there is one under way already; write it first");
  record(false);
  detail::counts_tsc = detail::is_steady();
  recorder.exchanges.clear();
  recorder.job = "{}";
  recorder.comm = mpi::Comm::duplicate(comm);
  detail::Buffers::instance().begin(options.bytes);
  recorder.clock = std::make_unique<GlobalClock>(recorder.comm);
  recorder.began = detail::Anchor::now();
  recorder.described = true;
  record(!options.paused);
}

void record([[maybe_unused]] bool on) noexcept {
#ifndef HALOCLINE_WITHOUT_TRACE
  detail::on = on && Recorder::instance().described;
#endif
}

void describe_job(std::string json) {
  Recorder::instance().job = std::move(json);
}

}  // namespace halocline::trace
