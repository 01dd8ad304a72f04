// Any library has the switch, for callers compiled without HALOCLINE_WITHOUT_TRACE: never on here.
#undef HALOCLINE_WITHOUT_TRACE

#include <halocline/more/events.hpp>

#include "buffer.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace halocline::trace {

namespace detail {

bool on = false;
bool counts_tsc = false;
constinit thread_local Mine mine{nullptr, 0};
std::uint64_t current = 0;

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
  mine = {Buffers::instance().add(), current};
}

Buffers& Buffers::instance() {
  static Buffers buffers;
  return buffers;
}

Thread* Buffers::add() noexcept {
  const std::lock_guard lock(mutex);
  try {
    const auto number = static_cast<std::uint16_t>(all.size());
    // Threads beside the first have less to tell.
    all.push_back(std::make_unique<Buffer>(bytes / (number == 0 ? 1 : 8), number));
    return all.back().get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void Buffers::begin(std::size_t bytes_of_first) {
  bytes = bytes_of_first;
  all.clear();
  ++current;
  thread();  // memory is taken before anything is timed
}

void Buffers::end() {
  all.clear();
  ++current;
}

}  // namespace detail

std::uint16_t Region::number_of(const char* name) {
  detail::Thread* const thread = detail::thread();
  return thread == nullptr ? std::uint16_t{0} : thread->number_of(name);
}

}  // namespace halocline::trace
