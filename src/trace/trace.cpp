#include "recorder.hpp"

#include <algorithm>
#include <fstream>
#include <new>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace halocline::trace {

namespace detail {

#ifndef HALOCLINE_WITHOUT_TRACE
bool on = false;
#endif
bool counts_tsc = false;
constinit thread_local Mine mine{nullptr, 0};
std::uint64_t current = 0;

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

// ---- memory ----------------------------------------------------------------------------------

Buffer::Buffer(std::size_t bytes, std::uint16_t number)
    : number_(number), records_(std::max<std::size_t>(bytes / sizeof(Record), 4)) {
  if (number == 0) rows_.resize(most_rows);
  next = records_.data();
  end = half();
}

void Buffer::turn_over() noexcept {
  ++rounds_;
  next = half();
  end = records_.data() + records_.size();
  if (rounds_ > 1) dropped_ += static_cast<std::uint64_t>(end - next);
}

std::vector<std::span<Record>> Buffer::in_order() {
  Record* const begin = records_.data();
  if (rounds_ == 0) return {{begin, next}};
  if (rounds_ == 1) return {{begin, half()}, {half(), next}};
  return {{begin, half()}, {next, end}, {half(), next}};
}

std::uint16_t Buffer::number_of(const char* region) {
  const auto known = std::find(regions_.begin(), regions_.end(), region);
  if (known == regions_.end()) {
    regions_.push_back(region);
    return static_cast<std::uint16_t>(regions_.size());
  }
  return static_cast<std::uint16_t>(known - regions_.begin() + 1);
}

void Buffer::end_of_step() noexcept {
  if (rows_.empty()) return;
  if (steps_ >> shift_ == most_rows) {  // two rows become one, everywhere
    for (std::size_t row = 0; row < most_rows / 2; ++row)
      for (int a = 0; a < activities; ++a)
        rows_[row][a] = rows_[2 * row][a] + rows_[2 * row + 1][a];
    std::fill(rows_.begin() + most_rows / 2, rows_.end(), Row{});
    ++shift_;
  }
  Row& row = rows_[steps_++ >> shift_];
  for (int a = 0; a < activities; ++a) row[a] += std::exchange(sums[a], 0.0F);
}

void Thread::turn_over() noexcept {
  static_cast<Buffer*>(this)->turn_over();
}
std::uint16_t Thread::number_of(const char* region) {
  return static_cast<Buffer*>(this)->number_of(region);
}
void end_of_step(Thread& thread) noexcept {
  static_cast<Buffer&>(thread).end_of_step();
}

void begin_thread() noexcept {
  mine = {Recorder::instance().add_thread(), current};
}

Recorder& Recorder::instance() {
  static Recorder recorder;
  return recorder;
}

Thread* Recorder::add_thread() noexcept {
  const std::lock_guard lock(mutex);
  try {
    const auto number_of_thread = static_cast<std::uint16_t>(buffers.size());
    // Threads beside the first have less to tell.
    const std::size_t bytes = options.bytes / (number_of_thread == 0 ? 1 : 8);
    buffers.push_back(std::make_unique<Buffer>(bytes, number_of_thread));
    return buffers.back().get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
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
  HALOCLINE_MPI(MPI_Bcast, &number, 1, MPI_UINT64_T, 0, comm);
  return number;
}

std::uint16_t describe(MPI_Comm comm, std::string_view what, std::vector<Link> sends,
                       std::vector<Link> receives) {
  Recorder& recorder = Recorder::instance();
  constexpr std::size_t most = 0xffff;
  if (!recorder.described) return 0;
  const std::uint64_t number = agreed_number(comm);
  if (recorder.exchanges.size() == most) return 0;
  std::vector<int> ranks(static_cast<std::size_t>(mpi::size(comm)));
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int>(i);
  ranks = mpi::translate(comm, ranks, recorder.comm);
  recorder.exchanges.push_back(
      {number, std::string(what), std::move(ranks), std::move(sends), std::move(receives)});
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
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    HALOCLINE_MPI(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, free_counted, &made, nullptr);
    return made;
  }();
  return key;
}

}  // namespace

Use use_of(MPI_Comm comm, const char* what) {
  const std::uint64_t trace = current;
  Counted* counted = nullptr;
  int found = 0;
  HALOCLINE_MPI(MPI_Comm_get_attr, comm, key_of_counts(), &counted, &found);
  if (!found || counted->trace != trace) {
    auto fresh = std::make_unique<Counted>(Counted{trace, {describe(comm, what), 0}});
    HALOCLINE_MPI(MPI_Comm_set_attr, comm, key_of_counts(), fresh.get());
    counted = fresh.release();
  }
  ++counted->use.count;
  return counted->use;
}

}  // namespace detail

using detail::Recorder;

std::uint16_t Region::number_of(const char* name) {
  detail::Thread* const thread = detail::thread();
  return thread == nullptr ? std::uint16_t{0} : thread->number_of(name);
}

void begin(MPI_Comm comm, const Options& options) {
  Recorder& recorder = Recorder::instance();
#ifdef HALOCLINE_WITHOUT_TRACE
  throw Error("trace: this build records nothing; build it without HALOCLINE_WITHOUT_TRACE");
#endif
  if (recorder.described) throw Error("trace: there is one under way already; write it first");
  record(false);
  detail::counts_tsc = detail::is_steady();
  recorder.options = options;
  recorder.exchanges.clear();
  recorder.buffers.clear();
  recorder.job = "{}";
  recorder.comm = mpi::Comm::duplicate(comm);
  ++detail::current;
  detail::thread();  // memory is taken before anything is timed
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
