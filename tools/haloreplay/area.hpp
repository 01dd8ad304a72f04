#pragma once
// The memory of a rank in which a contender exchanges: what a program does with it beside the
// exchange, and what must be in it after one.

#include "traffic.hpp"

#include <halocline/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace haloreplay {

class Area {
 public:
  /// The area of rank `me`, in memory of its own, or in somebody's that outlives it, as does
  /// `traffic`.
  Area(const Traffic& traffic, int me, halocline::Memory memory);
  Area(const Traffic& traffic, int me, std::byte* data);

  const Traffic& traffic() const noexcept { return traffic_; }
  int me() const noexcept { return me_; }
  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  const halocline::Memory& memory() const noexcept { return memory_; }

  /// Writes all that is sent in a step.
  void write(std::size_t step);
  /// Reads what has arrived of a message, or all that has not been read since `write`.
  void read(std::size_t message, std::size_t step);
  void read_rest(std::size_t step);

  // To check an exchange: known bytes everywhere, and what is to be there afterwards.

  void fill(std::uint64_t set);
  /// What is wrong after the exchange of a step; empty if nothing is.
  std::string fault(std::uint64_t set, std::size_t step) const;
  /// The byte that `rank` sends as number `number` of a message.
  std::byte sent(std::uint64_t set, int rank, std::size_t message, std::size_t number) const;

 private:
  struct End {
    std::size_t message;
    std::vector<std::span<std::byte>> rows;
    bool read = false;  // since the last step began
  };
  std::vector<End> ends(const std::vector<std::size_t>& messages, bool sending) const;
  void read(End& end, std::size_t step);

  const Traffic& traffic_;
  int me_;
  halocline::Memory memory_{};
  std::byte* data_;
  std::size_t bytes_;
  std::vector<End> sent_, received_;
  std::vector<std::size_t> place_;  // of messages among those received
  std::uint8_t stamp_ = 0;
  volatile std::uint64_t seen_ = 0;
};

/// What a byte of a rank's memory is in a set of known ones.
std::byte known_byte(std::uint64_t set, int rank, std::ptrdiff_t place);

/// Writes and reads bytes as computing does.
void write_bytes(std::byte* bytes, std::size_t count, std::uint8_t value);
std::uint64_t read_bytes(const std::byte* bytes, std::size_t count);

}  // namespace haloreplay
