#pragma once
// The memory that events.hpp records into.

#include <halocline/more/events.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace halocline::trace::detail {

/// A thread's events and sums. Nothing here ever waits or asks for memory but for a region's name
/// when it is new.
class Buffer : public Thread {
 public:
  Buffer(std::size_t bytes, std::uint16_t number);

  void turn_over() noexcept;
  std::uint16_t number_of(const char* region);
  void end_of_step() noexcept;

  std::uint16_t number() const noexcept { return number_; }
  /// The events that there are, oldest first.
  std::vector<std::span<Record>> in_order();
  /// How many there were besides. Of the round before those are left that have not been written
  /// over yet.
  std::uint64_t dropped() const noexcept {
    return dropped_ == 0 ? 0 : dropped_ - static_cast<std::uint64_t>(end - next);
  }
  const std::vector<const char*>& regions() const noexcept { return regions_; }

  /// Ticks of each activity in a step, or in some after each other.
  using Row = std::array<float, activities>;
  std::span<const Row> rows() const noexcept { return {rows_.data(), used_rows()}; }
  std::uint64_t steps() const noexcept { return steps_; }
  std::uint64_t steps_a_row() const noexcept { return std::uint64_t{1} << shift_; }

 private:
  static constexpr std::size_t most_rows = 1 << 14;
  Record* half() noexcept { return records_.data() + records_.size() / 2; }
  std::size_t used_rows() const noexcept {
    return static_cast<std::size_t>((steps_ + steps_a_row() - 1) >> shift_);
  }

  std::uint16_t number_;
  std::vector<Record> records_;
  std::uint64_t rounds_ = 0;   // in which a part was filled
  std::uint64_t dropped_ = 0;  // in rounds that are, or will be, written over
  std::vector<const char*> regions_;
  std::vector<Row> rows_;
  std::uint64_t steps_ = 0;
  int shift_ = 0;
};

/// Those of all threads; one in a process.
struct Buffers {
  static Buffers& instance();

  /// This thread's own, from its first event on; null if there is no memory.
  Thread* add() noexcept;
  /// Begins anew, with so many bytes for the first thread and an eighth for each other.
  void begin(std::size_t bytes);
  /// No thread writes to what is gone.
  void end();

  std::size_t bytes = 0;
  std::mutex mutex;  // of `all`
  std::vector<std::unique_ptr<Buffer>> all;
};

}  // namespace halocline::trace::detail
