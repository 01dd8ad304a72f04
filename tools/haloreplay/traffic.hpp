#pragma once
// What all ranks of a pattern send each other, whoever starts it: messages with both of their ends,
// and where these lie in the memory of a rank.

#include "plan.hpp"

#include <string>
#include <vector>

namespace haloreplay {

/// One message. Its blocks are counted in bytes from where the memory of a rank begins.
struct Message {
  int from = 0, to = 0;
  int tag = 0;  ///< small
  std::size_t least = 0, most = 0;
  Blocks at_sender{}, at_receiver{};
  bool synchronous = false;

  bool varies() const noexcept { return least != most; }
};

struct Traffic {
  /// Between two ranks in the order in which they meet.
  std::vector<Message> messages;
  std::vector<std::size_t> memory;                ///< bytes of each rank
  std::vector<std::vector<std::size_t>> of_link;  ///< for each rank, the message of each link
  std::vector<std::vector<std::size_t>> sent, received;  ///< by each rank
  std::size_t unit = 1;  ///< divides all offsets and lengths: 1, 2, 4 or 8 bytes
  std::uint64_t seed = 0;

  /// Bytes of a message in a step.
  std::size_t bytes(std::size_t message, std::size_t step) const;
  bool varies() const noexcept;
  bool contiguous() const;  ///< all messages at both ends
  /// Which ranks have to do with each other, directly or not: for each rank the lowest one of its
  /// group; -1 for a rank without messages.
  std::vector<int> groups() const;
  std::size_t busiest_bytes() const;  ///< that the rank which sends most sends in a step
};

/// Throws Error, which names `where`, if what one rank sends another does not receive.
Traffic traffic_of(const PlannedPattern& pattern, std::uint64_t seed, const std::string& where);

/// Mixes the bits of a number (splitmix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace haloreplay
