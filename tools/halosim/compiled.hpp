#pragma once
// Programs as engines play them: every operation an act with its prices, words and messages on
// channels between two ranks. simulator.cpp reads these.

#include "simulator.hpp"

#include <cstdint>
#include <vector>

namespace halosim {

enum class Act : std::uint8_t {
  busy,     ///< for the price
  compute,  ///< disturbed
  push,     ///< something leaves on a channel
  pop,      ///< waits for it
  pull,     ///< waits for what begins to move when the receiver has come, and answers
  serve,    ///< the same, without waiting until it is there
  leave,    ///< a put or get on its way
  settle,   ///< waits until it is there
  barrier,
  block,  ///< the next `price` acts are taken as they can
};

struct Instruction {
  Act act;
  bool head = false;  ///< begins one of a block's parts
  Level level = Level::node;
  std::uint32_t price = 0;    ///< index; of a block the number of its instructions
  std::uint32_t channel = 0;  ///< or register, or group
  std::uint32_t answer = 0;   ///< channel; or member of the group
  std::uint32_t operation = 0;
};

/// Busy with the call; until what leaves is there; of that, the part that grows with the bytes.
struct Prices {
  Cost busy, flight, gap;
};

struct GroupMembers {
  std::vector<int> ranks;
};

struct ChannelEnds {
  int consumer = -1;
  /// So much is on its way at most, beside what was there before the first step.
  std::uint32_t capacity = 0, lag = 0;
};

struct Compiled {
  std::vector<std::vector<Instruction>> code;  ///< of each rank, one step
  std::vector<Prices> prices;
  std::vector<ChannelEnds> channels;
  std::vector<GroupMembers> groups;
  std::uint32_t most_registers = 0;  ///< of a rank: peers that it puts to or gets from
};
/// Throws halocline::Error where a rank waits for what nobody does.
Compiled compiled(const Run& run);

}  // namespace halosim
