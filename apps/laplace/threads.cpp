#include "threads.hpp"

#include <halocline/error.hpp>
#include <halocline/wait.hpp>

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace laplace {

using halocline::Link;

namespace {

/// Polls `done()` until it is true. halocline's own waits let MPI progress, which only one thread
/// may.
template <class Done>
void wait_for(const char* what, const Done& done) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (unsigned polls = 1; !done(); ++polls) {
    if (polls < 1000) continue;
    sched_yield();
    const auto& limit = halocline::Patience::current().timeout;
    if (polls % 1000 == 0 && Clock::now() - begin > limit)
      throw halocline::Timeout(
          std::string("no progress in waiting for ") + what +
          "; a thread is stuck or far slower (raise the limit with --timeout)");
  }
}

}  // namespace

Mailbox::Mailbox(std::size_t numbers, bool racy) : racy_(racy), cells_(numbers) {}

bool Mailbox::put(std::span<const double> numbers, std::uint64_t iteration) {
  std::unique_lock<std::mutex> lock;
  if (!racy_) {
    lock = std::unique_lock(mutex_, std::try_to_lock);
    if (!lock) return false;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    cells_[i].store(numbers[i], std::memory_order_relaxed);
  iteration_.store(iteration, std::memory_order_relaxed);
  puts_.store(puts_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return true;
}

Mailbox::Taken Mailbox::take(std::span<double> numbers) {
  std::unique_lock<std::mutex> lock;
  if (!racy_) {
    lock = std::unique_lock(mutex_, std::try_to_lock);
    if (!lock) return {};
  }
  const std::uint64_t puts = puts_.load(std::memory_order_acquire);
  // Racy: numbers of the next halo may be there before it is counted.
  if (puts == 0 || (puts == taken_ && !racy_)) return {};
  const std::uint64_t iteration = iteration_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = cells_[i].load(std::memory_order_relaxed);
  return {iteration, puts - std::exchange(taken_, puts)};
}

ThreadBoard::ThreadBoard(int threads, bool racy)
    : threads_(threads), racy_(racy), boxes_(static_cast<std::size_t>(threads * threads)) {
  for (Slots& slots : sums_) slots = Slots(static_cast<std::size_t>(threads) + 1);
}

void ThreadBoard::fail(std::exception_ptr reason) {
  const std::lock_guard lock(failing_);
  if (!reason_) reason_ = std::move(reason);
  failed_ = true;
}

void ThreadBoard::rethrow() const {
  if (reason_) std::rethrow_exception(reason_);
}

void ThreadBoard::check() const {
  if (failed_) throw halocline::Error("another thread has failed");
}

void ThreadBoard::meet() {
  const auto threads = static_cast<std::uint64_t>(threads_);
  const std::uint64_t all = arrivals_.fetch_add(1) / threads * threads + threads;
  wait_for("the other threads", [&] {
    check();
    return arrivals_ >= all;
  });
}

std::optional<double> ThreadSum::advance(const std::function<double()>& mine) {
  board_.check();
  const auto end = slots_.end() - 1;
  ThreadBoard::Slot& result = slots_.back();
  if (!contributed_) {
    ThreadBoard::Slot& slot = slots_[static_cast<std::size_t>(thread_)];
    slot.value = mine();
    slot.round.store(++round_, std::memory_order_release);
    contributed_ = true;
  }
  if (thread_ == 0) {
    // All have read the sum before this one, or they would not have contributed again.
    const auto missing = [&](const ThreadBoard::Slot& slot) {
      return slot.round.load(std::memory_order_acquire) < round_;
    };
    if (std::any_of(slots_.begin(), end, missing)) return std::nullopt;
    result.value = 0;
    for (auto slot = slots_.begin(); slot != end; ++slot) result.value += slot->value;
    result.round.store(round_, std::memory_order_release);
  }
  if (result.round.load(std::memory_order_acquire) < round_) return std::nullopt;
  contributed_ = false;
  return result.value;
}

void ThreadSum::drain() {
  board_.meet();
  std::uint64_t last = 0;
  for (const ThreadBoard::Slot& slot : slots_)
    last = std::max(last, slot.round.load(std::memory_order_relaxed));
  board_.meet();
  while (round_ < last || contributed_) everywhere(0);
}

double ThreadSum::everywhere(double mine) {
  std::optional<double> sum;
  wait_for("a sum over all threads", [&] {
    sum = advance([&] { return mine; });
    return sum.has_value();
  });
  return *sum;
}

ThreadTraffic::ThreadTraffic(ThreadBoard& board, int thread, System& system)
    : board_(board), system_(system) {
  for (const Link& link : system.pattern().receives()) {
    auto& box = board.box(link.peer, thread);
    box = std::make_unique<Mailbox>(link.size(), board.racy_);
    in_.push_back({&link, box.get(), std::vector<double>(link.size())});
  }
  board_.meet();
  for (const Link& link : system.pattern().sends())
    out_.push_back({&link, board.box(thread, link.peer).get(), std::vector<double>(link.size())});
}

bool ThreadTraffic::put(End& end, std::uint64_t iteration) {
  const double* const cells = system_.cells();
  double* to = end.numbers.data();
  each_row(*end.link,
           [&](std::ptrdiff_t at, std::size_t count) { to = std::copy_n(cells + at, count, to); });
  const bool done = end.box->put(end.numbers, iteration);
  ++(done ? counts_.sent : counts_.skipped);
  return done;
}

bool ThreadTraffic::take(End& end) {
  const Mailbox::Taken taken = end.box->take(end.numbers);
  if (taken.iteration == 0) return false;
  end.iteration = taken.iteration;
  for (double* const cells : {system_.cells(), system_.twin()}) {
    if (cells == nullptr) continue;
    const double* from = end.numbers.data();
    each_row(*end.link, [&](std::ptrdiff_t at, std::size_t count) {
      std::copy_n(from, count, cells + at);
      from += count;
    });
  }
  if (taken.puts == 0) return false;
  ++counts_.received;
  counts_.superseded += taken.puts - 1;
  return true;
}

std::size_t ThreadTraffic::receive() {
  std::size_t news = 0;
  for (End& end : in_) news += take(end) ? 1 : 0;
  return news;
}

void ThreadTraffic::send(std::uint64_t iteration) {
  last_ = iteration;
  for (End& end : out_) put(end, iteration);
}

void ThreadTraffic::drain() {
  board_.meet();
  receive();
  board_.meet();
}

void ThreadTraffic::exchange() {
  for (End& end : out_) wait_for("a mailbox to write", [&] { return put(end, last_ + 1); });
  board_.meet();
  for (End& end : in_) wait_for("a mailbox to read", [&] { return take(end); });
  board_.meet();
}

}  // namespace laplace
